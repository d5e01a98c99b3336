"""The release flow: from a policy to a sealed candidate that awaits approval (DESIGN, steps 1 to 8).

Prefect orders the steps and shows them; it decides nothing. Whatever stops a run, its end is in the ledger, its folder is gone and the
dataset's lock is free.
"""

from __future__ import annotations

import secrets
import threading
from concurrent.futures import Future
from functools import cache
from pathlib import Path
from typing import Any

from prefect import flow
from prefect.artifacts import create_table_artifact

from flows.policy_files import resolve_policy
from headgate.core.errors import HeadgateError
from policies.judging.verdicts import require_passed
from tasks.release import run as record
from tasks.release import steps
from tasks.release.make_tables import agree_on_suppression
from tasks.release.workbench import Workbench
from tasks.runtime.boundary import guarded

NOTHING_NEW = "nothing new"


def new_release_id() -> str:
    return secrets.token_hex(8)


def _run_name() -> str:
    """By its id where the caller chose one; else by its policy, as scheduled runs are."""
    from prefect.runtime import flow_run

    given = flow_run.parameters
    return f"release {given.get('release_id') or Path(given['policy']).stem}"


@flow(name="release", persist_result=False, flow_run_name=_run_name)
def release(policy: str, source: str | None = None, key: str | None = None, if_changed: bool = False, release_id: str = "") -> str:
    """Gives the candidate's id, or "nothing new" where `if_changed` and source and policy have a candidate already."""
    return _release(policy, source, key, if_changed, release_id or new_release_id())


@guarded
def _release(policy: str, source: str | None, key: str | None, if_changed: bool, release_id: str) -> str:
    with record.opened_release(resolve_policy(policy), _path(source), _path(key), release_id) as bench:
        try:
            return _to_candidate(bench, if_changed)
        except HeadgateError as problem:
            record.end_unsealed(bench, problem)
            raise
        except BaseException as stop:  # Ctrl-C, SIGTERM, or a defect in the flow itself: the ledger must know that the run has ended
            bench.stopping.set()  # tables that other threads are still grouping
            interrupted = HeadgateError("interrupted")
            interrupted.code = 130 if isinstance(stop, KeyboardInterrupt | SystemExit) else 1
            record.end_unsealed(bench, interrupted)
            raise


def _to_candidate(bench: Workbench, if_changed: bool) -> str:
    imports = import_in_background()
    release_id = bench.release_id
    steps.ingest(release_id)
    steps.audit(release_id)
    if if_changed and (candidate := record.pending_candidate(bench)):
        record.end_as_nothing_new(bench, candidate)
        return NOTHING_NEW
    if bench.loaded.policy.gates.disclosure is not None:
        steps.read_dictionaries(release_id)
    if bench.loaded.policy.suppress_cells is not None:
        steps.suppress_cells(release_id)
    steps.transform_sets(release_id)
    imports.result()
    steps.expect(release_id)
    steps.audit(release_id)
    steps.choose_plan(release_id)
    steps.audit(release_id)
    _anonymize(bench)
    for name in bench.names:
        steps.write_table(release_id, name)
    steps.audit(release_id)
    for name in bench.names:
        steps.expect_published(release_id, name)
    _each(steps.gate_table, bench)
    steps.attack_tables(release_id)
    steps.judge(release_id)
    steps.audit(release_id)
    _show_gates(bench)
    steps.track(release_id)
    steps.audit(release_id)
    require_passed(bench.verdicts)
    return str(steps.seal_candidate(release_id))


def _anonymize(bench: Workbench) -> None:
    """In parallel; again where one table suppresses rows that the others still hold."""
    while True:
        _each(steps.anonymize_table, bench)
        if agree_on_suppression(bench):
            return


def _each(step: Any, bench: Workbench) -> None:
    futures = [step.submit(bench.release_id, name) for name in bench.names]
    for future in futures:
        future.result()


@cache
def import_in_background() -> Future[None]:
    """Great Expectations and MLflow take seconds to import; the source is read meanwhile. What goes wrong is told where it is needed.
    Once a process: a command starts it while the server comes up."""
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


def _show_gates(bench: Workbench) -> None:
    """The gate table on the run's page in Prefect: figures only."""
    rows = [
        {
            "gate": verdict.key,
            "table": verdict.table,
            "measured": verdict.measured,
            "required": verdict.required,
            "passed": verdict.passed,
        }
        for verdict in bench.verdicts
    ]
    create_table_artifact(key=f"gates-{bench.release_id}", table=rows, description=f"Gates of release {bench.release_id}")


def _path(text: str | None) -> Path | None:
    return None if text is None else Path(text).expanduser().absolute()
