"""Step 6: attacks tried on the finished tables, a second opinion to their gates. Nothing is judged by them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from policies.jobs.spool import Reference
from tasks.attacks.attempts import FinishedTable, drawn_from, finished, try_attacks
from tasks.release.run import Run
from tasks.release.steps.anonymize_tables import Agreed
from tasks.release.steps.choose_plan import Planned
from tasks.release.steps.gate_tables import Gated
from tasks.release.steps.transform_source import Transformed
from tasks.release.steps.write_tables import Written

PEOPLE = 10_000  # attacked in one table, of those who were released


@dataclass(frozen=True)
class AttackedTables:
    attempts: int
    sentences: Reference[tuple[str, ...]]


def attack_tables(
    run: Run, transformed: Transformed, planned: Planned, agreed: Agreed, written: Sequence[Written], gated: Sequence[Gated]
) -> AttackedTables:
    encoded, released = run.spool.get(transformed.encoded), np.flatnonzero(run.spool.get(agreed.kept))
    frames = {table.table: run.spool.get(table.read).frame for table in written}
    tables = [FinishedTable(run.spool.get(table.measurement).published, frames[table.table]) for table in gated]
    table, original = encoded.table.take(released), encoded.original.take(released)
    known = finished(run.spool.get(planned.promise), tables, table, original, encoded.attackers)
    attempts = try_attacks(known, PEOPLE, drawn_from(run.seed))
    return AttackedTables(len(attempts), run.spool.put(tuple(attempt.sentence for attempt in attempts)))
