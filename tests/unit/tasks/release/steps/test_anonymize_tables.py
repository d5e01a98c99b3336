"""Suppressed rows leave every table: comparing tables would else tell who they are."""

from __future__ import annotations

from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from headgate.core.errors import RequirementNotMet
from headgate.core.tolerance import exact
from policies.jobs.spool import MemorySpool
from tasks.release.steps.anonymize_tables import (
    Agreed,
    GroupedTable,
    agree_on_suppression,
    anonymize_table,
    regroup_tables,
    release_everybody,
)
from tasks.release.steps.choose_plan import choose_plan
from tasks.release.steps.transform_source import suppress_cells, transform_source

Round = tuple[Any, Any, Agreed, list[GroupedTable]]


def a_round(
    share: str, *groups: list[int], kept: list[bool] | None = None, suppresses: bool = False, lent: Fraction = Fraction(1)
) -> Round:
    """A run with nothing but its spool, what was asked of all tables, who is left, and the groups of each table."""
    spool = MemorySpool()
    job = SimpleNamespace(suppression=exact(share), method=SimpleNamespace(suppresses=suppresses))
    grouped = [
        GroupedTable(f"table-{place}", 0, spool.put(SimpleNamespace(groups=np.array(one))))  # type: ignore[arg-type]
        for place, one in enumerate(groups, 1)
    ]
    agreed = Agreed(spool.put(np.array(kept or [True] * 6)), lent=lent)
    return SimpleNamespace(spool=spool, elsewhere=None), SimpleNamespace(job=spool.put(job)), agreed, grouped


def kept_of(run: Any, agreed: Agreed) -> list[bool]:
    listed: list[bool] = run.spool.get(agreed.kept).tolist()
    return listed


def test_who_is_suppressed_in_one_table_leaves_all_of_them() -> None:
    run, *others = a_round("0.34", [0, 0, -1, 0, 0, 0], [0, 0, 0, 0, 0, -1])
    agreed = agree_on_suppression(run, *others)
    assert not agreed.settled
    assert kept_of(run, agreed) == [True, True, False, True, True, False]
    assert agreed.suppressed == 2


def test_tables_have_agreed_when_nobody_more_is_suppressed() -> None:
    kept = [True, True, False, True, True, False]
    run, *others = a_round("0.34", [0, 0, 0, 0], [0, 0, 1, 1], kept=kept)
    agreed = agree_on_suppression(run, *others)
    assert agreed.settled
    assert kept_of(run, agreed) == kept


def test_a_later_round_speaks_of_the_rows_that_are_left() -> None:
    run, *others = a_round("0.5", [0, 0, -1, 0], [0, 0, 0, 0], kept=[True, True, False, True, True, False])
    agreed = agree_on_suppression(run, *others)
    assert not agreed.settled
    assert kept_of(run, agreed) == [True, True, False, False, True, False]
    assert agreed.suppressed == 3


def test_the_share_is_of_the_input_rows_inclusive_and_counts_all_tables_together() -> None:
    assert not agree_on_suppression(*a_round("0.5", [0, 0, -1, -1, 0, 0], [0, 0, 0, 0, 0, -1])).settled
    with pytest.raises(RequirementNotMet) as refusal:
        agree_on_suppression(*a_round("0.49", [0, 0, -1, -1, 0, 0], [0, 0, 0, 0, 0, -1]))
    assert (refusal.value.measured, refusal.value.required) == (0.5, 0.49)
    assert refusal.value.cure


def test_where_whole_columns_suppress_too_much_together_each_table_gets_its_part_and_then_none() -> None:
    """Two of six rows may go; each table would let two others go."""
    lent = Fraction(1)
    for part in (Fraction(1, 2), Fraction(0)):
        run, *others = a_round("1/3", [-1, -1, 0, 0, 0, 0], [0, 0, -1, -1, 0, 0], suppresses=True, lent=lent)
        agreed = agree_on_suppression(run, *others)
        assert not agreed.settled
        assert (agreed.lent, all(kept_of(run, agreed)), agreed.suppressed) == (part, True, 0)
        lent = agreed.lent
    with pytest.raises(RequirementNotMet):
        agree_on_suppression(*a_round("1/3", [-1, -1, 0, 0, 0, 0], [0, 0, -1, -1, 0, 0], suppresses=True, lent=lent))


def test_what_the_search_has_grouped_is_not_grouped_again(begin):
    made = begin()
    suppressed = suppress_cells(made.run, made.read, made.dictionaries)
    transformed = transform_source(made.run, made.read, made.dictionaries, suppressed)
    planned = choose_plan(made.run, transformed)
    calls, honest = [], made.run.engine.map
    made.run.engine.map = lambda jobs: calls.append(jobs) or honest(jobs)
    everybody = release_everybody(made.run, transformed)
    for name in planned.names:
        assert anonymize_table(made.run, planned, everybody, planned.groups, name).partition in planned.groups
    assert calls == []


@pytest.mark.parametrize("workers", [1, 2, 4])
def test_all_tables_are_grouped_again_at_once_where_rows_have_left(begin, workers):
    made = begin(workers=workers)
    run = made.run
    transformed = transform_source(run, made.read, made.dictionaries, suppress_cells(run, made.read, made.dictionaries))
    planned = choose_plan(run, transformed)
    calls, honest = [], run.engine.map
    run.engine.map = lambda jobs: calls.append([job.sensitive for job in jobs]) or honest(jobs)
    kept = np.ones(60, dtype=bool)
    kept[3] = False
    agreed = Agreed(run.spool.put(kept), 1)
    groups = regroup_tables(run, planned, agreed)
    assert calls == [list(run.spool.get(planned.plan).tables)]
    grouped = [anonymize_table(run, planned, agreed, groups, name) for name in planned.names]
    assert [table.partition for table in grouped] == list(groups)
    assert [len(run.spool.get(table.partition).groups) for table in grouped] == [59] * len(planned.names)
