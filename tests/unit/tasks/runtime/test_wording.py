"""Names in sentences."""

from __future__ import annotations

from tasks.runtime.wording import inside


def test_the_name_of_a_table_begins_small_inside_a_sentence() -> None:
    assert inside("The source people.csv") == "the source people.csv"
