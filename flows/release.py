"""The release flow: from a policy to a sealed candidate that awaits approval (docs/architecture.md, steps 1 to 8).

Prefect orders the steps and shows them; it decides nothing. Whatever stops a run, its end is in the ledger, its folder is gone and the
dataset's lock is free.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

from prefect import flow
from prefect.artifacts import create_link_artifact, create_table_artifact
from prefect.futures import PrefectFuture, wait
from prefect.runtime import deployment

from flows.policy_files import resolve_policy
from flows.shown_progress import shown_progress
from flows.terminal.served_lines import followed
from headgate.core.errors import HeadgateError, InputRejected
from policies.jobs.former_groups import FormerGroups
from policies.jobs.spool import Reference
from policies.judging.verdicts import require_passed
from tasks.approval.console_address import candidate_page
from tasks.release import release_steps as steps
from tasks.release.closing.assemble import account_of, measured_release
from tasks.release.closing.end_release import append_events, end_as_nothing_new, end_unsealed, has_ended, pending_candidate
from tasks.release.closing.so_far import SoFar
from tasks.release.due_runs import is_due
from tasks.release.listener import listener_here
from tasks.release.release_id import new_release_id
from tasks.release.run import Happened, Run, begun, opened_release
from tasks.release.served_runs import by_schedule, note_process
from tasks.release.steps.anonymize_tables import Agreed, GroupedTable, agree_on_suppression, release_everybody
from tasks.release.steps.choose_plan import NotPlanned, Planned
from tasks.release.steps.count_suppressed_cells import count_suppressed_cells
from tasks.release.steps.expect_tables import Checked, refuse_failed
from tasks.release.steps.keep_series import LeftOut
from tasks.release.steps.promise_published import promise_published
from tasks.release.steps.resolve_shares import resolve_shares
from tasks.release.steps.transform_source import Transformed
from tasks.reporting.public_names import PublicNames
from tasks.runtime.boundary import named
from tasks.runtime.parent_watch import end_with_server

NOTHING_NEW, NOT_DUE = "nothing new", "not due"
WITHOUT_CANDIDATE = {NOTHING_NEW: "nothing new.", NOT_DUE: "not due: every moment of its schedule so far has had its run."}

RELEASE_ID = re.compile("[0-9a-f]{16}")

T = TypeVar("T")
R = TypeVar("R")


def require_own_parameters(release_id: str, scheduled: bool, deployed: bool) -> None:
    """Whoever reaches Prefect's API chooses the parameters of a deployment's run. A run by schedule takes nobody's key and no other
    policy than was registered; another one would read the file of a key, and run in the name of whose key it is."""
    if deployed and not scheduled:
        raise InputRejected("A run of a deployment is a scheduled one.", "Run it with `headgate release`, as yourself.")
    if not RELEASE_ID.fullmatch(release_id):
        raise InputRejected("The id of the release is not one that headgate makes.", "Leave it out.")


_instead: ContextVar[Path | None] = ContextVar("instead", default=None)


@contextmanager
def reading(source: Path | None) -> Iterator[None]:
    """A release that is started inside the block reads this file instead of the policy's source. Prefect stores a flow's parameters, and
    the name of somebody's file is none of its business."""
    before = _instead.set(source)
    try:
        yield
    finally:
        _instead.reset(before)


def _run_name() -> str:
    """By its id where the caller chose one; else by its policy, as scheduled runs are."""
    from prefect.runtime import flow_run

    given = flow_run.parameters
    return f"release {given.get('release_id') or Path(given['policy']).stem}"


@flow(name="release", persist_result=False, flow_run_name=_run_name)
def release(policy: str, key: str | None = None, if_changed: bool = False, release_id: str = "", scheduled: bool = False) -> str:
    """Gives the candidate's id, or "nothing new" where `if_changed` and source and policy have a candidate already. A `scheduled` run is
    made with the home's own key, only of a policy that somebody registered, and gives "not due" where Prefect's schedule started it and
    the ledger has a run for each of its moments."""
    end_with_server()
    note_process()
    if_due = scheduled and by_schedule()
    release_id = release_id or new_release_id()
    require_own_parameters(release_id, scheduled, deployment.id is not None)
    with followed(deployment.name, release_id) as say:
        came_to = _release(policy, _instead.get(), key, if_changed, release_id, scheduled, if_due)
        say(WITHOUT_CANDIDATE.get(came_to) or f"candidate {came_to[:12]} awaits approval.")
    return came_to


