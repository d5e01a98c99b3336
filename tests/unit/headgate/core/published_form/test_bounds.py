from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from headgate.core.columns import Kind
from headgate.core.errors import InputRejected
from headgate.core.published_form.bounds import all_ends, bound_names, free_name, written_ends
from headgate.core.published_form.domain_column import domain_column


def shown(column, texts):
    low, high = written_ends(all_ends(texts, column), np.arange(len(texts)), column)
    return list(low), list(high)


def test_ends_are_written_as_the_column_is_published() -> None:
    assert shown(domain_column("age", Kind.INTEGER, (0, 110)), ["[20..29]", "5", "*"]) == ([20, 5, 0], [29, 5, 110])
    assert shown(domain_column("dose", Kind.NUMBER, (0, 1)), ["[0.25..0.5]", "*"]) == ([0.25, 0], [0.5, 1])
    days = domain_column("seen", Kind.DATE, (19723, 19783))
    assert shown(days, ["2024-Q1", "[2020..2024]", "*", ""]) == (
        ["2024-01-01", "2020-01-01", "2024-01-01", None],
        ["2024-03-31", "2024-12-31", "2024-03-01", None],
    )
    levels = domain_column("grade", Kind.ORDINAL, None, ["low", "mid..dle", "high"])
    assert shown(levels, ["[low..mid\\.\\.dle]", "high", "*"]) == (["low", "high", "low"], ["mid..dle", "high", "high"])


def test_a_node_reaches_from_the_least_value_under_it_to_the_greatest() -> None:
    tree = [["1", "few", "*"], ["2", "few", "*"], ["9", "many", "*"]]
    assert shown(domain_column("kids", Kind.INTEGER, (1, 9), (), tree), ["few", "many", "2"]) == ([1, 9, 2], [2, 9, 2])


def test_a_cell_outside_the_domain_is_refused() -> None:
    with pytest.raises(InputRejected):
        all_ends(["[a..b]"], domain_column("age", Kind.INTEGER, (0, 110)))
    with pytest.raises(InputRejected):
        all_ends(["*"], domain_column("age", Kind.INTEGER))


@given(st.lists(st.sampled_from(["a", "a low", "a high", "a low 2", "b", "b low"]), unique=True, min_size=1), st.sets(st.text(max_size=3)))
def test_names_of_ends_are_new_and_differ(quasi: list[str], others: set[str]) -> None:
    names = bound_names(quasi, {*quasi, *others})
    given = [name for pair in names.values() for name in pair]
    assert len(set(given)) == len(given) == 2 * len(quasi)
    assert not set(given) & {*quasi, *others}
    assert all(low.startswith(f"{name} low") and high.startswith(f"{name} high") for name, (low, high) in names.items())


def test_a_name_that_is_free_stays_as_it_is() -> None:
    used = {"a", "a 2"}
    assert [free_name("a", used), free_name("b", used), free_name("b", used)] == ["a 3", "b", "b 2"]
