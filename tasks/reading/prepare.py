"""What a release works on: the source after MinRisk, its sets as bitmaps, and who holds which dictionary."""

from __future__ import annotations

from dataclasses import dataclass

from headgate.core.columns import Table
from headgate.projection.bitmap import bitmap_table
from policies.attackers.attacker import Attacker, attackers_of
from tasks.reading.dictionaries import Dictionaries, encode_dictionaries
from tasks.reading.ingest import Ingested
from tasks.reading.references import LoadedPolicy
from tasks.reading.suppress_cells import suppress


@dataclass(frozen=True, eq=False)
class PreparedSource:
    """What a release works on, its sets as bitmaps, and who holds which dictionary."""

    table: Table  # what is anonymized
    original: Table  # before a policy's `suppress_cells`; else the same
    attackers: tuple[Attacker, ...]
    dictionaries: Dictionaries


def prepare_source(loaded: LoadedPolicy, ingested: Ingested) -> PreparedSource:
    """Reads and prepares the whole source, for trying settings and for attacking a finished candidate."""
    dictionaries = encode_dictionaries(loaded, ingested.table)
    after = suppress(loaded.policy, ingested.table, dictionaries, ingested.own)
    table, original = (bitmap_table(source, ingested.specs) for source in (after, ingested.table))
    attackers = attackers_of(loaded.policy.gates.attackers, original, dictionaries.encoded, ingested.own)
    return PreparedSource(table, original, attackers, dictionaries)
