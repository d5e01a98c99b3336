"""What the search for a plan may take for granted; and that it comes out the same however many tables are tried at once."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest

from headgate.core.columns import Table
from headgate.core.encode import encode_table
from headgate.core.errors import InputRejected
from headgate.projection.codip import codip_star
from headgate.projection.optimal import separate
from policies.gates.verdict import Requirement
from policies.jobs import engine as engine_module
from policies.jobs.engine import LocalEngine
from policies.jobs.plan_search import TableCheck, search_plan
from policies.jobs.spool import MemorySpool
from policies.jobs.table_job import TableJob, Workplace
from policies.judging.method_limits import monotone
from policies.schema.policy import Policy
from policies.sealed.specs import promise_of
from tests.unit.claimed import proximity

NAMES = ("a", "b", "c", "d", "e")


def test_only_promises_on_single_attributes_are_monotone(policy: Policy, table: Table) -> None:
    """DEFINITIONS §6: composite (ε, δ) is not, so a plan that fails may not end the search."""
    promise = promise_of(policy, table)
    assert promise.required("dissimilarity") is not None
    single = promise.without("dissimilarity").without("disclosure")
    assert monotone(single)
    assert monotone(single.requiring(proximity("0.1", "0.5", "income")))
    assert not monotone(promise.without("disclosure"))
    assert not monotone(promise.without("dissimilarity"))
    for bound in ("max", "mean"):  # no search looks at it, and a table with more attributes may get larger groups
        assert not monotone(single.requiring(Requirement(gate="reidentification", bound=bound, required="0.1")))


class Engine:
    """Answers from a list of refused tables, and notes which tables were tried at once."""

    def __init__(self, workers: int, refused: Sequence[set[str]] = (), broken: Sequence[set[str]] = ()) -> None:
        self.workers, self.refused, self.broken = workers, list(refused), list(broken)
        self.waves: list[list[tuple[str, ...]]] = []

    def attempt(self, jobs: Any) -> list[Any]:
        self.waves.append([job.sensitive for job in jobs])
        return [self._outcome(set(job.sensitive)) for job in jobs]

    def _outcome(self, sensitive: set[str]) -> Any:
        if sensitive in self.broken:
            return InputRejected("This table cannot be tried.", "Do not ask.")
        return SimpleNamespace(passed=sensitive not in self.refused, reason="refused" if sensitive in self.refused else "")


class Job:
    def __init__(self, sensitive: tuple[str, ...] = ()) -> None:
        self.sensitive = sensitive

    def about(self, sensitive: tuple[str, ...]) -> Job:
        return Job(sensitive)


def columns(rows: int = 40) -> list[Any]:
    """a and b say the same, c nearly so; d and e are pairs, too."""
    frame = pd.DataFrame({"q": np.arange(rows)})
    frame["a"] = frame["b"] = [str(row % 4) for row in range(rows)]
    frame["c"] = [str(row % 4 if row % 5 else 9) for row in range(rows)]
    frame["d"] = frame["e"] = [str(row // 8) for row in range(rows)]
    from headgate.core.columns import Kind, Role
    from headgate.core.encode import ColumnSpec

    specs = {name: ColumnSpec(name, Kind.CATEGORY, Role.SENSITIVE if name in NAMES else Role.QUASI) for name in frame}
    return list(encode_table(frame, specs).select(NAMES))


def search(engine: Engine, monotone: bool = False) -> tuple[Any, TableCheck]:
    check = TableCheck(Job(), engine)  # type: ignore[arg-type]
    return codip_star(columns(), 1.0, 1.0, check, monotone), check


REFUSALS = ([], [{"a", "b"}], [{"d", "e"}], [{"a", "b", "c"}], [{"a", "b"}, {"d", "e"}], [set(NAMES)])


@pytest.mark.parametrize("refused", REFUSALS)
@pytest.mark.parametrize("monotone", [True, False])
def test_the_plan_and_what_counts_as_tried_are_the_same_with_any_number_of_workers(refused: list[set[str]], monotone: bool) -> None:
    alone = search(Engine(1, refused), monotone)
    for workers in (2, 3, 4, 16):
        plan, check = search(Engine(workers, refused), monotone)
        assert plan == alone[0]
        assert list(check.tried) == list(alone[1].tried)


def test_one_worker_tries_nothing_that_is_not_asked_about() -> None:
    for refused in REFUSALS:
        engine = Engine(1, refused)
        _, check = search(engine)
        assert all(len(wave) == 1 for wave in engine.waves)
        assert [frozenset(table) for wave in engine.waves for table in wave] == list(check.tried)


def test_single_attributes_are_tried_together_and_then_what_the_merges_make() -> None:
    engine = Engine(4)
    plan, _ = search(engine)
    assert engine.waves[0] == [("a",), ("b",), ("c",), ("d",)]
    assert engine.waves[1][0] == ("e",)
    assert len(engine.waves) == 3  # five attributes alone, four merges
    assert len(plan.tables) == 1


def test_no_table_is_tried_twice() -> None:
    for workers in (1, 2, 5):
        engine = Engine(workers, [{"a", "b"}])
        search(engine)
        tables = [frozenset(table) for wave in engine.waves for table in wave]
        assert len(tables) == len(set(tables))


def test_a_table_that_nobody_asks_about_cannot_break_the_search() -> None:
    """With one worker the search ends at the first plan that fails, and never asks about what follows."""
    engine = Engine(4, [{"a"}], broken=[{"b"}])
    check = TableCheck(Job(), engine)  # type: ignore[arg-type]
    with pytest.raises(Exception, match="No plan passes"):
        separate(columns(), check=check)
    assert list(check.tried) == [frozenset({"a"})]
    with pytest.raises(InputRejected):
        separate(columns(), check=TableCheck(Job(), Engine(4, broken=[{"b"}])))  # type: ignore[arg-type]


@pytest.mark.parametrize("problem", [InputRejected("No.", "Yes."), MemoryError(), ZeroDivisionError()])
def test_whatever_breaks_a_table_that_nobody_asks_about_stops_nothing(problem: Exception, monkeypatch: pytest.MonkeyPatch) -> None:
    """A release ended by an exception of a table that one worker would not have tried: only refusals were forgiven."""

    def try_table(job: Job, _place: Workplace) -> Any:
        if job.sensitive == ("b",):
            raise problem
        return SimpleNamespace(passed=True, reason="")

    monkeypatch.setattr(engine_module, "try_table", try_table)
    place = Workplace(MemorySpool())
    check = TableCheck(Job(), LocalEngine(place, 3))  # type: ignore[arg-type]
    check.expect(iter([("a",), ("b",), ("c",)]))
    assert check(("a",)).passed
    assert check(("c",)).passed
    assert not place.stopping.is_set()
    with pytest.raises(type(problem)):
        check(("b",))


@pytest.mark.parametrize("workers", [1, 2, 4])
def test_real_jobs_make_the_same_groups_on_any_number_of_threads(policy: Policy, table: Table, workers: int) -> None:
    spool, promise = MemorySpool(), promise_of(policy, table).without("disclosure")
    job = TableJob((), spool.put(table), promise, policy.anonymize, seed=b"seed")
    checks = [TableCheck(job, LocalEngine(Workplace(spool), number)) for number in (1, workers)]
    plans = [search_plan(policy, table, check, promise) for check in checks]
    assert plans[0] == plans[1]
    for names, outcome in checks[0].tried.items():
        assert checks[1].tried[names].partition.groups.tolist() == outcome.partition.groups.tolist()
