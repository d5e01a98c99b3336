"""Trying settings as a release would: the policy's own anonymizer, every gate on the published form, count queries, and the plans in
the order in which a release would take them. Nothing of it is stored but figures."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from headgate.advice.result import Tried
from headgate.advice.side_by_side import side_by_side
from headgate.core.columns import Table
from headgate.core.distance import Distance
from headgate.core.errors import RequirementNotMet
from headgate.core.published import publish_form
from headgate.core.tolerance import at_most, exact
from headgate.grouping.watch import Report
from headgate.projection.codip import codip_star
from headgate.projection.plan import NoPlan, loses_too_much
from headgate.utility.queries import count_query_error
from policies.gates.attackers import Attacker, threats
from policies.gates.dissimilarity import DISSIMILARITY, Dissimilarity
from policies.gates.figures import Utility
from policies.gates.k import K
from policies.gates.verdict import Requirement
from policies.judging.checkplan import Checked, TableCheck, search_plan
from policies.judging.measure import measure_table
from policies.judging.verdicts import judge, judge_utility
from policies.schema.anonymization import Relax
from policies.schema.policy import Policy
from policies.sealed.promise import Promise

Names = tuple[str, ...]
SEEDS = 3  # with which a suggestion must have been reached: a release draws its own
SAMPLE = 6_000  # rows that go ahead where the table has more than twice as many


@dataclass(frozen=True)
class Asked:
    """A setting in the policy's own words; ε and δ are absent together, where the policy promises no composite."""

    k: int
    epsilon: str | None = None
    delta: str | None = None


@dataclass(frozen=True)
class ReleaseTried:
    """What a release under these settings would come to. `tables` are those of the plan that passes; figures are over all of them."""

    asked: Asked
    tables: tuple[Names, ...]
    loss: float
    query_error: float
    linkability: float
    delta_reached: float | None
    refused: tuple[str, ...] = ()  # bounds on utility that are not kept


