"""Step 6: attacks tried on the finished tables, and on them together with the versions before: a second opinion to the other gates, and
what the gate on attacks judges."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from policies.gates.figures import AttackGain
from policies.jobs.spool import Reference
from tasks.attacks.attempts import FinishedTable, drawn_from, finished, gains_of, people_of, try_attacks
from tasks.attacks.series_attempts import KnownSeries, try_series
from tasks.reading.prepare import PreparedSource
from tasks.release.steps.anonymize_tables import Agreed
from tasks.release.steps.choose_plan import Planned
from tasks.release.steps.compare_versions import ComparedVersions
from tasks.release.steps.gate_tables import Gated
from tasks.release.steps.transform_source import Transformed
from tasks.release.steps.write_tables import Written
from tasks.release.work import Work, where_data_lies
from tasks.series.seen_together import SeenTogether

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


@where_data_lies
def attack_tables(
    run: Work,
    transformed: Transformed,
    planned: Planned,
    agreed: Agreed,
    written: Sequence[Written],
    gated: Sequence[Gated],
    compared: ComparedVersions,
) -> AttackedTables:
    encoded, kept = run.spool.get(transformed.encoded), run.spool.get(agreed.kept)
    frames = {table.table: run.spool.get(table.read).frame for table in written}
    tables = [FinishedTable(run.spool.get(table.published), frames[table.table]) for table in gated]
    original = encoded.original.kept(kept)
    table = original if encoded.table is encoded.original else encoded.table.kept(kept)
    known = finished(run.spool.get(planned.promise), tables, table, original, encoded.attackers)
    generator = drawn_from(run.seed)
    attempts = try_attacks(known, PEOPLE, generator)
    if compared.together is not None and compared.figures is not None:
        told = run.spool.get(compared.figures).several
        attempts += try_series(_series(run.spool.get(compared.together), encoded, told), known, PEOPLE, generator)
    return AttackedTables(len(attempts), run.spool.put(Attacked(tuple(attempt.sentence for attempt in attempts), gains_of(attempts))))


def _series(seen: SeenTogether, encoded: PreparedSource, told: int) -> KnownSeries:
    table, original = encoded.table.take(seen.nowhere), encoded.original.take(seen.nowhere)
    return KnownSeries(seen.versions, people_of(table, original).columns, told)
