"""What `headgate advise` works from: the policy's source and plan, on the steward's own terminal. Nothing of it is stored."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any

from headgate.advice.result import TableAdvice
from headgate.advice.table_advice import Scouting, Sweep, Trial, advise, fitting
from headgate.core.errors import InputRejected
from headgate.core.tolerance import exact
from headgate.grouping.watch import Report
from headgate.projection.plan import NOTHING_PASSES, NoPlan
from policies.gates.dissimilarity import DISSIMILARITY
from policies.gates.every_gate import GATES
from policies.jobs.engine import LocalEngine
from policies.jobs.plan_search import TableCheck
from policies.jobs.spool import MemorySpool
from policies.jobs.table_job import Names, Workplace
from policies.judging.alike_in_words import alike_in
from policies.judging.measure import composite_of
from policies.judging.method_limits import least_k, limits_of
from policies.judging.verdicts import refusal_of
from policies.sealed.unused_values import unused_values
from policies.words.fields import decimal_of, decimal_text
from tasks.advice.advice_suggestions import Search, Suggestion
from tasks.advice.advice_trials import BELOW, Trials, TrialSetting, plans_of
from tasks.advice.epsilon_remarks import epsilon_remarks
from tasks.advice.number_advice import NumberAdvice, number_advice, with_series
from tasks.advice.published_before import published_before
from tasks.reading.dictionaries import encode_dictionaries
from tasks.reading.ingest import Ingested, ingest
from tasks.reading.prepare import prepare_source
from tasks.reading.references import LoadedPolicy, load_policy
from tasks.release.steps.choose_plan import why_no_plan
from tasks.release.steps.transform_source import identifiers_among
from tasks.runtime.callables import callable_distance

STAND_IN = "0.1"  # ε, where the policy promises no composite
SUGGESTING = 8  # releases that are tried for the suggestions, about
Progress = Callable[[int, int, tuple[int, int] | None], None]  # settings done, in all; of a try that goes on: rows grouped, in all


@dataclass(frozen=True)
class Advice:
    """One part per projected table. `passes`: whether a plan keeps the policy's promise as it stands; else the tables are those of the plan
    that a release would like best, and the advice says what could be promised of them."""

    dataset: str
    k: int
    epsilon: str | None
    delta: str | None
    passes: bool
    reason: str  # why no plan keeps it, and what would help
    tables: tuple[TableAdvice, ...]
    suggestions: tuple[Suggestion, ...] = ()
    unused: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # declared values that no row has, by attribute
    numbers: tuple[NumberAdvice, ...] = ()
    alike: tuple[tuple[str, ...], ...] = ()  # by table: what the policy's ε amounts to in units
    remarks: tuple[str, ...] = ()
    untried: tuple[str, ...] = ()  # bounds that only a release can judge

    @property
    def shown_epsilon(self) -> str:
        """The ε that charts are drawn at."""
        return STAND_IN if self.epsilon is None else self.epsilon

    def to_json(self) -> dict[str, Any]:
        epsilon, delta = (None if text is None else float(exact(text)) for text in (self.epsilon, self.delta))
        return {
            "dataset": self.dataset,
            "asked": {"k": self.k, "epsilon": epsilon, "delta": delta},
            "passes": self.passes,
            "reason": self.reason,
            "tables": [table.to_json() for table in self.tables],
            "suggestions": [suggestion.to_json() for suggestion in self.suggestions],
            "unused_values": {name: list(values) for name, values in self.unused.items()},
            "numbers": [number.to_json() for number in self.numbers],
            "alike": [list(sentences) for sentences in self.alike],
            "remarks": list(self.remarks),
            "untried": list(self.untried),
        }


@dataclass(frozen=True, eq=False)
class Prepared:
    """A policy and its encoded source, ready to be tried under one setting after the other."""

    loaded: LoadedPolicy
    trials: Trials
    plans: tuple[tuple[Names, ...], ...]
    source_digest: str
    unused: Mapping[str, tuple[str, ...]]
    source: Ingested
    numbers: tuple[NumberAdvice, ...] = ()
    untried: tuple[str, ...] = ()
    foreseen: str = ""  # why every release is refused, whatever is tried

    @property
    def own(self) -> TrialSetting:
        anonymize = self.loaded.policy.anonymize
        if anonymize.epsilon is None or anonymize.delta is None or anonymize.alone:  # no composite is promised
            return TrialSetting(anonymize.k, None, None)
        return TrialSetting(anonymize.k, decimal_text(anonymize.epsilon), decimal_text(anonymize.delta))


def prepare(path: Path, report: Report | None = None) -> Prepared:
    """Reads everything that advice needs. `report` receives the number of rows that are grouped, and their total."""
    loaded = load_policy(path)
    ingested = ingest(loaded)
    source = prepare_source(loaded.policy, ingested, encode_dictionaries(loaded, ingested.table))
    refused = identifiers_among(loaded.policy, source)
    promise = source.promise
    for verdict in refused:  # no setting changes that, so the trials leave it aside
        promise = promise.without(verdict.gate, verdict.attribute)
    later = [gate.name for gate in GATES if gate.only_of_releases]
    untried = tuple(requirement.name for name in later for requirement in promise.of(name))
    for name in later:
        promise = promise.without(name)
    seed = hashlib.sha256(loaded.digest.encode()).digest()
    spool = MemorySpool()
    engine = LocalEngine(Workplace(spool, callable_distance, report))
    trials = Trials(
        loaded.policy, source.table, spool.put(source.table), spool.put(source.original), promise, spool.put(source.attackers), seed, engine
    )
    unused = unused_values(ingested.table, ingested.specs)
    numbers = number_advice(loaded.policy, ingested.table, source.table)
    why = str(refusal_of(refused)) if refused else ""
    plans, slim = plans_of(loaded.policy, source.table, promise), ingested.without_cells()
    return Prepared(loaded, trials, plans, ingested.source_digest, unused, slim, numbers, untried, why)


def share_of(text: str | None, option: str) -> Fraction | None:
    """What a person wrote after an option: a number between 0 and 1."""
    if text is None:
        return None
    try:
        number = exact(text)
    except InputRejected:
        number = Fraction(-1)
    if not 0 <= number <= 1:
        raise InputRejected(f"{option} is not a number between 0 and 1.", f"Write a decimal, such as {option} 0.2.")
    return number


def sizes_around(prepared: Prepared) -> tuple[int, ...]:
    """The policy's own k, half of it and twice as many; none so small that another gate refuses all its groups."""
    own, least = prepared.own.k, max(2, least_k(prepared.trials.promise))
    return fitting([own, *(k for k in (own // 2, 2 * own) if k >= least)], prepared.trials.table.rows)


def epsilons_around(own: str | None) -> tuple[str, ...]:
    """0, half of the policy's ε, ε itself and twice as much. If the policy has no ε, or 0, the substitute takes its place."""
    middle = exact(STAND_IN if own is None or exact(own) == 0 else own)
    around = {number for number in (Fraction(0), middle / 2, middle, 2 * middle) if number < 1}
    return tuple(decimal_text(decimal_of(number)) for number in sorted({*around, exact(own or STAND_IN)}))


def advise_on(path: Path, max_loss: str | None = None, min_delta: str | None = None, progress: Progress | None = None) -> Advice:
    """(ε, δ, k) around the policy's own, table by table, and what to choose."""
    most_loss, least_delta = share_of(max_loss, "--max-loss"), share_of(min_delta, "--min-delta")
    count = SettingsCount(progress)
    prepared = prepare(path, count.rows)
    own, sizes, epsilons = prepared.own, sizes_around(prepared), epsilons_around(prepared.own.epsilon)
    trials = prepared.trials
    count.expect(len(prepared.plans[0]) * len(sizes) * len(epsilons) + SUGGESTING)
    reason, tables = _own_setting(prepared)
    epsilon = STAND_IN if own.epsilon is None else own.epsilon
    count.expect(len(tables) * len(sizes) * len(epsilons) + SUGGESTING)
    more = () if own.delta is None else (exact(own.delta),)
    made = tuple(_table_advice(trials, names, sizes, epsilons, epsilon, more, count.add) for names in tables)
    plans = (tables, *(plan for plan in prepared.plans if plan != tables))
    search = Search(trials, plans, made, own, epsilon, epsilons, sizes, count.one_more)
    utility = trials.policy.utility
    bound = min(
        number
        for number in (most_loss, exact(utility.max_loss) if utility.max_loss is not None else None, Fraction(1))
        if number is not None
    )
    alone = trials.policy.anonymize.alone
    suggestions = [] if alone else [search.most_protective(bound)]
    wanted = least_delta if least_delta is not None else None if own.delta is None else exact(own.delta)
    if wanted is not None:
        suggestions.append(search.least_loss(wanted))
    reason = " ".join(filter(None, (prepared.foreseen, reason)))
    before = published_before(trials.policy, prepared.source)
    numbers = with_series(prepared.numbers, trials, own, prepared.source, tables, before)
    more_said = (tuple(suggestions), prepared.unused, numbers)
    alike = tuple(alike_in(trials.promise, names) for names in tables)
    remarks = epsilon_remarks(trials.policy, trials.table, epsilon)
    limits = (alike, remarks, prepared.untried)
    return Advice(trials.policy.dataset, own.k, own.epsilon, own.delta, not reason, reason, made, *more_said, *limits)


class SettingsCount:
    """The number of settings that are done, and the expected total, reported from any thread. A search that takes longer than expected
    raises the total."""

    def __init__(self, progress: Progress | None) -> None:
        self._done, self._expected, self._report = 0, 1, progress
        self._one_at_a_time = threading.Lock()

    def expect(self, settings: int) -> None:
        self._expected = settings

    def add(self, done: int) -> None:
        with self._one_at_a_time:
            self._done += done
            self._expected = max(self._expected, self._done)
            self._tell(None)

    def one_more(self) -> None:
        self.add(1)

    def rows(self, done: int, rows: int) -> None:
        with self._one_at_a_time:
            self._tell((done, rows))

    def _tell(self, rows: tuple[int, int] | None) -> None:
        if self._report is not None:
            self._report(self._done, self._expected, rows)


def _own_setting(prepared: Prepared) -> tuple[str, tuple[Names, ...]]:
    """Why the policy's own setting is refused, if it is; and the tables that advice is about."""
    trials, plans = prepared.trials, prepared.plans
    release = trials.release(prepared.own, 0, plans)
    if release is not None:
        utility = f"{' and '.join(release.refused)} would refuse it; see below" if release.refused else ""
        return utility, release.tables
    check = TableCheck(trials.job_at((), prepared.own), trials.engine)
    check.tried.update(
        {frozenset(names): trials.failed[names, prepared.own] for names in plans[0] if (names, prepared.own) in trials.failed}
    )
    nothing = NoPlan(NOTHING_PASSES, 0.0, 1.0, "", ())
    attackers = trials.engine.place.spool.get(trials.attackers)
    return str(why_no_plan(check, trials.table, attackers, trials.policy.gates, nothing, BELOW).why), plans[0]


def _table_advice(
    trials: Trials,
    names: Names,
    sizes: Sequence[int],
    epsilons: Sequence[str],
    own: str,
    more: Sequence[Fraction],
    announce: Callable[[int], None],
) -> TableAdvice:
    promise = trials.promise
    compared = trials.distance or composite_of(promise)
    others = limits_of(promise.without(DISSIMILARITY), trials.table, names, trials.distance)
    trial, scout = trial_at(trials, names), None if trials.sample is None else scout_at(trials, names)
    sweep = Sweep(trial, sizes, epsilons, others, more, scout, closely=(own,))
    return advise(trials.table, names, sweep, compared, announce, trials.stopping)


def trial_at(trials: Trials, names: Names) -> Trial:
    return lambda k, epsilon, delta: trials.tried(names, TrialSetting(k, epsilon, delta))


def scout_at(trials: Trials, names: Names) -> Scouting:
    return lambda k, epsilon, delta: trials.scout(names, TrialSetting(k, epsilon, delta))
