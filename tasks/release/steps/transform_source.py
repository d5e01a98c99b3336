"""Step 3: numbers are rounded and coded, multi-valued attributes become bitmap columns, and with them it is known what the release promises
of each column. Before it, where the policy asks for them: what attackers may hold is read, and MinRisk takes cells out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from headgate.core.columns import Table
from policies.attackers.attacker import Attacker
from policies.gates.uniqueness import UNIQUENESS, foreseen
from policies.gates.verdict import Verdict
from policies.jobs.spool import Reference
from policies.jobs.table_job import suppressible
from policies.judging.verdicts import refusal_of
from policies.schema.policy import Policy
from policies.sealed.promise import Promise
from tasks.reading.dictionaries import Dictionaries, encode_dictionaries
from tasks.reading.prepare import PreparedSource, as_published, prepare_source
from tasks.reading.suppress_cells import suppress, suppressed_cells
from tasks.release.run import Run
from tasks.release.steps.ingest_source import SourceRead
from tasks.release.work import Work, where_data_lies
from tasks.signing.home_keys import ledger_secret, source_hmac


@dataclass(frozen=True)
class DictionariesRead:
    """How many attackers may hold beside the source, and the HMACs of those that a query gave."""

    count: int
    hmacs: Mapping[str, str]
    dictionaries: Reference[Dictionaries]
    queried: Mapping[str, str] = field(default_factory=dict, repr=False)  # the digests of these results


@dataclass(frozen=True)
class CellsSuppressed:
    """By attribute, the number of cells that are gone. What they were is known to attackers still, and to the count queries."""

    cells: Mapping[str, int]
    table: Reference[Table]


@dataclass(frozen=True)
class Transformed:
    sensitive: int  # columns, each bit of a set among them
    encoded: Reference[PreparedSource]
    columns: Reference[Table]  # the table alone, for jobs
    attackers: Reference[tuple[Attacker, ...]]  # alone, for jobs
    promise: Reference[Promise]  # alone, for whoever tells what the policy promises


def read_dictionaries(run: Run, read: SourceRead) -> DictionariesRead:
    dictionaries = encode_registers(run, read)
    secret = ledger_secret(run.home.keys)
    return replace(dictionaries, hmacs={name: source_hmac(secret, digest) for name, digest in dictionaries.queried.items()})


@where_data_lies
def encode_registers(run: Work, read: SourceRead) -> DictionariesRead:
    dictionaries = encode_dictionaries(run.loaded, run.spool.get(read.ingested).table)
    return DictionariesRead(len(dictionaries.encoded), {}, run.spool.put(dictionaries), dictionaries.queried)


@where_data_lies
def suppress_cells(run: Work, read: SourceRead, dictionaries: DictionariesRead | None = None) -> CellsSuppressed:
    ingested = run.spool.get(read.ingested)
    before = as_published(run.policy, ingested)
    after = suppress(run.policy, before, dictionaries_of(run, dictionaries), ingested.own)
    return CellsSuppressed(suppressed_cells(before, after), run.spool.put(after))


@where_data_lies
def transform_source(
    run: Work, read: SourceRead, dictionaries: DictionariesRead | None = None, suppressed: CellsSuppressed | None = None
) -> Transformed:
    ingested = run.spool.get(read.ingested)
    after = None if suppressed is None else run.spool.get(suppressed.table)
    encoded = prepare_source(run.policy, ingested, dictionaries_of(run, dictionaries), after)
    refused = identifiers_among(run.policy, encoded)
    if refused:
        raise refusal_of(refused)  # before hours of grouping; what is written is measured all the same
    references = (run.spool.put(encoded), run.spool.put(encoded.table), run.spool.put(encoded.attackers), run.spool.put(encoded.promise))
    return Transformed(len(encoded.table.sensitive), *references)


def identifiers_among(policy: Policy, encoded: PreparedSource) -> tuple[Verdict, ...]:
    """The verdicts on columns with too many values of their own, which no grouping changes."""
    left_out = int(suppressible(policy.anonymize) * encoded.table.rows)
    verdicts = foreseen(encoded.promise.of(UNIQUENESS), encoded.table, left_out)
    return tuple(verdict for verdict in verdicts if not verdict.passed)


def dictionaries_of(run: Work, dictionaries: DictionariesRead | None) -> Dictionaries:
    return Dictionaries() if dictionaries is None else run.spool.get(dictionaries.dictionaries)
