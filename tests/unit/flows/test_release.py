"""The release flow: the order of its steps, what the ledger is told of them, and that every end of a run is told. The steps are called
here as plain functions; those for which Great Expectations and MLflow would be imported have stand-ins."""

from __future__ import annotations

import concurrent.futures
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from flows import release as flow
from flows.release import NOTHING_NEW, Making
from headgate.core.errors import HeadgateError, InputRejected, RequirementNotMet
from policies.ledger.events import ExpectationsChecked, RunTracked
from policies.ledger.standing import Release
from policies.ledger.states import State
from tasks.expectations import running
from tasks.expectations.running import ExpectationOutcome
from tasks.release import release_steps
from tasks.release.closing.assemble import known_versions, series_of
from tasks.release.closing.seal_candidate import Sealed
from tasks.release.closing.track_release import Tracked
from tasks.release.listener import Listener, listening
from tasks.release.release_steps import Step
from tasks.release.run import Happened, Run
from tasks.release.steps.expect_tables import Checked
from tasks.release.steps.judge_release import Judged, judge_release
from tasks.reporting import mlflow_runs
from tasks.reporting.release_charts import Pictures
from tasks.series.side_store import keep
from tests.unit.tasks.release.conftest import run_of

__all__ = ["run_of"]

CANDIDATE = "ab" * 32
TRACKED = Happened(RunTracked, {"mlflow_run_id": "run-of-mlflow"})


class PlainSteps:
    """The steps of a release without Prefect, in a list of those that were called."""

    def __init__(self) -> None:
        self.called: list[str] = []
        self.pool = concurrent.futures.ThreadPoolExecutor(2)
        for name, step in vars(release_steps).items():
            if isinstance(step, Step):
                self.put(name, lambda run, *given, step=step: step._task.fn(run, given, {}, step._table(run, given, {})))
        self.put("expect", lambda run, _read: checked(run, ""))
        self.put("expect_written", lambda run, _read, _transformed, _planned, written: checked(run, written.table))
        self.put("seal", lambda run, _done: Sealed(CANDIDATE, run.home.candidates / CANDIDATE, State.AWAITING_APPROVAL))
        self.put("track", lambda run, _done: Tracked("run-of-mlflow", run.spool.put(Pictures({}, {})), TRACKED))

    def put(self, name: str, work: Callable[..., Any]) -> None:
        def step(*given: Any) -> Any:
            self.called.append(name)
            return work(*given)

        step.submit = lambda *given: self.pool.submit(step, *given)  # type: ignore[attr-defined]
        setattr(self, name, step)

    def break_at(self, name: str, problem: BaseException) -> None:
        def broken(*_given: Any) -> Any:
            raise problem

        self.put(name, broken)


def checked(run: Run, table: str) -> Checked:
    direction = "outbound" if table else "inbound"
    happened = Happened(ExpectationsChecked, {"direction": direction, "expectations": 3, "successful": 3})
    return Checked(table, 3, 3, run.spool.put(()), happened)


@pytest.fixture
def steps(monkeypatch: pytest.MonkeyPatch) -> Iterator[PlainSteps]:
    plain, imported = PlainSteps(), concurrent.futures.Future[None]()
    imported.set_result(None)
    monkeypatch.setattr(flow, "steps", plain)
    monkeypatch.setattr(flow, "wait", concurrent.futures.wait)
    monkeypatch.setattr(flow, "import_in_background", lambda: imported)
    yield plain
    plain.pool.shutdown()


