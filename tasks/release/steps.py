"""The steps of a release as Prefect tasks. Each is given the release's id, works on what lies on the workbench, and gives back a count
or an id: Prefect never holds a frame, and stores no result, no parameter and no message with a data value in it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from policies.ledger.events import ExpectationsChecked, GatesJudged, PlanChosen, RunTracked, SourceIngested, TableAnonymized
from tasks.expectations.inbound import expect_inbound
from tasks.expectations.outbound import Declared, expect_outbound, withheld_columns
from tasks.expectations.running import ExpectationOutcome, refuse_failed_inbound, refuse_failed_outbound
from tasks.reading.ingest import ingest as read_source
from tasks.release import assemble, candidate, transform, workbench
from tasks.release import attack_tables as attack
from tasks.release import choose_plan as plan
from tasks.release import gate_tables as gate
from tasks.release import make_tables as anonymize
from tasks.release import run as record
from tasks.release.workbench import Workbench, present
from tasks.reporting.measured_tables import Outcome, Side
from tasks.reporting.mlflow_runs import tag_candidate, track_release
from tasks.runtime.prefect_task import prefect_task
from tasks.signing.keys import ledger_secret, source_hmac

Body = Callable[..., Any]


def step(name: str, retries: int = 0) -> Callable[[Body], Any]:
    """A step on the whole release is given its workbench; one on a single table, the table's name too."""

    def wrap(body: Body) -> Any:
        def run(release_id: str, table: str = "") -> Any:
            bench = workbench.of(release_id)
            with bench.timed(name, table):
                return body(bench, table) if table else body(bench)

        run.__name__ = name
        run.__doc__ = body.__doc__
        return prefect_task(name, retries, lambda: _run_name(name))(run)

    return wrap


def _run_name(name: str) -> str:
    from prefect.runtime import task_run

    table = task_run.parameters.get("table")
    return f"{name} {table}" if table else name


def _told(outcomes: tuple[ExpectationOutcome, ...], side: Side, table: str = "") -> list[Outcome]:
    return [Outcome(side, outcome.type, outcome.column or "", outcome.success, table) for outcome in outcomes]


def _checked(bench: Workbench, outcomes: tuple[ExpectationOutcome, ...], direction: str, columns: tuple[str, ...], table: str = "") -> None:
    failed = {columns.index(outcome.column) for outcome in outcomes if not outcome.success and outcome.column in columns}
    bench.happened(
        ExpectationsChecked,
        direction=direction,
        table=bench.names.index(table) + 1 if table else None,
        expectations=len(outcomes),
        successful=sum(outcome.success for outcome in outcomes),
        failed_columns=tuple(sorted(failed)),
    )


@step("ingest", retries=1)
def ingest(bench: Workbench) -> int:
    """Step 1: the source as dictionary-encoded columns; identifiers end here."""
    bench.ingested = read_source(bench.loaded, bench.source)
    bench.rows = bench.ingested.rows
    bench.source_hmac = source_hmac(ledger_secret(bench.home.keys), bench.ingested.source_digest)
    bench.happened(SourceIngested, rows=bench.rows, columns=len(bench.loaded.policy.source_columns), source_hmac=bench.source_hmac)
    return bench.rows


@step("expect")
def expect(bench: Workbench) -> int:
    """Step 2: the policy's suite and the steward's on what came in."""
    ingested = present(bench.ingested, "encoded source")
    outcomes = expect_inbound(bench.loaded, ingested, record.previous_rows(bench))
    bench.ingested = ingested.without_frame()
    bench.outcomes += _told(outcomes, "in")
    _checked(bench, outcomes, "inbound", bench.loaded.policy.source_columns)
    refuse_failed_inbound(outcomes)
    return len(outcomes)


@step("transform")
def transform_sets(bench: Workbench) -> int:
    """Step 3: sets to bitmaps."""
    return transform.transform(bench)


@step("dictionaries", retries=1)
def read_dictionaries(bench: Workbench) -> int:
    """Before step 3, where the policy has a gate on disclosure: what attackers may hold."""
    read = transform.read_dictionaries(bench)
    secret, queried = ledger_secret(bench.home.keys), present(bench.dictionaries, "dictionaries").queried
    bench.dictionary_hmacs = {name: source_hmac(secret, digest) for name, digest in queried.items()}
    return read


