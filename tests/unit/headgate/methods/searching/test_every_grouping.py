"""The least loss there is, against every partition by the definitions."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest

from benchmarks.every_partition import Case, EveryPartition, Promised, groups_of
from benchmarks.planted_tables import small
from headgate.core.columns import Codes
from headgate.grouping.items import items_of
from headgate.methods.searching.every_grouping import every_part, least_lossy


def least(case: Case) -> Codes | None:
    itemized = items_of(case.table, case.settings().limits)
    parts = every_part(itemized.items, case.k)
    assert parts is not None
    return least_lossy(itemized, parts)


def people(words: str, ages: list[int], delta: str = "0.5") -> Case:
    return Case(2, ages, ["f"] * len(ages), (Promised(("word",), delta=Fraction(delta)),), list(words))


def test_groups_lose_least_of_all_that_keep_the_limits() -> None:
    exist = 0
    for seed in range(60):
        case = small(seed, 8)
        best, groups = EveryPartition(case).least_loss(), least(case)
        assert (groups is None) == (best is None), seed
        if groups is not None:
            exist += 1
            assert case.holds(groups_of(groups)), seed
            assert case.loss(groups_of(groups)) == pytest.approx(best), seed
    assert exist > 20


def test_groups_that_are_published_alike_keep_the_limits_together() -> None:
    """Two pairs of different words: as one class of four, each has somebody alike."""
    case = people("abab", [30] * 4, "0.9")
    assert least(case) is None
    assert least(replace(case, word=list("abac"))) is None
    apart = least(replace(case, age=[30, 30, 31, 31]))
    assert apart is not None
    assert apart.tolist() in ([0, 0, 1, 1], [1, 1, 0, 0])


def test_where_the_least_loss_would_be_published_alike_the_next_one_is_taken() -> None:
    """Pairs within an age lose nothing, but all of one age would be one class."""
    case = people("ababcd", [30, 30, 30, 30, 31, 31], "0.9")
    groups = least(case)
    assert groups is not None
    assert case.holds(groups_of(groups))
    assert case.loss(groups_of(groups)) == pytest.approx(EveryPartition(case).least_loss())


def test_rows_that_nothing_tells_apart_are_counted() -> None:
    """Two dozen rows of four kinds have as many parts as seven to the power of four."""
    case = people("ab" * 12, [30, 30, 60, 60] * 6)
    groups = least(case)
    assert groups is not None
    assert case.holds(groups_of(groups))
    assert case.loss(groups_of(groups)) == 0


def test_a_large_table_is_not_looked_at() -> None:
    for rows in (20, 2_000):
        case = people("abcd" * (rows // 4), [row % 100 for row in range(rows)])
        assert every_part(items_of(case.table, case.settings().limits).items, 2) is None
