"""Steps 2 and 6: what came in is what the policy and the steward expect; what was written is what was declared, and holds no identifier."""

from __future__ import annotations

from dataclasses import dataclass

from policies.jobs.spool import Reference
from policies.ledger.events import ExpectationsChecked, SourceIngested
from tasks.expectations.inbound import expect_inbound
from tasks.expectations.outbound import DeclaredTable, expect_outbound, withheld_columns
from tasks.expectations.running import ExpectationOutcome, refuse_failed_inbound, refuse_failed_outbound
from tasks.ledger.history import VISIBLE, read_history
from tasks.release.run import Happened, Run
from tasks.release.steps.choose_plan import Planned, insensitive_of, sensitive_of
from tasks.release.steps.ingest_source import SourceRead
from tasks.release.steps.transform_source import Transformed
from tasks.release.steps.write_tables import Written
from tasks.release.work import Work, where_data_lies


@dataclass(frozen=True)
class Checked:
    """`table` is empty where the source was checked."""

    table: str
    expectations: int
    successful: int
    outcomes: Reference[tuple[ExpectationOutcome, ...]]
    happened: Happened


def expect_source(run: Run, read: SourceRead) -> Checked:
    checked = expect_cells(run, read, previous_rows(run))
    run.spool.drop(read.cells)
    return checked


@where_data_lies
def expect_cells(run: Work, read: SourceRead, previous: int | None) -> Checked:
    """`previous`: rows of the newest published release of the dataset."""
    return _checked(run, expect_inbound(run.loaded, run.spool.get(read.cells), previous), run.policy.source_columns)


def previous_rows(run: Run) -> int | None:
    """Rows of the newest published release of the same dataset."""
    history = read_history(run.ledger)
    newest = next((release for release in history.of_dataset(run.policy.dataset) if release.state in VISIBLE), None)
    if newest is None:
        return None
    return next((event.rows for event in history.events(newest.release_id) if isinstance(event, SourceIngested)), None)


@where_data_lies
def expect_published(run: Work, read: SourceRead, transformed: Transformed, planned: Planned, written: Written) -> Checked:
    declared = DeclaredTable(
        written.table,
        run.spool.get(transformed.columns),
        sensitive_of(run, planned, written.table),
        insensitive_of(run, planned, written.table),
        withheld_columns(run.policy),
        run.spool.get(read.ingested).identifiers,
        written.released,
        run.policy.anonymize.k,
        run.spool.get(planned.promise),
    )
    outcomes = expect_outbound(run.spool.get(written.read), declared)
    number = planned.names.index(written.table) + 1
    return _checked(run, outcomes, tuple(name for name, _column, _part in declared.places()), written.table, number)


def refuse_failed(run: Run, checked: Checked) -> None:
    outcomes = run.spool.get(checked.outcomes)
    if checked.table:
        refuse_failed_outbound(outcomes, checked.table)
    else:
        refuse_failed_inbound(outcomes)


def _checked(
    run: Work, outcomes: tuple[ExpectationOutcome, ...], columns: tuple[str, ...], table: str = "", number: int | None = None
) -> Checked:
    failed = {columns.index(outcome.column) for outcome in outcomes if not outcome.success and outcome.column in columns}
    successful = sum(outcome.success for outcome in outcomes)
    payload = {
        "direction": "outbound" if table else "inbound",
        "table": number,
        "expectations": len(outcomes),
        "successful": successful,
        "failed_columns": tuple(sorted(failed)),
    }
    return Checked(table, len(outcomes), successful, run.spool.put(outcomes), Happened(ExpectationsChecked, payload))
