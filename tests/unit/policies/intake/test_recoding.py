"""Values that stand for others; a value that nobody thought of is refused unless the policy says what becomes of it."""

from __future__ import annotations

import pytest

from policies.intake.recoding import Recoding, Unmapped
from policies.intake.rule import UNREAD


@pytest.mark.parametrize(("unmapped", "other"), [(Unmapped.REFUSE, UNREAD), (Unmapped.KEEP, "3"), (Unmapped.MISSING, None)])
def test_a_value_becomes_what_it_stands_for(unmapped: Unmapped, other: object) -> None:
    recoding = Recoding({"1": "male", "9": None}, unmapped)
    assert [recoding.read(text) for text in ("1", "9", "3")] == ["male", None, other]


def test_a_value_that_is_not_listed_is_refused_by_default() -> None:
    assert Recoding({"1": "male"}).read("2") is UNREAD