@step("suppress-cells")
def suppress_cells(bench: Workbench) -> int:
    """Before step 3, where the policy asks for it: the cells that MinRisk takes out; gives how many."""
    return transform.suppress_cells(bench)


@step("plan")
def choose_plan(bench: Workbench) -> int:
    """Step 4: the projected tables, each step of the search recorded."""
    steps = plan.choose_plan(bench)
    chosen = present(bench.plan, "plan")
    number = {name: place for place, name in enumerate(chosen.columns)}
    bench.happened(
        PlanChosen,
        method=chosen.method,
        tables=tuple(tuple(number[name] for name in names) for names in chosen.tables),
        association_loss=chosen.association_loss,
        information_exposure=chosen.information_exposure,
        steps=len(chosen.steps),
    )
    return steps


@step("anonymize")
def anonymize_table(bench: Workbench, table: str) -> int:
    """Step 5: groups for one projected table."""
    return anonymize.group_table(bench, table)


@step("write")
def write_table(bench: Workbench, table: str) -> int:
    """Step 5: the published form of one table, generalized, shuffled and written."""
    rows = anonymize.publish_table(bench, table)
    found = bench.partitions[table]
    bench.happened(
        TableAnonymized,
        table=bench.names.index(table) + 1,
        groups=found.count,
        suppressed=bench.suppressed,
        risk=found.risk,
        reached=found.reached,
    )
    return rows


@step("expect-published")
def expect_published(bench: Workbench, table: str) -> int:
    """Step 6: what was written is what was declared, and holds no identifier."""
    ingested = present(bench.ingested, "encoded source")
    declared = Declared(
        table,
        present(bench.table, "encoded source"),
        bench.columns_of(table),
        bench.insensitive_of(table),
        withheld_columns(bench.loaded.policy),
        ingested.identifiers,
        bench.rows - bench.suppressed,
        bench.loaded.policy.anonymize.k,
    )
    outcomes = expect_outbound([bench.examine(file.path) for file in bench.written[table]], declared)
    bench.outcomes += _told(outcomes, "out", table)
    _checked(bench, outcomes, "outbound", tuple(name for name, _column, _part in declared.places()), table)
    refuse_failed_outbound(outcomes, table)
    return len(outcomes)


@step("gate")
def gate_table(bench: Workbench, table: str) -> int:
    """Step 6: every figure, measured on the file that was written."""
    return gate.gate_table(bench, table)


@step("attack")
def attack_tables(bench: Workbench) -> int:
    """Step 6: attacks tried on the finished tables; gives how many."""
    return attack.attack_tables(bench)


@step("judge")
def judge(bench: Workbench) -> int:
    """Step 6: one verdict a gate and table; gives how many did not pass."""
    verdicts = gate.judge_release(bench)
    failed = [verdict for verdict in verdicts if not verdict.passed]
    kinds = tuple(sorted({verdict.gate for verdict in failed}))
    bench.happened(GatesJudged, verdicts=len(verdicts), passed=len(verdicts) - len(failed), failed=kinds)
    return len(failed)


@step("track", retries=1)
def track(bench: Workbench) -> str:
    """Step 7: parameters, figures and plots in MLflow. Tracking that fails stops the release."""
    bench.mlflow_run_id = track_release(assemble.tracked_release(bench, record.refusal_of(bench)), bench.home.root)
    bench.happened(RunTracked, mlflow_run_id=bench.mlflow_run_id)
    return bench.mlflow_run_id


@step("candidate")
def seal_candidate(bench: Workbench) -> str:
    """Step 8: the folder under the digest of its manifest, signed by the runner."""
    sealed = candidate.seal_candidate(bench)
    tag_candidate(bench.mlflow_run_id, sealed.id, bench.home.root)
    record.end_as_sealed(bench, sealed)
    return sealed.id


@step("audit")
def audit(bench: Workbench) -> int:
    """Step 11: what has happened since the last event, appended to the ledger."""
    return record.append_events(bench)
