"""What a release works on: the source with its numbers as they are published, after MinRisk, its sets as bitmaps; what is promised of each
column; and what attackers may hold."""

from __future__ import annotations

from dataclasses import dataclass

from headgate.core.columns import Table
from headgate.projection.bitmap import bitmap_table
from policies.attackers.attacker import Attacker, attackers_of
from policies.schema.policy import Policy
from policies.sealed.numbers import numbers_as_published
from policies.sealed.promise import Promise
from policies.sealed.specs import promise_of
from tasks.reading.dictionaries import Dictionaries
from tasks.reading.ingest import Ingested
from tasks.reading.suppress_cells import suppress


@dataclass(frozen=True, eq=False)
class PreparedSource:
    table: Table  # what is anonymized
    original: Table  # before a policy's `suppress_cells`; else the same
    promise: Promise
    attackers: tuple[Attacker, ...]


def as_published(policy: Policy, ingested: Ingested) -> Table:
    """The encoded source with its numbers rounded and coded, which is the first thing that is done to it."""
    return numbers_as_published(policy, ingested.table, ingested.specs)


def prepare_source(policy: Policy, ingested: Ingested, dictionaries: Dictionaries, suppressed: Table | None = None) -> PreparedSource:
    """`suppressed`: the source after MinRisk, if a step has done that already."""
    before = as_published(policy, ingested)
    after = suppress(policy, before, dictionaries, ingested.own) if suppressed is None else suppressed
    original = bitmap_table(before, ingested.specs)
    table = original if after is before else bitmap_table(after, ingested.specs)
    attackers = attackers_of(policy.gates.attackers, original, dictionaries.encoded, ingested.own)
    return PreparedSource(table, original, promise_of(policy, table, ingested.source_rows), attackers)
