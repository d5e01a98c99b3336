"""CheckPlan: may these sensitive attributes stand in one table? Asked by really anonymizing and measuring it.

The answer uses the policy's own anonymizer and every gate on a table. A set of attributes is tried once; when a plan changes, the
tables that did not change are not anonymized again, and the partition that passed is the one that is published.
"""

from __future__ import annotations

import hashlib
import threading
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np

from headgate.core.columns import Table
from headgate.core.distance import Distance
from headgate.core.published import publish_form
from headgate.core.tolerance import exact
from headgate.grouping.watch import Report, Watch
from headgate.methods.anonymize import anonymize
from headgate.methods.method import Method
from headgate.methods.partition import Partition
from headgate.methods.settings import Infeasible, Otherwise, Settings
from headgate.projection.codip import codip_star
from headgate.projection.optimal import given, optimal, separate, single
from headgate.projection.plan import CheckTable, Projection, TableVerdict
from policies.gates.attackers import Attacker, threats
from policies.gates.disclosure_key import DisclosureKey
from policies.gates.dissimilarity import DISSIMILARITY
from policies.gates.verdict import Verdict
from policies.judging.measure import measure_table
from policies.judging.method_limits import conditions_of, limits_of, monotone
from policies.judging.verdicts import judge
from policies.schema.anonymization import Anonymize, Relax, Suppress
from policies.schema.policy import Policy
from policies.sealed.promise import Promise
from policies.sealed.specs import given_tables


@dataclass(frozen=True)
class Checked:
    """One table tried: its partition, and the gates that spoke against it."""

    partition: Partition
    refused: tuple[Verdict, ...]
    reason: str
    closeness: float | None = None  # the largest distance of a group from the whole, over all attributes; None if not reached

    @property
    def passed(self) -> bool:
        return not self.reason


@dataclass(frozen=True, eq=False)
class TableCheck:
    """`distance` is the callable's, where the promise names one. `infeasible` is `fail` while plans are searched. `report` is
    told how many rows are grouped, of how many."""

    table: Table
    promise: Promise
    settings: Anonymize
    disclosure: DisclosureKey | None
    attackers: tuple[Attacker, ...]
    seed: bytes
    distance: Distance | None = None
    infeasible: Infeasible = field(default_factory=Infeasible)
    tried: dict[frozenset[str], Checked] = field(default_factory=dict)
    report: Report | None = None
    stopping: threading.Event = field(default_factory=threading.Event)  # of the release: ends every grouping for it
    lent: Fraction = Fraction(1)  # of the share of rows that may be suppressed: what a single table may use

    def __call__(self, names: tuple[str, ...]) -> TableVerdict:
        checked = self.checked(names)
        return TableVerdict(checked.passed, checked.reason)

    def checked(self, names: tuple[str, ...]) -> Checked:
        key = frozenset(names)
        if key not in self.tried:
            self.tried[key] = self._try(names)
        return self.tried[key]

    def _try(self, names: tuple[str, ...]) -> Checked:
        partition = self.partition(names)
        if not partition.reached:
            return Checked(partition, (), f"not reached; {partition.remedy()}")
        published = publish_form(self.table, partition.groups, "plan", names, levels=partition.levels)
        promise = relaxed(self.promise, self.infeasible)
        found = threats(self.attackers, published, np.flatnonzero(partition.groups >= 0))
        figures = measure_table(promise, published, found, suppressed=partition.suppressed, distance=self.distance)
        refused = tuple(verdict for verdict in judge(promise, (figures,)) if not verdict.passed)
        reason = "; ".join(verdict.brief for verdict in refused)
        return Checked(partition, refused, reason, max(figures.each("closeness").values(), default=None))

    def partition(self, names: tuple[str, ...], kept: Any = None) -> Partition:
        """The table's rows (or those `kept`) in groups, by the policy's method."""
        table = self.table if kept is None else self.table.take(kept)
        watch = Watch(self.report, self.stopping)
        limits = limits_of(self.promise, table, names, self.distance)
        conditions = conditions_of(self.promise, names) if self.method.looks_at_conditions else ()
        settings = Settings(self.promise.k, limits, conditions, self._allowed(table.rows))
        return anonymize(self.method, table, names, settings, self._seed(names), watch)

    @property
    def method(self) -> Method:
        return self.settings.chosen

    def _allowed(self, rows: int) -> Infeasible:
        """What may be done where not all is kept. A method that suppresses while it searches may do so from the first try; what tables
        have suppressed together is spent, and the `rows` that are left may use the rest."""
        if not self.method.suppresses:
            return self.infeasible
        gone = self.table.rows - rows
        spare = int((self.suppression if gone else self.each_share) * self.table.rows) - gone
        return Infeasible(Otherwise.SUPPRESS, Fraction(max(0, spare), rows))

    def naive_closeness(self) -> float | None:
        """The largest distance of a group from the whole, over all attributes, were all in one table; None if that cannot be made."""
        return self.checked(self.table.sensitive).closeness

    @property
    def each_share(self) -> Fraction:
        return self.suppression * self.lent

    @property
    def suppression(self) -> Fraction:
        """The share of rows that may be left out."""
        return exact(self.settings.suppression or 0) if self.method.suppresses else self.infeasible.suppressible

    def _seed(self, names: tuple[str, ...]) -> int:
        return int.from_bytes(hashlib.sha256(self.seed + "\n".join(sorted(names)).encode()).digest()[:8], "big")


def relaxed(promise: Promise, infeasible: Infeasible) -> Promise:
    """What is promised in the end: where the policy lets δ be relaxed and it had to be, the floor it names."""
    whole = promise.required(DISSIMILARITY)
    if infeasible.otherwise != "relax" or whole is None:
        return promise
    return promise.requiring(whole.model_copy(update={"required": str(float(infeasible.amount))}))


def infeasible_of(settings: Anonymize) -> Infeasible:
    match settings.infeasible:
        case Suppress(suppress=share):
            return Infeasible.of({"suppress": share})
        case Relax(relax=floor):
            return Infeasible.of({"relax": floor})
        case _:
            return Infeasible()


def search_plan(policy: Policy, table: Table, check: CheckTable | None, promise: Promise) -> Projection:
    """The plan by the policy's method. Without `check` by association alone: whether its tables can be anonymized is not asked."""
    columns, wanted = table.select(table.sensitive), policy.projection
    beta = float(wanted.join_threat)
    alpha = 1.0 if check is None else float(wanted.association_loss)
    match wanted.method:
        case "codip*":
            return codip_star(columns, alpha, beta, check, monotone(promise))
        case "optimal":
            return optimal(columns, alpha, beta, check)
        case "single":
            return single(columns, check=check)
        case "separate":
            return separate(columns, check=check)
        case "given":
            return given(columns, given_tables(policy, table), check=check)
