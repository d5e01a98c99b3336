"""Step 6: attacks tried on the finished tables: a second opinion to the other gates, and what the gate on attacks judges."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from policies.gates.figures import AttackGain
from policies.jobs.spool import Reference
from tasks.attacks.attempts import FinishedTable, drawn_from, finished, gains_of, try_attacks
from tasks.release.run import Run
from tasks.release.steps.anonymize_tables import Agreed
from tasks.release.steps.choose_plan import Planned
from tasks.release.steps.gate_tables import Gated
from tasks.release.steps.transform_source import Transformed
from tasks.release.steps.write_tables import Written

PEOPLE = 10_000  # attacked in one table, of those who were released


@dataclass(frozen=True)
class Attacked:
    """Every attempt in words, and in figures those that a gate can bound."""

    sentences: tuple[str, ...]
    gains: tuple[AttackGain, ...]


@dataclass(frozen=True)
class AttackedTables:
    attempts: int
    attacked: Reference[Attacked]


def attack_tables(
    run: Run, transformed: Transformed, planned: Planned, agreed: Agreed, written: Sequence[Written], gated: Sequence[Gated]
) -> AttackedTables:
    encoded, released = run.spool.get(transformed.encoded), np.flatnonzero(run.spool.get(agreed.kept))
    frames = {table.table: run.spool.get(table.read).frame for table in written}
    tables = [FinishedTable(run.spool.get(table.measurement).published, frames[table.table]) for table in gated]
    table, original = encoded.table.take(released), encoded.original.take(released)
    known = finished(run.spool.get(planned.promise), tables, table, original, encoded.attackers)
    attempts = try_attacks(known, PEOPLE, drawn_from(run.seed))
    return AttackedTables(len(attempts), run.spool.put(Attacked(tuple(attempt.sentence for attempt in attempts), gains_of(attempts))))
