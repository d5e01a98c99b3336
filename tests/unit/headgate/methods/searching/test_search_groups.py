"""Groups are found where some exist: in tables that were made around groups."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from benchmarks.every_partition import Case, groups_of
from benchmarks.planted_tables import planted
from headgate.bounds.feasibility import ways_to_publish
from headgate.core.columns import Codes
from headgate.grouping.items import items_of
from headgate.methods.searching import search_groups as searching
from headgate.methods.searching.search_groups import search_groups, united


def searched(case: Case, seed: int = 0) -> Codes | None:
    """From one group of all rows, which is no beginning."""
    table = case.table
    itemized = items_of(table, case.settings().limits)
    ways = ways_to_publish(table.select(table.quasi), table.rows // case.k)
    return search_groups(itemized, case.k, np.zeros(case.rows, dtype=np.int32), (case.k,), ways, seed, np.zeros(3, dtype=np.int64))


@pytest.mark.parametrize("seed", range(10))
def test_groups_are_found_that_keep_the_limits_by_definition(seed: int) -> None:
    case = planted(seed, 15, 60)
    groups = searched(case)
    assert groups is not None
    assert case.holds(groups_of(groups))


def test_the_same_seed_gives_the_same_groups() -> None:
    case = planted(5, 40, 60)
    assert searched(case).tolist() == searched(case).tolist() != searched(case, 1).tolist()  # type: ignore[union-attr]


def test_the_order_of_the_rows_decides_nothing() -> None:
    case = planted(5, 40, 60)
    names = ("age", "sex", "word", "other", "pay")

    def people(turned: Case, groups: Codes | None) -> list[list[tuple[object, ...]]]:
        assert groups is not None
        cells = list(zip(*(getattr(turned, name) for name in names if len(getattr(turned, name))), strict=True))
        return sorted(sorted(cells[row] for row in group) for group in groups_of(groups))

    turned = replace(case, **{name: list(getattr(case, name))[::-1] for name in names})
    assert people(case, searched(case)) == people(turned, searched(turned))


def test_groups_that_are_published_alike_are_made_different_or_one() -> None:
    """Few ages and sexes, so that many groups are published alike at first."""
    for seed in (1, 2, 4, 5, 7):
        case = planted(seed, 15, 40)
        few = replace(case, age=[age // 34 for age in case.age])
        groups = searched(few)
        assert groups is not None, seed
        assert few.holds(groups_of(groups)), seed


def test_groups_that_are_united_are_numbered_without_gaps() -> None:
    groups = np.array([0, 1, 2, 3, 1, 3])
    assert united(groups, [np.array([0, 2]), np.array([1, 3])]).tolist() == [0, 1, 0, 1, 1, 1]


def test_a_table_is_not_searched_where_all_pairs_of_rows_take_too_much_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    case = planted(3, 15, 60)
    monkeypatch.setattr(searching, "MOST_FLAGS", case.rows**2 - 1)
    assert searched(case) is None


def test_the_search_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(searching, "MOST_WORK", 0)
    assert searched(planted(13)) is None