@pytest.fixture
def shown(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """What Prefect's page of the run would show."""
    artifacts: list[dict[str, Any]] = []
    monkeypatch.setattr(flow, "create_table_artifact", lambda **given: artifacts.append(given))
    return artifacts


@pytest.fixture
def making(clinic: Any, run_of: Any, steps: PlainSteps, shown: Any, keys: Any) -> Callable[..., Making]:
    def make(gates: dict[str, Any] | None = None, versions: tuple[Release, ...] = (), **policy: Any) -> Making:
        """One table of incomes and educations, and who may approve. `versions` came out before."""
        for name in ("diagnosis", "zip", "admitted", "region"):
            clinic.policy["attributes"][name] = {"role": "dropped"}
        clinic.policy["anonymize"] = {"k": 6}
        clinic.policy["projection"] = {"method": "single"}
        clinic.policy["gates"] = {"linkability": 1, **(gates or {})}
        clinic.policy.update(policy)
        run = run_of(clinic.load(), name=f"run {len(versions)}" if versions else "run", versions=versions)
        run.home.signers.write_text(f"ann {keys['ann'].public}\n", encoding="utf-8")
        return Making(run)

    return make


def events_of(making: Making) -> list[str]:
    return [event.event for event in making.run.ledger.events_of(making.run.release_id)]


def test_the_steps_come_in_their_order_and_the_ledger_hears_of_each(making: Any, steps: PlainSteps, shown: list[dict[str, Any]]) -> None:
    made, listener = making({"distinct_l": {"education": 2}}), Listener()
    with listening(listener):
        candidate = made.to_candidate(False)
    order = [name for name in steps.called if name != "audit"]
    assert order == [
        *(
            "ingest",
            "expect",
            "transform",
            "plan",
            "anonymize",
            "write",
            "expect_written",
            "gate",
            "compare",
            "attack",
            "judge",
            "track",
            "seal",
        ),
    ]
    assert events_of(made) == [
        *("run_started", "ingested", "expected", "planned", "anonymized", "expected", "gated", "tracked"),
    ]
    assert candidate == CANDIDATE
    assert listener.account is not None
    assert (listener.account.candidate, listener.account.state, listener.account.rows) == (candidate, State.AWAITING_APPROVAL, 60)
    assert listener.account.mlflow_run_id == "run-of-mlflow"
    (page,) = shown
    assert page["key"] == "gates-run"
    assert [(row["gate"], row["comparison"], row["passed"]) for row in page["table"]] == [
        ("k", "at least", True),
        ("linkability", "at most", True),
        ("distinct_l", "at least", True),
    ]
    assert all(isinstance(row["measured"], float) for row in page["table"])


def test_a_second_version_keeps_groups_and_leaves_people_out_before_it_is_measured(making: Any, steps: PlainSteps) -> None:
    """It is said in the seal with which versions it was measured."""
    first = making()
    first.to_candidate(False)
    kept = first.done.compared
    assert kept is not None
    assert kept.kept is not None
    keep(first.run.home, "clinic", CANDIDATE, first.run.spool.get(kept.kept))
    runner = first.run.runner
    before = Release("run", "clinic", "", runner, candidate=CANDIDATE, version=1, seen=frozenset({"publishing", "published"}))
    steps.called.clear()
    made = making(versions=(before,), anonymize={"k": 6, "series": "sticky", "infeasible": {"suppress": 0.1}})
    made.to_candidate(False)
    order = [name for name in steps.called if name != "audit"]
    assert order[:6] == ["ingest", "expect", "transform", "former", "plan", "anonymize"]
    assert order[6:9] == ["leave_out", "write", "expect_written"]
    assert known_versions(made.run) == (CANDIDATE,)
    series = series_of(made.run, made.done)
    assert series is not None
    assert (series.earlier, series.several, series.sticky) == ((CANDIDATE,), 50, True)  # told coarsely


def test_only_what_the_policy_asks_for_is_done_before_the_plan(making: Any, steps: PlainSteps) -> None:
    made = making({"disclosure": {"max": 1e9}}, suppress_cells={"keep": 3, "among": ["age", "sex", "income", "education"]})
    steps.break_at("plan", InputRejected("No plan.", "Another policy."))
    with pytest.raises(InputRejected):
        made.to_candidate(False)
    assert [name for name in steps.called if name != "audit"] == ["ingest", "expect", "dictionaries", "cells", "transform", "plan"]
    assert made.done.dictionaries is not None
    assert made.done.suppressed is not None


def test_a_gate_that_refuses_stops_the_run_after_tracking_and_before_sealing(making: Any, steps: PlainSteps) -> None:
    made = making()

    def refuse_all(run: Run, *given: Any) -> Judged:
        judged = judge_release(run, *given)
        judgement = run.spool.get(judged.judgement)
        refused = tuple(verdict.model_copy(update={"passed": False, "remedy": "Raise k."}) for verdict in judgement.verdicts)
        return replace(judged, judgement=run.spool.put(replace(judgement, verdicts=refused)))

    steps.put("judge", refuse_all)
    with pytest.raises(RequirementNotMet):
        made.to_candidate(False)
    assert steps.called[-2:] == ["track", "audit"]


def test_without_a_plan_that_passes_nothing_is_grouped_and_the_report_says_why(making: Any, steps: PlainSteps) -> None:
    made, listener = making({"closeness": {"income": "0.000001"}}), Listener()
    with pytest.raises(RequirementNotMet) as stopped:
        made.to_candidate(False)
    assert steps.called[-1] == "plan"
    assert made.done.not_planned is not None
    with listening(listener):
        made.end(stopped.value)
    assert events_of(made)[-1] == "refused"
    assert listener.account is not None
    assert (listener.account.state, listener.account.candidate) == (State.REFUSED, "")
    assert listener.account.folder == made.run.home.refused / "run"
    assert (made.run.home.refused / "run" / "report.html").exists()


@pytest.mark.parametrize("code", [2, 6, 130])
def test_whatever_ends_a_run_is_its_last_event_and_stops_what_it_still_groups(making: Any, steps: PlainSteps, code: int) -> None:
    problem = HeadgateError("It ended.", "Run it again.")
    problem.code = code
    made = making()
    steps.break_at("expect", problem)
    with pytest.raises(HeadgateError):
        made.to_candidate(False)
    made.end(problem)
    last = made.run.ledger.events_of("run")[-1]
    assert (last.event, last.code, last.error) == ("failed", code, "HeadgateError")
    assert made.run.stopping.is_set()
    before = events_of(made)
    made.end(problem)
    assert events_of(made) == before


def test_a_failed_expectation_stops_the_run_once_the_ledger_has_it(making: Any, steps: PlainSteps) -> None:
    made = making()
    failed = ExpectationOutcome("expect_column_values_to_not_be_null", "age", False)
    steps.put("expect", lambda run, _read: replace(checked(run, ""), successful=2, outcomes=run.spool.put((failed,))))
    with pytest.raises(HeadgateError):
        made.to_candidate(False)
    assert steps.called[-1] == "expect"
    assert [entry.successful for entry in made.done.checked] == [2]


def test_if_nothing_has_changed_nothing_is_released(making: Any, steps: PlainSteps, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(flow, "pending_candidate", lambda _run, _read: "ab" * 32)
    made = making()
    assert made.to_candidate(True) == NOTHING_NEW
    assert steps.called == ["ingest", "audit"]
    assert events_of(made) == ["run_started", "ingested", "nothing_new"]


def test_tables_are_grouped_again_until_they_agree_whom_to_suppress(
    making: Any, monkeypatch: pytest.MonkeyPatch, steps: PlainSteps
) -> None:
    made, rounds = making(), []
    agreements = [SimpleNamespace(settled=False, suppressed=3), SimpleNamespace(settled=True, suppressed=3)]
    monkeypatch.setattr(flow, "release_everybody", lambda _run, _transformed: SimpleNamespace(settled=False, suppressed=0))
    monkeypatch.setattr(flow, "agree_on_suppression", lambda _run, _planned, _agreed, _grouped: agreements.pop(0))
    steps.put("anonymize", lambda _run, _planned, agreed, groups, table: rounds.append((table, agreed.suppressed, groups)) or table)
    steps.put("regroup", lambda _run, _planned, agreed: f"groups without {agreed.suppressed}")
    agreed, grouped = made._anonymize(None, SimpleNamespace(names=("table-1", "table-2"), groups="groups of the search"))
    without = "groups without 3"
    assert rounds[:2] == [("table-1", 0, "groups of the search"), ("table-2", 0, "groups of the search")]
    assert rounds[2:] == [("table-1", 3, without), ("table-2", 3, without)]
    assert grouped == ["table-1", "table-2"]
    assert agreed.settled


def test_what_breaks_one_table_stops_the_others_and_waits_for_them(making: Any, steps: PlainSteps) -> None:
    made, began, ended = making(), threading.Event(), []

    def gate(table: str) -> str:
        if table == "table-1":
            assert began.wait(60)
            raise InputRejected("No.", "Yes.")
        began.set()
        assert made.run.stopping.wait(60)
        ended.append(table)
        return table

    steps.put("gate", gate)
    with pytest.raises(InputRejected):
        made._each(steps.gate.submit, ["table-1", "table-2"])  # type: ignore[attr-defined]
    assert ended == ["table-2"]


def test_files_are_named_to_a_release_by_absolute_paths(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    assert flow._path("key") == tmp_path / "key"
    assert flow._path(None) is None


def test_whoever_reaches_prefects_api_chooses_neither_key_nor_folder_of_a_run() -> None:
    """Parameters of a run are theirs to choose. The file of a key that the service could read ran releases in its owner's name, and an id
    was a path, which a later run removed."""
    own = flow.new_release_id()
    flow.require_own_parameters(own, scheduled=True, deployed=True)
    flow.require_own_parameters(own, scheduled=False, deployed=False)
    with pytest.raises(InputRejected, match="is a scheduled one"):
        flow.require_own_parameters(own, scheduled=False, deployed=True)
    for release_id in ("../candidates", "/srv/releases", own.upper() + "A", own + "\n", ""):
        with pytest.raises(InputRejected, match="not one that headgate makes"):
            flow.require_own_parameters(release_id, scheduled=True, deployed=True)


@pytest.fixture
def imported(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    done: list[str] = []

    def fails_once() -> None:
        done.append("tried")
        if len(done) == 1:
            raise ImportError("not this time")

    monkeypatch.setattr(running, "import_great_expectations", fails_once)
    monkeypatch.setattr(mlflow_runs, "import_mlflow", lambda: None)
    flow._imports.cache_clear()
    yield done
    flow._imports.cache_clear()


def test_an_import_that_failed_is_tried_again_by_the_next_release(imported: list[str]) -> None:
    """The failure was kept for as long as the process lived."""
    with pytest.raises(ImportError):
        flow.import_in_background().result(5)
    flow.import_in_background().result(5)
    assert flow.import_in_background() is flow.import_in_background()
    assert len(imported) == 2
