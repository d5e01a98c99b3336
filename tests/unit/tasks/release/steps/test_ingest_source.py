"""Step 1: what leaves it is counts, an HMAC and references; the cells and identifiers of the source stay in the spool."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from headgate.core.errors import InputRejected
from policies.ledger.events import SourceIngested
from tasks.reading.references import LoadedPolicy
from tasks.release.listener import Listener, listening
from tasks.release.run import Run
from tasks.release.steps.ingest_source import ingest_source
from tasks.runtime.boundary import guarded
from tasks.signing.home_keys import ledger_secret


@pytest.fixture
def run(loaded: LoadedPolicy, run_of: Callable[..., Run]) -> Run:
    return run_of(loaded)


def test_the_source_is_read_and_the_ledger_hears_of_counts(run: Run) -> None:
    read = ingest_source(run)
    assert read.rows == 60
    assert read.happened.kind is SourceIngested
    assert read.happened.payload == {"rows": 60, "columns": 10, "source_hmac": read.source_hmac}
    assert run.spool.get(read.ingested).table.rows == 60


def test_the_digest_of_the_source_leaves_as_an_hmac_only(run: Run, clinic: Any) -> None:
    """A plain digest would let people confirm guesses."""
    read = ingest_source(run)
    digest = run.spool.get(read.ingested).source_digest
    assert digest != read.source_hmac
    assert digest not in repr(read)
    assert hashlib.sha256(clinic.source.read_bytes()).hexdigest() not in repr(read)
    again = ingest_source(run)
    assert again.source_hmac == read.source_hmac
    assert len(ledger_secret(run.home.keys)) >= 32
    assert read.source_hmac != hmac.new(b"", digest.encode(), "sha256").hexdigest()


def test_neither_identifiers_nor_cells_are_in_what_is_handed_on(run: Run, canary: str) -> None:
    read = ingest_source(run)
    table = run.spool.get(read.ingested).table
    assert "patient_id" not in table.columns
    assert "notes" not in table.columns
    assert canary not in repr(read)
    assert canary not in repr(run.spool.get(read.ingested))


def test_only_the_step_that_expects_has_the_cells_as_they_were(run: Run) -> None:
    read = ingest_source(run)
    assert run.spool.get(read.cells).cells.rows == 60
    assert run.spool.get(read.ingested).cells is None


def test_another_file_may_take_the_place_of_the_policys_source(loaded: LoadedPolicy, clinic: Any, run_of: Any, write_csv: Any) -> None:
    other = clinic.folder / "other.csv"
    other.write_text(write_csv(clinic.rows[:40]))
    run = replace(run_of(loaded), source=other)
    assert ingest_source(run).rows == 40


def test_a_source_that_is_not_as_declared_is_refused_without_its_values(clinic: Any, run_of: Any, write_csv: Any, refusal: Any) -> None:
    clinic.rows[7]["age"] = "CANARY"
    clinic.write_source(write_csv(clinic.rows).encode())
    assert isinstance(refusal(lambda: ingest_source(run_of(clinic.load()))), InputRejected)


def test_declared_values_that_no_row_has_are_counted_by_attribute(clinic: Any, run_of: Callable[..., Run]) -> None:
    with (clinic.folder / "codes.csv").open("a", encoding="utf-8") as codes:
        codes.write("CANARY-1\nCANARY-2\n")
    read = ingest_source(run_of(clinic.load()))
    assert read.unused == {"diagnosis": 2}
    assert "CANARY" not in repr(read)


def test_the_cells_of_a_refusal_reach_the_listener_of_this_process_and_nobody_else(run: Run, clinic: Any, canary: str) -> None:
    """The person who runs a release sees which cells are wrong; Prefect and the ledger are handed the exception."""
    clinic.source.write_bytes(clinic.source.read_bytes().replace(b",1000.5,", f",{canary},".encode(), 1))
    listener = Listener()
    with listening(listener), pytest.raises(InputRejected, match=r"1 cell of 'income' is not a number \(in line") as refusal:
        guarded(ingest_source)(run)
    assert listener.refused is not None
    assert listener.refused.cells == (canary,)
    assert type(refusal.value) is InputRejected
    assert canary not in repr(vars(refusal.value)) + repr(refusal.value)
