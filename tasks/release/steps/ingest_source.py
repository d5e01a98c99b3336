"""Step 1: the source as dictionary-encoded columns; identifiers end here, and become the pseudonyms by which versions are compared."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from headgate.core.errors import CellsRejected
from headgate.series.kept_version import Pseudonyms
from policies.jobs.spool import Reference
from policies.ledger.events import SourceIngested
from policies.sealed.unused_values import unused_values
from tasks.reading.ingest import Ingested, ingest
from tasks.release.listener import listener_here
from tasks.release.run import Happened, Run
from tasks.series.pseudonyms import pseudonyms_of
from tasks.signing.home_keys import ledger_secret, source_hmac


@dataclass(frozen=True)
class SourceRead:
    rows: int
    source_hmac: str
    ingested: Reference[Ingested]
    cells: Reference[Ingested]  # with the cells that expectations look at, until they have
    happened: Happened
    people: Reference[Pseudonyms] | None  # of each row; None where no identifier says who is who in other versions
    unused: Mapping[str, int]  # by attribute: how many of its declared values no row has


def ingest_source(run: Run) -> SourceRead:
    try:
        ingested = ingest(run.loaded, run.source)
    except CellsRejected as refusal:
        listener_here().refused = refusal  # in this process alone: the boundary of the step lets no cell through
        raise
    digest = source_hmac(ledger_secret(run.home.keys), ingested.source_digest)
    payload = {"rows": ingested.rows, "columns": len(run.policy.source_columns), "source_hmac": digest}
    unused = {name: len(values) for name, values in unused_values(ingested.table, ingested.specs).items()}
    whole, slim = run.spool.put(ingested), run.spool.put(ingested.without_cells())
    return SourceRead(ingested.rows, digest, slim, whole, Happened(SourceIngested, payload), _people(run, ingested), unused)


def _people(run: Run, ingested: Ingested) -> Reference[Pseudonyms] | None:
    people = pseudonyms_of(run.home, run.policy, ingested)
    return None if people is None else run.spool.put(people)
