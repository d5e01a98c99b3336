"""Trying settings as a release would: the policy's own anonymizer, every gate on the published form, count queries, and the plans in
the order in which a release would take them. Nothing of it is stored but figures."""

from __future__ import annotations

import hashlib
import math
import threading
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from headgate.advice.result import Tried
from headgate.core.columns import Table
from headgate.core.distance import Distance
from headgate.core.tolerance import at_most, exact
from headgate.projection.codip import codip_star
from headgate.projection.plan import NoPlan, loses_too_much
from headgate.utility.mean_interval import Moments
from policies.attackers.attacker import Attacker
from policies.gates.dissimilarity import DISSIMILARITY, Dissimilarity
from policies.gates.figures import ReleaseFigures, ReleaseUtility
from policies.gates.households import Households
from policies.gates.k import K
from policies.gates.verdict import Requirement
from policies.jobs.engine import Ended, LocalEngine
from policies.jobs.plan_search import search_plan
from policies.jobs.spool import Reference
from policies.jobs.table_job import Names, Queries, TableJob, TableOutcome
from policies.judging.release_utility import utility_of
from policies.judging.verdicts import judge_whole
from policies.schema.anonymization import Relax
from policies.schema.policy import Policy
from policies.sealed.promise import Promise

SEEDS = 3  # with which a suggestion must have been reached: a release draws its own
BELOW = "see below"  # where a refusal sends others to `headgate advise`
SAMPLE = 6_000  # rows that go ahead where the table has more than twice as many


@dataclass(frozen=True)
class TrialSetting:
    """A setting in the policy's own words; ε and δ are absent together, where the policy promises no composite."""

    k: int
    epsilon: str | None = None
    delta: str | None = None


@dataclass(frozen=True)
class ReleaseTried:
    """What a release under these settings would come to. `tables` are those of the plan that passes; figures are over all of them."""

    setting: TrialSetting
    tables: tuple[Names, ...]
    loss: float
    query_error: float
    query_error_high: float | None  # the upper end of its interval
    linkability: float
    delta_reached: float | None
    refused: tuple[str, ...] = ()  # bounds on utility that are not kept


