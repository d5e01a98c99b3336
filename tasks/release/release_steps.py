"""The steps of a release as Prefect tasks. What one hands to the next holds references and figures: Prefect sees no frame, no array and no
data value, neither in parameters nor in results, and stores none of them. The run itself is closed to it."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, Concatenate, Generic, ParamSpec, TypeVar

from prefect.futures import PrefectFuture
from prefect.utilities.annotations import opaque

from headgate.core.errors import Defect
from tasks.release.closing.end_release import append_events
from tasks.release.closing.seal_candidate import seal_candidate
from tasks.release.closing.track_release import track_release
from tasks.release.run import Run
from tasks.release.steps.anonymize_tables import anonymize_table, regroup_tables
from tasks.release.steps.attack_tables import attack_tables
from tasks.release.steps.choose_plan import choose_plan
from tasks.release.steps.compare_versions import compare_versions
from tasks.release.steps.expect_tables import expect_published, expect_source
from tasks.release.steps.gate_tables import gate_table
from tasks.release.steps.ingest_source import ingest_source
from tasks.release.steps.judge_release import judge_release
from tasks.release.steps.keep_series import former_groups, leave_out_told
from tasks.release.steps.transform_source import read_dictionaries, suppress_cells, transform_source
from tasks.release.steps.write_tables import write_table
from tasks.runtime.prefect_task import prefect_task
from tasks.runtime.unused_memory import give_back

P = ParamSpec("P")
R = TypeVar("R")


class Step(Generic[P, R]):
    """A plain function that Prefect runs as a task of its own, under the step's name and that of the table it is about: `about` is the
    argument that names the table, or has its name as `table`."""

    def __init__(self, name: str, function: Callable[Concatenate[Run, P], R], retries: int = 0, about: str = "") -> None:
        self._signature, self._about = inspect.signature(function), about
        if about and about not in self._signature.parameters:
            raise Defect(f"Step {name} has no argument '{about}'.", "This is a defect of headgate; please report it.")
        work: Callable[..., R] = function

        def step(run: Run, given: tuple[Any, ...], named: dict[str, Any], table: str) -> R:
            with run.clock.timed(name, table):
                result = work(run, *given, **named)
                give_back()
                return result

        step.__name__ = name  # as it is told where a step breaks
        self._task = prefect_task(name, retries, lambda: _run_name(name))(step)

    def __call__(self, run: Run, *given: P.args, **named: P.kwargs) -> R:
        result: R = self._task(opaque(run), given, named, self._table(run, given, named))
        return result

    def submit(self, run: Run, *given: P.args, **named: P.kwargs) -> PrefectFuture[R]:
        """In a thread of Prefect's; `.result()` waits for it."""
        future: PrefectFuture[R] = self._task.submit(opaque(run), given, named, self._table(run, given, named))
        return future

    def _table(self, run: Run, given: tuple[Any, ...], named: dict[str, Any]) -> str:
        if not self._about:
            return ""
        subject = self._signature.bind(run, *given, **named).arguments[self._about]
        return subject if isinstance(subject, str) else str(subject.table)


def _run_name(name: str) -> str:
    from prefect.runtime import task_run

    table = task_run.parameters.get("table")
    return f"{name} {table}" if table else name


ingest = Step("ingest", ingest_source, retries=1)
expect = Step("expect", expect_source)
dictionaries = Step("dictionaries", read_dictionaries, retries=1)
cells = Step("suppress-cells", suppress_cells)
transform = Step("transform", transform_source)
plan = Step("plan", choose_plan)
anonymize = Step("anonymize", anonymize_table, about="table")
former = Step("former-groups", former_groups)
leave_out = Step("leave-out", leave_out_told)
regroup = Step("regroup", regroup_tables)
write = Step("write", write_table, about="grouped")
expect_written = Step("expect-published", expect_published, about="written")
gate = Step("gate", gate_table, about="written")
attack = Step("attack", attack_tables)
compare = Step("compare-versions", compare_versions)
judge = Step("judge", judge_release)
track = Step("track", track_release, retries=1)
seal = Step("candidate", seal_candidate)
audit = Step("audit", append_events)