@named("release")
def _release(policy: str, source: Path | None, key: str | None, if_changed: bool, release_id: str, scheduled: bool, if_due: bool) -> str:
    with opened_release(resolve_policy(policy), source, _path(key), release_id, scheduled) as run:
        if if_due and not is_due(run):
            return NOT_DUE
        making = Making(run)
        try:
            with shown_progress(run):
                return making.to_candidate(if_changed)
        except HeadgateError as problem:
            making.end(problem)
            raise
        except BaseException as stop:  # Ctrl-C, SIGTERM, or a defect in the flow itself: the ledger must know that the run has ended
            interrupted = HeadgateError("interrupted")
            interrupted.code = 130 if isinstance(stop, KeyboardInterrupt | SystemExit) else 1
            making.end(interrupted)
            raise


class Making:
    """The order of the steps, their results so far, and which of these the ledger does not have yet."""

    def __init__(self, run: Run) -> None:
        self.run, self.done = run, SoFar()
        self._waiting: list[Happened] = [begun(run)]
        self._appended = 0

    def to_candidate(self, if_changed: bool) -> str:
        imports = import_in_background()
        run = self.run
        self._append(append_events)
        read = steps.ingest(run)
        self._add(read.happened, read=read)
        self._append(steps.audit)
        if if_changed and (candidate := pending_candidate(run, read)):
            end_as_nothing_new(run, candidate)
            return NOTHING_NEW
        imports.result()
        self._check(steps.expect(run, read))
        self._append(steps.audit)
        dictionaries = steps.dictionaries(run, read) if run.policy.gates.attackers is not None else None
        self._add(dictionaries=dictionaries)
        suppressed = steps.cells(run, read, dictionaries) if run.policy.suppress_cells is not None else None
        self._add(suppressed=suppressed)
        transformed = steps.transform(run, read, dictionaries, suppressed)
        self._add(transformed=transformed)
        former = steps.former(run, read) if run.policy.anonymize.series is not None and run.versions else None
        planned = self._plan(transformed, former)
        agreed, grouped = self._anonymize(transformed, planned)
        left_out = steps.leave_out(run, read, planned, agreed, grouped) if run.versions else LeftOut(agreed, tuple(grouped))
        agreed, grouped = left_out.agreed, list(left_out.grouped)
        self._add(agreed=agreed)
        suppressed = None if suppressed is None else count_suppressed_cells(run, read, suppressed, agreed)
        transformed = resolve_shares(run, read, transformed, agreed)
        planned = promise_published(run, transformed, planned, agreed)
        self._add(suppressed=suppressed, transformed=transformed, planned=planned)
        for table in grouped:
            written = steps.write(run, transformed, planned, agreed, table)
            self._add(written.happened, written=(*self.done.written, written))
        self._append(steps.audit)
        for written in self.done.written:
            self._check(steps.expect_written(run, read, transformed, planned, written))
        gated = tuple(self._each(lambda written: steps.gate.submit(run, transformed, planned, written), self.done.written))
        self._add(gated=gated)
        compared = steps.compare(run, read, transformed, planned, self.done.written, gated, left_out.needed)
        self._add(compared=compared)
        attacked = steps.attack(run, transformed, planned, agreed, self.done.written, gated, compared)
        self._add(attacked=attacked)
        judged = steps.judge(run, read, dictionaries, transformed, planned, agreed, gated, attacked, compared)
        self._add(judged.happened, judged=judged)
        self._append(steps.audit)
        _show_gates(run, self.done)
        tracked = steps.track(run, self.done)
        self._add(tracked.happened, pictures=tracked.pictures, mlflow_run_id=tracked.mlflow_run_id)
        self._append(steps.audit)
        require_passed(run.spool.get(judged.judgement).verdicts)
        sealed = steps.seal(run, self.done)
        _show_page(run, sealed.candidate)
        listener_here().finished(account_of(run, self.done, sealed.state, sealed.folder, sealed.candidate))
        return sealed.candidate

    def _plan(self, transformed: Transformed, former: Reference[FormerGroups] | None) -> Planned:
        planned = steps.plan(self.run, transformed, former)
        if isinstance(planned, NotPlanned):
            self._add(not_planned=planned)
            raise self.run.spool.get(planned.stopped).why
        self._add(planned.happened, planned=planned)
        self._append(steps.audit)
        return planned

    def _anonymize(self, transformed: Transformed, planned: Planned) -> tuple[Agreed, list[GroupedTable]]:
        """Again where one table suppresses rows that the others still hold."""
        agreed, groups = release_everybody(self.run, transformed), planned.groups
        while True:
            self._add(agreed=agreed)
            grouped = [steps.anonymize(self.run, planned, agreed, groups, table) for table in planned.names]
            agreed = agree_on_suppression(self.run, planned, agreed, grouped)
            if agreed.settled:
                return agreed, grouped
            groups = steps.regroup(self.run, planned, agreed)

    def _each(self, submit: Callable[[T], PrefectFuture[R]], tables: Iterable[T]) -> list[R]:
        """One step for all tables at once, in their order. What breaks the first of them stops the others, and is raised when all have
        ended: none outlives the run, whose spool and lock they use."""
        futures: list[PrefectFuture[R]] = []
        try:
            for table in tables:
                futures.append(submit(table))
            return [future.result() for future in futures]
        except BaseException:
            self.run.stopping.set()
            wait(futures)
            raise

    def _check(self, checked: Checked) -> None:
        """What failed is in the ledger and in the report before it stops the release."""
        self._add(checked.happened, checked=(*self.done.checked, checked))
        refuse_failed(self.run, checked)

    def _add(self, *happened: Happened, **given: Any) -> None:
        self.done = replace(self.done, **given)
        self._waiting += happened

    def _append(self, append: Any) -> None:
        if not self._waiting:
            return
        self._appended = append(self.run, self._appended, tuple(self._waiting))
        self._waiting.clear()

    def end(self, problem: HeadgateError) -> None:
        """Once the ledger has the run's last word, no problem changes it."""
        self.run.stopping.set()
        if has_ended(self.run):
            return
        self._append(append_events)
        state, folder = end_unsealed(self.run, self.done, problem)
        listener_here().finished(account_of(self.run, self.done, state, folder))