@dataclass(frozen=True, eq=False)
class Trials:
    """Each table is tried once for a setting and seed: the same jobs as a release's, run by `engine`, in whose spool `columns` and
    `original` lie."""

    policy: Policy
    table: Table
    columns: Reference[Table]
    original: Reference[Table]  # before a policy's `suppress_cells`: what count queries ask for
    promise: Promise
    attackers: Reference[tuple[Attacker, ...]]
    seed: bytes
    engine: LocalEngine
    known: dict[tuple[Names, TrialSetting, int], Tried] = field(default_factory=dict)
    failed: dict[tuple[Names, TrialSetting], TableOutcome] = field(default_factory=dict)  # without groups, to save memory

    @property
    def stopping(self) -> threading.Event:
        return self.engine.place.stopping

    @property
    def distance(self) -> Distance | None:
        """The callable's, where the policy names one."""
        return self.engine.place.distance_of(self.promise)

    def job_at(self, names: Names, setting: TrialSetting, number: int = 0) -> TableJob:
        """As a release asks it while it searches its plan, with the seed of that number. The partition is let go at once."""
        counted = [gate for gate in (K.name, Households.name) if self.promise.of(gate)]
        sizes = (Requirement(gate=gate, required=str(setting.k)) for gate in counted)
        promise = self.promise.without(DISSIMILARITY).requiring(*sizes)
        if setting.epsilon is not None and setting.delta is not None:
            promise = promise.requiring(Dissimilarity().required(setting.epsilon, setting.delta))
        seed = hashlib.sha256(self.seed + bytes([number])).digest()
        queries = Queries(self.original, self.policy.utility, int.from_bytes(seed[8:16], "big"))
        return TableJob(names, self.columns, promise, self.policy.anonymize, self.attackers, seed, queries=queries, light=True)

    @cached_property
    def sample(self) -> NDArray[np.int64] | None:
        """Rows of a large table, drawn without regard to anything."""
        rows = self.table.rows
        if rows <= 2 * SAMPLE:
            return None
        draw = np.random.default_rng(list(self.seed))
        return np.sort(draw.choice(rows, SAMPLE, replace=False))

    @cached_property
    def _sampled(self) -> Reference[NDArray[np.int64]] | None:
        return None if self.sample is None else self.engine.place.spool.put(self.sample)

    def scout(self, names: Names, setting: TrialSetting) -> float | None:
        """The loss on a sample of the rows; None if the sample does not reach the setting. Gates are not judged, since a few rows cannot
        represent the table."""
        job = replace(self.job_at(names, setting), rows=self._sampled, judged=False)
        partition = self.engine.map([job])[0].partition
        return partition.loss if partition.reached else None

    def tried(self, names: Names, setting: TrialSetting, number: int = 0) -> Tried:
        return self.all_tried([(names, setting, number)])[0]

    def all_tried(self, wanted: Sequence[tuple[Names, TrialSetting, int]], ended: Ended | None = None) -> list[Tried]:
        """At once, those that are not known yet; `ended` is called after each of them."""
        unknown = [trial for trial in dict.fromkeys(wanted) if trial not in self.known]
        outcomes = self.engine.map([self.job_at(*trial) for trial in unknown], ended)
        for (names, setting, number), outcome in zip(unknown, outcomes, strict=True):
            if not outcome.passed:
                self.failed[names, setting] = outcome
            self.known[names, setting, number] = tried_from(outcome)
        return [self.known[trial] for trial in wanted]

    def release(self, setting: TrialSetting, number: int = 0, plans: Sequence[tuple[Names, ...]] = ()) -> ReleaseTried | None:
        """The first plan of which every table passes; None if there is none. Bounds on utility are judged too; those that refuse are in
        `refused`."""
        for tables in plans:
            outcomes = []
            for names in tables:
                outcomes.append(self.tried(names, setting, number))
                if not outcomes[-1].passed:
                    break
            else:
                return self._whole(setting, tables, outcomes)
        return None

    def _looked_at(self, setting: TrialSetting, plans: Sequence[tuple[Names, ...]], passed: tuple[Names, ...]) -> list[Names]:
        """The tables that a release with the first seed has tried before a plan passed."""
        tables = dict.fromkeys(chain.from_iterable(plans[: plans.index(passed) + 1]))
        return [names for names in tables if (names, setting, 0) in self.known]

    def _whole(self, setting: TrialSetting, tables: tuple[Names, ...], outcomes: Sequence[Tried]) -> ReleaseTried:
        utility, linkability, delta_reached = over_tables(outcomes)
        refused = tuple(verdict.name for verdict in judge_whole(self.promise, ReleaseFigures(utility)) if not verdict.passed)
        error = math.inf if utility.query_error_mean is None else utility.query_error_mean
        return ReleaseTried(setting, tables, utility.ncp, error, utility.query_error_high, linkability, delta_reached, refused)

    def always(self, setting: TrialSetting, plans: Sequence[tuple[Names, ...]]) -> ReleaseTried | None:
        """The worst of several seeds, if it passes with every one of them, utility included."""
        first = self.release(setting, 0, plans)
        if first is None or first.refused:
            return None
        tables = self._looked_at(setting, plans, first.tables)  # at which other seeds will look too
        self.all_tried([(names, setting, number) for number in range(1, SEEDS) for names in tables])
        releases = [first]
        for number in range(1, SEEDS):
            tried = self.release(setting, number, plans)
            if tried is None or tried.refused:
                return None
            releases.append(tried)
        worst = max(releases, key=lambda release: release.loss)
        erring = max(releases, key=lambda release: (release.query_error_high or math.inf, release.query_error))
        linkability = max(release.linkability for release in releases)
        return replace(worst, query_error=erring.query_error, query_error_high=erring.query_error_high, linkability=linkability)

    @property
    def floor(self) -> Fraction:
        """The least δ that may be written: a policy that relaxes δ names one."""
        option = self.policy.anonymize.infeasible
        return exact(option.relax) if isinstance(option, Relax) else Fraction(0)


def over_tables(found: Sequence[Tried]) -> tuple[ReleaseUtility, float, float | None]:
    """Of tables that were all reached: what they lose together, and the worst linkability and δ reached."""
    errors = [tried.query_errors for tried in found if tried.query_errors is not None]
    medians = [tried.query_error_median for tried in found if tried.query_error_median is not None]
    told = (Moments.pooled(errors), float(np.median(medians))) if errors and medians else (None, None)
    utility = utility_of([(tried.rows, tried.loss or 0.0) for tried in found], *told)
    reached = [tried.delta_reached for tried in found if tried.delta_reached is not None]
    return utility, max(tried.linkability or 0.0 for tried in found), min(reached, default=None)


def tried_from(outcome: TableOutcome) -> Tried:
    figures, errors = outcome.figures, outcome.query_errors
    if figures is None:
        return Tried(False, reason=outcome.partition.remedy(BELOW))
    refused = [verdict.name for verdict in outcome.refused]
    if errors is None:
        refused.append("count queries")  # a release measures them too, and what cannot be measured has not passed
    return Tried(
        reached=True,
        refused=tuple(refused),
        reason=outcome.refused[0].remedy if outcome.refused else "",
        delta_reached=figures.figure("delta_reached"),
        loss=figures.ncp,
        query_errors=None if errors is None else errors[0],
        query_error_median=None if errors is None else errors[1],
        linkability=figures.figure("linkability"),
        groups=figures.groups,
        rows=figures.rows,
    )


def plans_of(policy: Policy, table: Table, promise: Promise) -> tuple[tuple[Names, ...], ...]:
    """The plans that a release may publish, in the order in which it would choose them. CODIP* considers the same sequence of plans
    whichever tables pass, and takes the last plan that passes. So plans are tried from the end, which tries far fewer tables."""
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
            "Raise projection.association_loss to at least the figure measured; or raise projection.join_threat, so that more tables "
            "may be merged.",
            whole.steps,
        )
    return tuple(tuple(tuple(whole.columns[place] for place in table) for table in step.tables) for step in reversed(steps))
