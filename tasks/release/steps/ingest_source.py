"""Step 1: the source as dictionary-encoded columns; identifiers end here, and become the pseudonyms by which versions are compared.

Whoever looks at the data reads it. What depends on a secret of the home is made in the release's own process: the digest of the source
under it, and, where versions are compared, pseudonyms of identifiers, of which it sees nothing else.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from headgate.core.errors import CellsRejected, InputRejected
from headgate.series.kept_version import Pseudonyms
from policies.jobs.spool import Reference
from policies.ledger.events import SourceIngested
from policies.sealed.unused_values import unused_values
from tasks.reading.identifiers import IdentifierValues
from tasks.reading.ingest import Ingested, ingest
from tasks.release.listener import listener_here
from tasks.release.run import Happened, Run
from tasks.release.work import Work, where_data_lies
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


@dataclass(frozen=True)
class CodedSource:
    """`persons`: the one identifier by which versions are compared."""

    rows: int
    digest: str
    ingested: Reference[Ingested]
    cells: Reference[Ingested]
    persons: Reference[IdentifierValues] | None
    unused: Mapping[str, int]


@dataclass(frozen=True)
class RefusedCells:
    """A refusal that has them still: the boundary of the step lets no cell through."""

    column: str
    wrong: tuple[str, str]
    cure: str
    rows: tuple[int, ...]
    cells: tuple[str, ...]
    place: tuple[str, str]
    numbers: tuple[int, ...]
    sentence: str

    def refusal(self) -> CellsRejected:
        return CellsRejected(**vars(self))


def ingest_source(run: Run) -> SourceRead:
    path = file_of(run)
    coded = read_source(replace(run, elsewhere=None) if path is not None and handed_over(path) else run)
    if isinstance(coded, RefusedCells):
        refusal = coded.refusal()
        listener_here().refused = refusal  # in this process alone
        raise refusal
    digest = source_hmac(ledger_secret(run.home.keys), coded.digest)
    payload = {"rows": coded.rows, "columns": len(run.policy.source_columns), "source_hmac": digest}
    people = _people(run, coded.persons)
    return SourceRead(coded.rows, digest, coded.ingested, coded.cells, Happened(SourceIngested, payload), people, coded.unused)


@where_data_lies
def read_source(run: Work) -> CodedSource | RefusedCells:
    if run.afar:
        _require_seen(file_of(run))
    try:
        ingested = ingest(run.loaded, run.source)
    except CellsRejected as refusal:
        return RefusedCells(**{name: getattr(refusal, name) for name in RefusedCells.__dataclass_fields__})
    unused = {name: len(values) for name, values in unused_values(ingested.table, ingested.specs).items()}
    whole, slim = run.spool.put(ingested), run.spool.put(ingested.without_cells())
    person = run.policy.person_column
    persons = None if person is None else ingested.identifiers.only(person)
    return CodedSource(ingested.rows, ingested.source_digest, slim, whole, None if persons is None else run.spool.put(persons), unused)


def file_of(run: Work) -> Path | None:
    """None of a query."""
    named = run.source or getattr(run.loaded.policy.source, "path", None)
    return None if named is None else run.loaded.folder / named


def handed_over(path: Path) -> bool:
    """A file that somebody sent with their request lies in this process's memory, where no worker can look."""
    return os.path.realpath(path).startswith("/proc/")


def _require_seen(path: Path | None) -> None:
    if path is not None and not os.access(path, os.R_OK):
        raise InputRejected(
            f"A worker cannot read the source {path.name}.",
            "Put it on storage that all workers see under the same path and may read, or run with --engine local.",
        )


def _people(run: Run, persons: Reference[IdentifierValues] | None) -> Reference[Pseudonyms] | None:
    if persons is None:
        return None
    people = pseudonyms_of(run.home, run.policy, run.spool.get(persons))
    run.spool.drop(persons)
    return None if people is None else run.spool.put(people)
