"""Step 6: everything the policy requires is measured on the published form, as it was read back from what was written.

Nothing here sees a partition or what the anonymizer says of itself: a forged result beside a bad table is refused like any bad table.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from headgate.core.columns import Table
from headgate.core.errors import Defect
from headgate.core.published_form.levels import published_levels
from headgate.core.published_form.published_table import PublishedTable
from headgate.risk.disclosure.patterns import Pattern, riskiest
from headgate.utility.queries import QueryError, count_query_error
from policies.attackers.attacker import threats
from policies.gates.beside import NOTHING, Beside
from policies.jobs.spool import Reference
from policies.judging.exposure import Exposure, exposures
from policies.judging.measure import measure_closely
from policies.judging.release_utility import errors_as_told
from tasks.release.steps.choose_plan import Planned, insensitive_of, sensitive_of
from tasks.release.steps.transform_source import Transformed
from tasks.release.steps.whose_records import asks_whose, whose_records
from tasks.release.steps.write_tables import Written
from tasks.release.work import Work, where_data_lies
from tasks.reporting.measured_tables import MeasuredTable
from tasks.runtime.callables import callable_distance
from tasks.tables.read_published import published_of


@dataclass(frozen=True, eq=False)
class Measurement:
    """All that was measured of one table, in figures. Exposures, and patterns by dictionary, where the policy reckons with attackers."""

    table: MeasuredTable
    query_errors: NDArray[np.float64]
    exposures: tuple[Exposure, ...] = ()
    patterns: Mapping[str, tuple[Pattern, ...]] = field(default_factory=dict)


@dataclass(frozen=True)
class Gated:
    table: str
    groups: int
    measurement: Reference[Measurement]
    published: Reference[PublishedTable]  # as it was measured


@where_data_lies
def gate_table(run: Work, transformed: Transformed, planned: Planned, written: Written) -> Gated:
    encoded, promise = run.spool.get(transformed.encoded), run.spool.get(planned.promise)
    published = published_of(run.spool.get(written.read).frame, promise, written.table)
    _require_columns(run, planned, published)
    people = run.spool.get(written.people) if written.people is not None and asks_whose(encoded) else None
    whose = whose_records(people, published, encoded.table)
    learned = threats(encoded.attackers, published, whose)
    measured = measure_closely(
        promise,
        published,
        learned,
        suppressed=encoded.table.rows - published.rows,
        distance=callable_distance(promise),
        path=written.files[0].path,
        parts=written.parts,
        beside=NOTHING if whose is None else Beside.of(encoded.table, whose),
    )
    errors = _query_errors(run, encoded.original, published)
    told = errors_as_told(errors.moments, errors.median)
    update = {**told, "levels": _levels(run, encoded.table, published)}
    figures = measured.figures.model_copy(update=update)
    table = MeasuredTable(figures, np.bincount(published.group), measured.group_risks, measured.loss)
    patterns = {threat.attacker.name: riskiest(published, threat.attacker.fields, threat.risk) for threat in learned}
    exposed = exposures(published, learned, run.policy.gates)
    measurement = run.spool.put(Measurement(table, errors.errors, exposed, patterns))
    return Gated(written.table, figures.groups, measurement, run.spool.put(published))


def _require_columns(run: Work, planned: Planned, published: PublishedTable) -> None:
    """The figures of one table must not be taken for another's."""
    columns = {*published.sensitive, *published.insensitive}
    if columns != {*sensitive_of(run, planned, published.name), *insensitive_of(run, planned, published.name)}:
        raise Defect(f"{published.name} was read back with other columns than the plan puts in it.", "Publish nothing; report this defect.")


def _levels(run: Work, table: Table, published: PublishedTable) -> dict[str, int] | None:
    if not run.policy.anonymize.chosen.whole_levels:
        return None
    return published_levels(table.select(table.quasi), {name: cells.texts for name, cells in published.cells.items()})


def _query_errors(run: Work, original: Table, published: PublishedTable) -> QueryError:
    wanted = run.policy.utility
    seed = int.from_bytes(hashlib.sha256(run.seed + f"queries {published.name}".encode()).digest()[:8], "big")
    return count_query_error(
        original,
        published,
        wanted.dimensions,
        wanted.sensitive_dimensions,
        float(wanted.selectivity),
        wanted.queries,
        seed,
    )
