"""Steps 2 and 6: outcomes by type and column, and the ledger hears numbers of columns only."""

from __future__ import annotations

from dataclasses import replace

import pytest

from headgate.core.errors import Defect, InputRejected, RequirementNotMet
from policies.ledger.events import ExpectationsChecked
from tasks.expectations.running import ExpectationOutcome
from tasks.release.steps.expect_tables import Checked, expect_published, expect_source, previous_rows, refuse_failed
from tasks.release.steps.ingest_source import ingest_source
from tests.unit.tasks.release.finished import Made


def test_every_written_table_is_as_it_was_declared(finished: Made) -> None:
    for number, checked in enumerate(finished.checked, 1):
        assert checked.table == f"table-{number}"
        assert checked.successful == checked.expectations == len(finished.run.spool.get(checked.outcomes)) > 10
        assert checked.happened.kind is ExpectationsChecked
        payload = {"direction": "outbound", "table": number, "expectations": checked.expectations, "successful": checked.successful}
        assert checked.happened.payload == payload | {"failed_columns": ()}
        refuse_failed(finished.run, checked)


def test_a_row_or_a_cell_too_many_is_found_and_told_by_the_columns_number(finished: Made, canary) -> None:
    run, written = finished.run, finished.written[1]
    fewer = expect_published(run, finished.read, finished.transformed, finished.planned, replace(written, released=59))
    assert "expect_table_row_count_to_equal" in {outcome.type for outcome in run.spool.get(fewer.outcomes) if not outcome.success}
    read = run.spool.get(written.read)
    frame = read.frame.assign(education=[f"{canary}-0003", *read.frame["education"][1:]])
    texts = read.texts.set_column(read.texts.column_names.index("education"), "education", [frame["education"].tolist()])
    forged = replace(written, read=run.spool.put(replace(read, frame=frame, texts=texts)))
    checked = expect_published(run, finished.read, finished.transformed, finished.planned, forged)
    (failed,) = checked.happened.payload["failed_columns"]
    outcomes = [outcome for outcome in run.spool.get(checked.outcomes) if not outcome.success]
    assert {outcome.column for outcome in outcomes} == {"education"}
    assert isinstance(failed, int)
    assert "education" not in repr(checked.happened)
    with pytest.raises(RequirementNotMet, match="table-2") as caught:
        refuse_failed(run, checked)
    assert canary not in str(caught.value)


def test_the_source_is_expected_once_and_its_cells_are_let_go(run_of, loaded) -> None:
    run = run_of(loaded)
    read = ingest_source(run)
    checked = expect_source(run, read)
    assert (checked.table, checked.happened.payload["direction"], checked.happened.payload["table"]) == ("", "inbound", None)
    assert checked.successful == checked.expectations > 5
    with pytest.raises(Defect):
        run.spool.get(read.cells)
    run.spool.get(read.ingested)


def test_failures_of_the_source_and_of_a_table_end_the_run_in_their_own_way(finished: Made) -> None:
    run = finished.run
    failed = run.spool.put((ExpectationOutcome("expect_column_to_exist", "age", False),))
    with pytest.raises(InputRejected) as inbound:
        refuse_failed(run, replace(finished.checked[0], table="", outcomes=failed))
    with pytest.raises(RequirementNotMet) as outbound:
        refuse_failed(run, replace(finished.checked[0], outcomes=failed))
    assert (inbound.value.code, outbound.value.code) == (2, 3)
    assert isinstance(finished.checked[0], Checked)


def test_rows_are_compared_with_the_newest_published_release_of_the_same_dataset(finished: Made, world) -> None:
    """The world's releases have sixty rows of the dataset `people`."""
    of_people = replace(finished.run.loaded, policy=finished.run.policy.model_copy(update={"dataset": "people"}))
    here = replace(finished.run, ledger=world.ledger, loaded=of_people)
    assert previous_rows(here) is None
    world.seal()
    assert previous_rows(here) is None
    world.published()
    assert previous_rows(here) == 60
    assert previous_rows(replace(here, loaded=finished.run.loaded)) is None