@dataclass(frozen=True, eq=False)
class Trials:
    """Each table is tried once for a setting and seed. `report` is told how many rows of a try are grouped, of how many."""

    policy: Policy
    table: Table
    original: Table  # before a policy's `suppress_cells`: what count queries ask for
    promise: Promise
    attackers: tuple[Attacker, ...]
    seed: bytes
    distance: Distance | None = None
    report: Report | None = None
    stopping: threading.Event = field(default_factory=threading.Event)  # ends every try
    known: dict[tuple[Names, Asked, int], Tried] = field(default_factory=dict)
    failed: dict[tuple[Names, Asked], Checked] = field(default_factory=dict)  # without their groups, which would fill the memory

    def promise_at(self, asked: Asked) -> Promise:
        promise = self.promise.without(DISSIMILARITY).requiring(Requirement(gate=K.name, required=str(asked.k)))
        if asked.epsilon is None or asked.delta is None:
            return promise
        return promise.requiring(Dissimilarity().required(asked.epsilon, asked.delta))

    def check_at(self, asked: Asked, number: int = 0) -> TableCheck:
        """As a release checks tables while it searches its plan, with the seed of that number."""
        seed = hashlib.sha256(self.seed + bytes([number])).digest()
        gate = self.policy.gates.disclosure
        return TableCheck(
            self.table,
            self.promise_at(asked),
            self.policy.anonymize,
            gate,
            self.attackers,
            seed,
            self.distance,
            report=self.report,
            stopping=self.stopping,
        )

    @cached_property
    def sample(self) -> NDArray[np.int64] | None:
        """Rows of a large table, drawn without regard to anything."""
        rows = self.table.rows
        if rows <= 2 * SAMPLE:
            return None
        draw = np.random.default_rng(list(self.seed))
        return np.sort(draw.choice(rows, SAMPLE, replace=False))

    def scout(self, names: Names, asked: Asked) -> float | None:
        """What the sample loses, None if it does not reach the setting. Gates are not asked: few rows do not stand for the table there."""
        found = self.check_at(asked).partition(names, self.sample)
        return found.loss if found.reached else None

    def tried(self, names: Names, asked: Asked, number: int = 0) -> Tried:
        key = (names, asked, number)
        if key not in self.known:
            self.known[key] = self._try(names, asked, number)
        return self.known[key]

    def _try(self, names: Names, asked: Asked, number: int) -> Tried:
        """The partition is let go at once: dozens of them would fill the memory."""
        check = self.check_at(asked, number)
        found = check.partition(names)
        light = replace(found, groups=np.zeros(0, dtype=np.int32))
        if not found.reached:
            self.failed[names, asked] = Checked(light, (), "not reached")
            return Tried(False, reason=found.remedy())
        published = publish_form(self.table, found.groups, "table", names, levels=found.levels)
        learned = threats(self.attackers, published, np.flatnonzero(found.groups >= 0))
        figures = measure_table(check.promise, published, learned, suppressed=found.suppressed, distance=self.distance)
        failed = [verdict for verdict in judge(check.promise, (figures,)) if not verdict.passed]
        refused = [verdict.name for verdict in failed]
        if failed:
            self.failed[names, asked] = Checked(light, tuple(failed), "refused")
        mean, median = None, None
        wanted = self.policy.utility
        try:
            errors = count_query_error(
                self.original,
                published,
                wanted.dimensions,
                wanted.sensitive_dimensions,
                float(wanted.selectivity),
                wanted.queries,
                int.from_bytes(check.seed[8:16], "big"),
            )
            mean, median = errors.mean, errors.median
        except RequirementNotMet:
            refused.append("count queries")  # a release measures them too, and what cannot be measured has not passed
        return Tried(
            reached=True,
            refused=tuple(refused),
            reason=failed[0].remedy if failed else "",
            delta_reached=figures.figure("delta_reached"),
            loss=figures.ncp,
            query_error=mean,
            query_error_median=median,
            linkability=figures.figure("linkability"),
            groups=figures.groups,
            rows=figures.rows,
        )

    def release(self, asked: Asked, number: int = 0, plans: Sequence[tuple[Names, ...]] = ()) -> ReleaseTried | None:
        """The first of the plans whose every table passes; None if none does. Bounds on utility are judged, and stand in `refused`."""
        for tables in plans:
            found = []
            for names in tables:
                found.append(self.tried(names, asked, number))
                if not found[-1].passed:
                    break
            else:
                return self._whole(asked, tables, found)
        return None

    def _whole(self, asked: Asked, tables: tuple[Names, ...], found: Sequence[Tried]) -> ReleaseTried:
        rows = sum(tried.rows for tried in found)
        loss = sum((tried.loss or 0.0) * tried.rows for tried in found) / rows
        error = sum(tried.query_error or 0.0 for tried in found) / len(found)
        utility = Utility(query_error_mean=error, query_error_median=None, ncp=loss, suppressed_share=0.0)
        refused = tuple(verdict.name for verdict in judge_utility(self.promise, utility) if not verdict.passed)
        reached = [tried.delta_reached for tried in found if tried.delta_reached is not None]
        linkability = max(tried.linkability or 0.0 for tried in found)
        return ReleaseTried(asked, tables, loss, error, linkability, min(reached, default=None), refused)

    def always(self, asked: Asked, plans: Sequence[tuple[Names, ...]]) -> ReleaseTried | None:
        """The worst of several seeds, if it passes with every one of them, utility included."""
        first = self.release(asked, 0, plans)
        if first is None or first.refused:
            return None
        found = [first]
        for tried in side_by_side(lambda number: self.release(asked, number, plans), range(1, SEEDS), self.stopping):
            if tried is None or tried.refused:
                return None
            found.append(tried)
        worst = max(found, key=lambda one: one.loss)
        return replace(worst, query_error=max(one.query_error for one in found), linkability=max(one.linkability for one in found))

    @property
    def floor(self) -> Fraction:
        """The least δ that may be written: a policy that relaxes δ names one."""
        option = self.policy.anonymize.infeasible
        return exact(option.relax) if isinstance(option, Relax) else Fraction(0)


def plans_of(policy: Policy, table: Table, promise: Promise) -> tuple[tuple[Names, ...], ...]:
    """The plans that a release may publish, in the order of its choice. CODIP* goes one way whatever its tables pass, and of the plans on
    it that pass takes the last; so they are asked from the end, which tries far fewer tables."""
    wanted = policy.projection
    if wanted.method != "codip*":
        return (search_plan(policy, table, None, promise).tables,)
    alpha, beta = float(wanted.association_loss), float(wanted.join_threat)
    whole = codip_star(table.select(table.sensitive), 1.0, beta)
    steps = [step for step in whole.steps if at_most(step.information_exposure, beta) and at_most(step.association_loss, alpha)]
    if not steps:
        raise NoPlan(
            loses_too_much(whole.association_loss, alpha),
            whole.association_loss,
            alpha,
            "No plan loses as little association. Raise projection.association_loss to the figure measured, or join_threat.",
            whole.steps,
        )
    return tuple(tuple(tuple(whole.columns[place] for place in table) for table in step.tables) for step in reversed(steps))
