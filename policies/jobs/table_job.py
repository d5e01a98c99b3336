"""Tries one table: may these sensitive attributes be in one table? The answer comes from anonymizing and measuring it.

It uses the policy's own anonymizer and every gate on a table. A job holds its requirements by value and its columns by reference, so it can
be pickled and run anywhere. The same job has the same outcome wherever it runs.
"""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from headgate.core.columns import Table
from headgate.core.distance import Distance
from headgate.core.errors import RequirementNotMet
from headgate.core.published_form.published_table import PublishedTable, publish_form
from headgate.core.tolerance import exact
from headgate.grouping.watch import Report, Stopped, Watch
from headgate.grouping.workers import Workers
from headgate.methods.anonymize import anonymize
from headgate.methods.method import Method
from headgate.methods.partition import Partition
from headgate.methods.settings import Infeasible, Otherwise, Settings
from headgate.methods.sticky.keep_groups import keep_groups
from headgate.utility.mean_interval import Moments
from headgate.utility.queries import count_query_error
from policies.attackers.attacker import Attacker, threats
from policies.gates.beside import Beside
from policies.gates.dissimilarity import DISSIMILARITY
from policies.gates.figures import TableFigures
from policies.gates.series import LINKABILITY, SERIES
from policies.gates.verdict import ASKED, Verdict
from policies.jobs.former_groups import FormerGroups
from policies.jobs.spool import Reference, Spool
from policies.judging.measure import measure_table
from policies.judging.method_limits import conditions_of, limits_of
from policies.judging.verdicts import judge_table
from policies.schema.anonymization import Anonymize, Relax, Suppress
from policies.schema.requirements import UtilityKey
from policies.sealed.promise import Promise

Names = tuple[str, ...]
Rows = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Queries:
    """Count queries to be answered from the published form; `original` is the table that they are about."""

    original: Reference[Table]
    wanted: UtilityKey
    seed: int


@dataclass(frozen=True, eq=False)
class TableJob:
    """`promise` holds the requirements, with a callable distance by name. If `infeasible` allows a lower δ, gates require its floor.
    `infeasible` is `fail` while plans are searched."""

    sensitive: Names
    columns: Reference[Table]
    promise: Promise
    settings: Anonymize
    attackers: Reference[tuple[Attacker, ...]] | None = None  # they may hold all of the source
    seed: bytes = b""
    infeasible: Infeasible = field(default_factory=Infeasible)
    lent: Fraction = Fraction(1)  # of the share of rows that may be suppressed: what a single table may use
    rows: Reference[Rows] | None = None  # the only ones that are grouped
    judged: bool = True  # else it is only grouped
    queries: Queries | None = None
    former: Reference[FormerGroups] | None = None  # those that groups must keep together
    light: bool = False  # without the groups: dozens of them would fill the memory

    def about(self, sensitive: Names) -> TableJob:
        """The same requirements on other attributes."""
        return replace(self, sensitive=sensitive)

    @property
    def method(self) -> Method:
        return self.settings.chosen

    @property
    def suppression(self) -> Fraction:
        """The share of rows that all tables together may leave out."""
        return exact(self.settings.suppression or 0) if self.method.suppresses else self.infeasible.suppressible

    @property
    def promised(self) -> Promise:
        return relaxed(self.promise, self.infeasible)

    @property
    def group_seed(self) -> int:
        """The same for the same attributes, in whatever order they are named."""
        return int.from_bytes(hashlib.sha256(self.seed + "\n".join(sorted(self.sensitive)).encode()).digest()[:8], "big")


@dataclass(frozen=True, eq=False)
class TableOutcome:
    """What came of it: the partition, and the gates that spoke against it. Without groups that keep the limits nothing is measured."""

    partition: Partition
    figures: TableFigures | None = None
    refused: tuple[Verdict, ...] = ()
    query_errors: tuple[Moments, float] | None = None  # and the median; None where nobody asked, or where nothing can be counted
    allowed: Infeasible = field(default_factory=Infeasible)  # by the policy already

    @property
    def reason(self) -> str:
        """Why the table does not pass; holds no data value."""
        if not self.partition.reached:
            return f"the requirements cannot be reached: {self.partition.remedy(allowed=self.allowed)}"
        return "; ".join(verdict.brief for verdict in self.refused)

    @property
    def passed(self) -> bool:
        return not self.reason

    @property
    def closeness(self) -> float | None:
        """The largest distance of a group from the whole, over all attributes; None if not reached."""
        return None if self.figures is None else max(self.figures.each("closeness").values(), default=None)


@dataclass(frozen=True, eq=False)
class Workplace:
    """Where jobs run: the spool of their references, the resolver for the name of a callable distance, the receiver of the number of
    grouped rows, the event that stops all jobs, and who works on the regions of a table."""

    spool: Spool
    distance_of: Callable[[Promise], Distance | None] = lambda _promise: None
    report: Report | None = None
    stopping: threading.Event = field(default_factory=threading.Event)
    workers: Workers | None = None  # on the pieces of a table; None: threads of this process

    def watch(self) -> Watch:
        return Watch(self.report, self.stopping, self.workers)


