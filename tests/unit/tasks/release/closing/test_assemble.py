"""The records that leave a release: as much as was measured, with neither the seed nor the identifiers."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from typing import Any

from headgate.core.columns import Role
from policies.ledger.states import State
from policies.schema.attribute import Attribute
from tasks.approval.approvals import operator_roots
from tasks.release.closing.assemble import (
    account_of,
    manifest_of,
    measured_release,
    report_content,
    seed_commitment,
    tracked_release,
)
from tasks.release.closing.shown_rows import SAMPLE_ROWS
from tasks.release.closing.so_far import SoFar
from tests.unit.tasks.release.finished import Made


def test_a_seed_is_committed_to_without_being_told() -> None:
    assert seed_commitment(b"seed") == hashlib.sha256(b"headgate seed 1\nseed").hexdigest()
    assert seed_commitment(b"seed") != seed_commitment(b"Seed")


def test_all_that_was_measured_is_in_the_record(finished: Made) -> None:
    get = finished.run.spool.get
    release = measured_release(finished.run, finished.so_far())
    judgement = get(finished.judged.judgement)
    assert (release.rows, release.suppressed, release.release_id, release.title) == (60, 0, "run", "A clinic")
    assert (release.verdicts, release.utility) == (judgement.verdicts, judgement.utility)
    assert [table.name for table in release.tables] == ["table-1", "table-2"]
    assert release.plan == get(finished.planned.plan)
    assert release.promise == get(finished.planned.promise)
    assert (release.attacks, release.attack_gains) == (get(finished.attacked.attacked).sentences, get(finished.attacked.attacked).gains)
    assert len(release.outcomes) == sum(checked.expectations for checked in finished.checked)
    assert {(outcome.side, outcome.table) for outcome in release.outcomes} == {("out", "table-1"), ("out", "table-2")}
    assert (release.limits.loss, release.limits.query_error, release.limits.association_loss) == (1.0, None, 0.3)
    assert release.passed


def test_a_run_that_ended_early_has_a_record_of_what_there_was(finished: Made) -> None:
    nothing = measured_release(finished.run, SoFar(), "The source is empty.")
    assert (nothing.rows, nothing.promise, nothing.plan, nothing.tables, nothing.verdicts) == (0, None, None, (), ())
    assert not nothing.passed
    read = measured_release(finished.run, SoFar(read=finished.read, transformed=finished.transformed))
    assert (read.rows, read.promise, read.plan) == (60, finished.encoded.promise, None)


def test_a_refused_release_shows_figures_and_no_rows(finished: Made) -> None:
    sealed, refused = (report_content(finished.run, finished.so_far(), refusal) for refusal in ("", "k is 6; at least 50 is required."))
    assert [sample.table for sample in sealed.samples] == ["table-1", "table-2"]
    assert refused.samples == ()
    assert refused.patterns == {}
    assert refused.measured.refusal == "k is 6; at least 50 is required."


def test_every_column_that_no_table_holds_is_named_that_of_households_too(finished: Made) -> None:
    """Approvers read nothing of the column that says who lives together: it was neither among the published nor among the others."""
    policy = finished.run.policy
    attributes = {**policy.attributes, "hh_id": Attribute(role=Role.HOUSEHOLD), "notes": Attribute(role=Role.DROPPED)}
    loaded = replace(finished.run.loaded, policy=policy.model_copy(update={"attributes": attributes}))
    content = report_content(replace(finished.run, loaded=loaded), finished.so_far())
    assert set(content.left_out) == {name for name, attribute in attributes.items() if not attribute.published}
    assert {"hh_id", "notes"} <= set(content.left_out)


def test_a_sample_is_the_first_rows_of_the_file(finished: Made) -> None:
    for sample, written in zip(report_content(finished.run, finished.so_far()).samples, finished.written, strict=True):
        lines = (finished.run.stage / written.files[0].path).read_text().splitlines()
        assert list(sample.columns) == lines[0].split(",")
        assert len(sample.rows) == SAMPLE_ROWS
        assert [tuple(cell or None for cell in line.split(",")) for line in lines[1 : SAMPLE_ROWS + 1]] == list(sample.rows)


def test_the_manifest_names_who_may_sign_and_holds_neither_seed_nor_source_digest(made: Made) -> None:
    roots = operator_roots(made.run.home)
    manifest = manifest_of(made.run, made.so_far(mlflow_run_id="m-1"), roots)
    assert {signer.principal for signer in manifest.signers} == {"ann", "bob"}
    assert (manifest.signers_digest, manifest.runner, manifest.mlflow_run_id) == (roots.digest, made.run.runner, "m-1")
    assert manifest.seed_commitment == seed_commitment(made.run.seed)
    assert manifest.source_hmac == made.read.source_hmac
    text = manifest.model_dump_json()
    assert made.run.spool.get(made.read.ingested).source_digest not in text
    assert made.run.seed.hex() not in text
    assert [table.name for table in manifest.tables] == ["table-1", "table-2"]


def test_what_is_tracked_is_the_same_record_with_where_it_came_from(finished: Made) -> None:
    tracked = tracked_release(finished.run, finished.so_far(), "Refused.")
    assert tracked.measured.refusal == "Refused."
    assert (tracked.runner, tracked.source_hmac) == ("runner", finished.read.source_hmac)
    assert tracked_release(finished.run, SoFar()).source_hmac == ""


def test_an_account_has_tables_only_where_there_is_a_plan(finished: Made, tmp_path: Any) -> None:
    account = account_of(finished.run, finished.so_far(mlflow_run_id="m-1"), State.AWAITING_APPROVAL, tmp_path, "c" * 64)
    assert (account.rows, account.state, account.candidate, account.folder) == (60, State.AWAITING_APPROVAL, "c" * 64, tmp_path)
    assert [figures.name for figures in account.tables] == ["table-1", "table-2"]
    assert account.mlflow_run_id == "m-1"
    unplanned = account_of(finished.run, replace(finished.so_far(), planned=None), State.REFUSED, None)
    assert (unplanned.tables, unplanned.plan, unplanned.candidate) == ((), None, "")
