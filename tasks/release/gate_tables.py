"""Step 6: everything the policy requires is measured on the published form, read again from what was written.

Nothing here sees a partition or what the anonymizer says of itself: a forged result beside a bad table is refused like any bad table.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from headgate.core.levels import published_levels
from headgate.core.published import PublishedTable
from headgate.principles.dissimilarity import dissimilarity
from headgate.utility.loss import information_loss
from headgate.utility.queries import count_query_error
from policies.gates.attackers import threats
from policies.gates.dissimilarity import DISSIMILARITY, EPSILON
from policies.gates.figures import TableFigures, Utility
from policies.gates.verdict import Verdict
from policies.judging.exposure import with_cures
from policies.judging.measure import composite_of, measure_table
from policies.judging.verdicts import judge, judge_utility
from policies.sealed.specs import domains_of
from tasks.release.refinement import bounds
from tasks.release.whose_records import expose, whose_records
from tasks.release.workbench import Workbench, present
from tasks.reporting.measured_tables import MeasuredTable
from tasks.tables.write import read_published


def gate_table(bench: Workbench, name: str) -> int:
    """Measures one table; gives its number of groups."""
    promise, table = present(bench.promise, "promise"), present(bench.table, "encoded source")
    written = bench.written[name][0]
    published = read_published(bench.examine(written.path), promise, name)
    suppressed = table.rows - published.rows
    found = threats(bench.attackers, published, whose_records(bench, published))
    figures = measure_table(promise, published, found, suppressed=suppressed, distance=bench.distance, path=written.path)
    expose(bench, published, found)
    wanted = bench.loaded.policy.utility
    errors = count_query_error(
        present(bench.original, "encoded source"),
        published,
        wanted.dimensions,
        wanted.sensitive_dimensions,
        float(wanted.selectivity),
        wanted.queries,
        _query_seed(bench, name),
    )
    whole = bench.loaded.policy.anonymize.chosen.whole_levels
    texts = {name: cells.texts for name, cells in published.cells.items()}
    levels = published_levels(table.select(table.quasi), texts) if whole else None
    figures = figures.model_copy(update={"query_error_mean": errors.mean, "query_error_median": errors.median, "levels": levels})
    bench.query_errors[name] = errors.errors
    bench.measured[name] = MeasuredTable(figures, np.bincount(published.group), _risks(bench, published), _losses(bench, published))
    return figures.groups


def _risks(bench: Workbench, published: PublishedTable) -> NDArray[np.float64] | None:
    """Group by group, for the pictures."""
    promise = present(bench.promise, "promise")
    composite = bench.distance if promise.callable is not None else composite_of(promise)
    whole = promise.required(DISSIMILARITY)
    if whole is None or composite is None:
        return None
    columns, epsilon = tuple(published.sensitive.values()), whole.settings[EPSILON]
    return dissimilarity(columns, published.classes(), composite, epsilon, whole.required).per_group


def _losses(bench: Workbench, published: PublishedTable) -> Mapping[str, float]:
    return information_loss(published, domains_of(present(bench.promise, "promise")), bench.suppressed).per_attribute


def judge_release(bench: Workbench) -> tuple[Verdict, ...]:
    """One verdict a gate and table, and those on the release as a whole."""
    policy, promise = bench.loaded.policy, present(bench.promise, "promise")
    bench.utility = utility_of(bench.figures, np.concatenate([bench.query_errors[name] for name in bench.names]), bench.suppressed_share)
    verdicts = (*judge(promise, bench.figures), *judge_utility(promise, bench.utility))
    gate = policy.gates.disclosure
    bench.verdicts = verdicts if gate is None else with_cures(verdicts, bench.exposed, gate)
    bench.bounds = tuple(bounds(bench))
    return bench.verdicts


def utility_of(figures: tuple[TableFigures, ...], errors: np.ndarray, suppressed_share: float) -> Utility:
    """Queries of all tables together; NCP over all published rows."""
    rows = sum(table.rows for table in figures)
    return Utility(
        query_error_mean=float(errors.mean()),
        query_error_median=float(np.median(errors)),
        ncp=sum(table.ncp * table.rows for table in figures) / rows,
        suppressed_share=suppressed_share,
    )


def _query_seed(bench: Workbench, name: str) -> int:
    return int.from_bytes(hashlib.sha256(bench.seed + f"queries {name}".encode()).digest()[:8], "big")