def try_table(job: TableJob, place: Workplace) -> TableOutcome:
    """Pure: nothing is left of it but the outcome."""
    table, distance = place.spool.get(job.columns), _stoppable(place.distance_of(job.promise), place.stopping)
    rows = None if job.rows is None else place.spool.get(job.rows)
    former = None if job.former is None else place.spool.get(job.former)
    partition = group_table(job, table, rows, distance, former, place.watch())
    if rows is not None or not job.judged:
        outcome = TableOutcome(partition, allowed=infeasible_of(job.settings))
    else:
        outcome = _judged(job, table, partition, distance, place)
    return replace(outcome, partition=replace(partition, groups=np.zeros(0, dtype=np.int32))) if job.light else outcome


def _stoppable(distance: Distance | None, stopping: threading.Event) -> Distance | None:
    """A callable is called on every pair of values, in a thread that receives no signal. This makes it end at the next pair."""
    if distance is None or distance.function is None:
        return distance
    function = distance.function

    def unless_stopped(a: Any, b: Any) -> float:
        if stopping.is_set():
            raise Stopped
        return function(a, b)

    return replace(distance, function=unless_stopped)


def _judged(job: TableJob, table: Table, partition: Partition, distance: Distance | None, place: Workplace) -> TableOutcome:
    if not partition.reached:
        return TableOutcome(partition, allowed=infeasible_of(job.settings))
    published = publish_form(table, partition.groups, "plan", job.sensitive, levels=partition.levels)
    attackers = () if job.attackers is None else place.spool.get(job.attackers)
    kept = np.flatnonzero(partition.groups >= 0)
    learned = threats(attackers, published, kept)
    beside = Beside.of(table, kept)
    figures = measure_table(job.promised, published, learned, suppressed=partition.suppressed, distance=distance, beside=beside)
    refused = tuple(verdict for verdict in judge_table(job.promised, figures) if not verdict.passed)
    errors = None if job.queries is None else _query_errors(job.queries, published, place)
    return TableOutcome(partition, figures, refused, errors)


def _query_errors(queries: Queries, published: PublishedTable, place: Workplace) -> tuple[Moments, float] | None:
    wanted = queries.wanted
    try:
        errors = count_query_error(
            place.spool.get(queries.original),
            published,
            wanted.dimensions,
            wanted.sensitive_dimensions,
            float(wanted.selectivity),
            wanted.queries,
            queries.seed,
        )
    except RequirementNotMet:
        return None
    return errors.moments, errors.median


def group_table(
    job: TableJob, whole: Table, rows: Rows | None, distance: Distance | None, former: FormerGroups | None, watch: Watch
) -> Partition:
    """The rows of the table, or only those that are left, in groups by the policy's method."""
    table, settings = what_to_group(job, whole, rows, distance)
    if former is None:
        return anonymize(job.method, table, job.sensitive, settings, job.group_seed, watch)
    before = former.of(job.sensitive, whole.rows)
    promised = job.promise.required(SERIES, bound=LINKABILITY)
    of_series = {} if promised is None else {"promise": promised.required}
    former_of_rows = before if rows is None else before[rows]
    return keep_groups(job.method, table, job.sensitive, settings, former_of_rows, job.group_seed, watch, **of_series)


def what_to_group(job: TableJob, whole: Table, rows: Rows | None, distance: Distance | None) -> tuple[Table, Settings]:
    """The rows that are grouped, and what their groups must keep."""
    table, promise = whole if rows is None else whole.take(rows), job.promise
    limits = limits_of(promise, table, job.sensitive, distance)
    conditions = conditions_of(promise, job.sensitive) if job.method.looks_at_conditions else ()
    return table, Settings(promise.k, limits, conditions, _allowed(job, whole.rows, table.rows))


def _allowed(job: TableJob, whole: int, rows: int) -> Infeasible:
    """What may be done where not all is kept. A method that suppresses while it searches may do so from the first try; what tables have
    suppressed together is spent, and the `rows` that are left may use the rest."""
    if not job.method.suppresses:
        return job.infeasible
    gone = whole - rows
    spare = int((job.suppression if gone else job.suppression * job.lent) * whole) - gone
    return Infeasible(Otherwise.SUPPRESS, Fraction(max(0, spare), rows))


def relaxed(promise: Promise, infeasible: Infeasible) -> Promise:
    """What is promised in the end: where the policy lets δ be relaxed, the floor it names; what it asks for stands beside."""
    whole = promise.required(DISSIMILARITY)
    if infeasible.otherwise != "relax" or whole is None:
        return promise
    settings = {**whole.settings, ASKED: whole.required}
    return promise.requiring(whole.model_copy(update={"required": str(float(infeasible.amount)), "settings": settings}))


def suppressible(settings: Anonymize) -> Fraction:
    """The share of rows that a release may leave out."""
    return exact(settings.suppression or 0) if settings.chosen.suppresses else infeasible_of(settings).suppressible


def infeasible_of(settings: Anonymize) -> Infeasible:
    match settings.infeasible:
        case Suppress(suppress=share):
            return Infeasible.of({"suppress": share})
        case Relax(relax=floor):
            return Infeasible.of({"relax": floor})
        case _:
            return Infeasible()
