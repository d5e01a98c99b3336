"""Step 1: the source as dictionary-encoded columns; identifiers end here."""

from __future__ import annotations

from dataclasses import dataclass

from policies.jobs.spool import Reference
from policies.ledger.events import SourceIngested
from tasks.reading.ingest import Ingested, ingest
from tasks.release.run import Happened, Run
from tasks.signing.home_keys import ledger_secret, source_hmac


@dataclass(frozen=True)
class SourceRead:
    rows: int
    source_hmac: str
    ingested: Reference[Ingested]
    cells: Reference[Ingested]  # with the cells that expectations look at, until they have
    happened: Happened


def ingest_source(run: Run) -> SourceRead:
    ingested = ingest(run.loaded, run.source)
    digest = source_hmac(ledger_secret(run.home.keys), ingested.source_digest)
    payload = {"rows": ingested.rows, "columns": len(run.policy.source_columns), "source_hmac": digest}
    return SourceRead(
        ingested.rows, digest, run.spool.put(ingested.without_frame()), run.spool.put(ingested), Happened(SourceIngested, payload)
    )