def import_in_background() -> Future[None]:
    """Great Expectations and MLflow take seconds to import; the source is read meanwhile. A failure is raised where the import is
    needed. This happens once per process, and again after a failure. A command starts it while the server comes up."""
    if _imports.cache_info().currsize and (before := _imports()).done() and before.exception() is not None:
        _imports.cache_clear()
    return _imports()


@cache
def _imports() -> Future[None]:
    from tasks.expectations.running import import_great_expectations
    from tasks.reporting.mlflow_runs import import_mlflow

    imports: Future[None] = Future()

    def work() -> None:
        try:
            import_great_expectations()
            import_mlflow()
        except BaseException as problem:  # noqa: BLE001 - handed to whoever waits for the imports
            imports.set_exception(problem)
        else:
            imports.set_result(None)

    threading.Thread(target=work, name="imports", daemon=True).start()
    return imports


def _show_gates(run: Run, done: SoFar) -> None:
    """The gate table on the run's page in Prefect: figures only, and names as MLflow has them, where none tells a value."""
    measured = measured_release(run, done)
    names = PublicNames.of_release(measured)
    rows = [
        {
            "gate": verdict.key,
            "table": verdict.table,
            "of": names.below(verdict.attribute, verdict.dictionary).removeprefix("/"),
            "bound": verdict.bound,
            "comparison": verdict.comparison.value,
            "measured": verdict.measured,
            "required": verdict.required,
            "passed": verdict.passed,
        }
        for verdict in measured.verdicts
    ]
    create_table_artifact(key=f"gates-{run.release_id}", table=rows, description=f"Gates of release {run.release_id}")


def _show_page(run: Run, candidate: str) -> None:
    """A link from the run's page in Prefect to the candidate's in the console. The candidate is sealed: without a link it is no worse."""
    page = candidate_page(run.home, candidate)
    if page is not None:
        with suppress(Exception):
            create_link_artifact(page, f"Candidate {candidate[:12]}", key=f"candidate-{run.release_id}", description="It awaits approval.")


def _path(text: str | None) -> Path | None:
    return None if text is None else Path(text).expanduser().absolute()
