"""Trials are a release's own jobs: each is run once, with the seed of its number, and the worst of several seeds counts."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from headgate.advice.result import Tried
from headgate.core.errors import HeadgateError
from headgate.projection.plan import NoPlan
from headgate.utility.mean_interval import Moments
from policies.gates.verdict import Requirement
from policies.sealed.specs import promise_of
from tasks.advice import advice_trials
from tasks.advice.advice_trials import SEEDS, Trials, TrialSetting, over_tables, plans_of, tried_from
from tasks.advice.policy_advice import Prepared
from tasks.reading.dictionaries import Dictionaries
from tasks.reading.ingest import ingest
from tasks.reading.prepare import prepare_source

INCOME = ("income",)
EASY, HARD = TrialSetting(5, "0.05", "0.1"), TrialSetting(5, "0.05", "0.9")
PLANS = ((("a", "b"),), (("a",), ("b",)))


@pytest.fixture
def trials(prepared: Prepared) -> Trials:
    return replace(prepared.trials, known={}, failed={})


def outcome(loss: float = 0.2, passed: bool = True, **figures: Any) -> Tried:
    refused = () if passed else ("closeness",)
    return (
        Tried(True, refused, "", 0.6, loss, Moments(100, 0.1), 0.05, 0.4, 12, 60)
        if not figures
        else replace(outcome(loss, passed), refused=refused, **figures)
    )


@pytest.fixture
def known(prepared: Prepared) -> Callable[..., Trials]:
    """Trials whose jobs have all been run."""

    def make(outcomes: dict[tuple[tuple[str, ...], int], Tried], setting: TrialSetting = EASY) -> Trials:
        return replace(prepared.trials, known={(names, setting, number): tried for (names, number), tried in outcomes.items()}, failed={})

    return make


def test_a_table_is_tried_once_for_a_setting_and_a_seed(trials: Trials, monkeypatch: pytest.MonkeyPatch) -> None:
    run: list[Any] = []
    honest = trials.engine.map

    def counted(jobs: Iterable[Any]) -> Any:
        run.extend(jobs := list(jobs))
        return honest(jobs)

    monkeypatch.setattr(type(trials.engine), "map", lambda _engine, jobs, _ended: counted(jobs))
    first = trials.tried(INCOME, EASY)
    assert trials.tried(INCOME, EASY) is first
    assert len(run) == 1
    trials.tried(INCOME, EASY, 1)
    assert [job.sensitive for job in run] == [INCOME, INCOME]
    assert run[0].seed != run[1].seed


def test_what_is_not_known_yet_is_tried_at_once(trials: Trials, monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[list[bytes]] = []
    ends: list[int] = []
    honest = trials.engine.map
    known = trials.tried(INCOME, EASY)
    monkeypatch.setattr(
        type(trials.engine), "map", lambda _engine, jobs, ended: calls.append([job.seed for job in jobs]) or honest(jobs, ended)
    )
    wanted = [(INCOME, EASY, 2), (INCOME, EASY, 0), (INCOME, EASY, 1), (INCOME, EASY, 2)]
    tried = trials.all_tried(wanted, lambda: ends.append(1))
    assert [len(set(seeds)) for seeds in calls] == [2]
    assert ends == [1, 1]
    assert tried[1] is known
    assert tried == [trials.tried(*trial) for trial in wanted]


def test_what_is_tried_is_measured_as_a_release_would(trials: Trials) -> None:
    tried = trials.tried(INCOME, EASY)
    assert tried.passed
    assert tried.rows == 60
    assert 0 < tried.groups <= 60 // 5
    assert tried.loss is not None
    assert 0 < tried.loss < 1
    assert tried.delta_reached is not None
    assert tried.delta_reached >= 0.1 - 1e-9
    assert trials.failed == {}


def test_what_is_not_reached_says_why_and_is_remembered_as_failed(trials: Trials) -> None:
    tried = trials.tried(INCOME, HARD)
    assert (tried.reached, tried.loss) == (False, None)
    assert "see below" in tried.reason
    assert list(trials.failed) == [(INCOME, HARD)]


def test_a_job_promises_the_settings_k_epsilon_and_delta_instead_of_the_policys(trials: Trials) -> None:
    job = trials.job_at(INCOME, TrialSetting(7, "0.2", "0.3"))
    assert job.promise.k == 7
    composite = job.promise.required("dissimilarity")
    assert composite is not None
    assert (composite.required, composite.settings["epsilon"]) == ("0.3", "0.2")
    assert trials.job_at(INCOME, TrialSetting(7)).promise.required("dissimilarity") is None
    assert job.promise.required("linkability") == trials.promise.required("linkability")
    assert job.light
    assert trials.job_at(INCOME, EASY).seed == trials.job_at(INCOME, EASY).seed


def test_where_k_counts_households_the_k_that_is_tried_does_too(trials: Trials) -> None:
    """At k = 2, groups of two households were "still refused by households", which asked for the policy's own k."""
    surveyed = replace(trials, promise=trials.promise.requiring(Requirement(gate="households", required="5")))
    promise = surveyed.job_at(INCOME, TrialSetting(2, "0.05", "0.1")).promise
    assert [requirement.required for gate in ("k", "households") for requirement in promise.of(gate)] == ["2", "2"]
    assert not trials.job_at(INCOME, EASY).promise.of("households")


def test_a_release_takes_the_first_plan_whose_every_table_passes(known: Callable[..., Trials]) -> None:
    good, bad = outcome(0.3), outcome(passed=False)
    names = {"ab": ("a", "b"), "a": ("a",), "b": ("b",)}
    trials = known({(names["ab"], 0): bad, (names["a"], 0): good, (names["b"], 0): outcome(0.1, linkability=0.7)})
    release = trials.release(EASY, 0, PLANS)
    assert release is not None
    assert release.tables == PLANS[1]
    assert (release.loss, release.linkability) == (pytest.approx(0.2), 0.7)
    assert known({(names["ab"], 0): good}).release(EASY, 0, PLANS).tables == PLANS[0]
    assert known({(names["ab"], 0): bad, (names["a"], 0): good, (names["b"], 0): bad}).release(EASY, 0, PLANS) is None
    assert known({}).release(EASY, 0, ()) is None


def test_bounds_on_utility_are_judged_over_the_whole_release(known: Callable[..., Trials]) -> None:
    bound = Requirement(gate="utility", bound="max_loss", required="0.25")
    trials = known({(("a", "b"), 0): outcome(0.3)})
    strict = replace(trials, promise=trials.promise.requiring(bound))
    release = strict.release(EASY, 0, PLANS[:1])
    assert release is not None
    assert release.refused == ("utility.max_loss",)
    assert strict.always(EASY, PLANS[:1]) is None
    assert trials.release(EASY, 0, PLANS[:1]).refused == ()


def test_a_suggestion_is_the_worst_of_all_seeds(known: Callable[..., Trials]) -> None:
    whole = PLANS[0][0]
    outcomes = {(whole, number): outcome(0.2 + number / 10, query_errors=Moments(100, 0.3 - number / 10)) for number in range(SEEDS)}
    worst = known(outcomes).always(EASY, PLANS[:1])
    assert worst is not None
    assert (worst.loss, worst.query_error) == (pytest.approx(0.2 + (SEEDS - 1) / 10), pytest.approx(0.3))
    assert worst.query_error_high == pytest.approx(0.3)
    for number in range(SEEDS):
        unlucky = outcomes | {(whole, number): outcome(passed=False)}
        assert known(unlucky).always(EASY, PLANS[:1]) is None


def test_tables_lose_together_by_their_rows_and_the_worst_certainty_counts() -> None:
    tables = [
        outcome(0.1, rows=30, query_errors=Moments(100, 0.2), linkability=0.3, delta_reached=0.8),
        outcome(0.4, rows=10, linkability=0.9, delta_reached=0.5),
    ]
    utility, linkability, delta_reached = over_tables(tables)
    assert utility.ncp == pytest.approx((0.1 * 30 + 0.4 * 10) / 40)
    assert (linkability, delta_reached) == (0.9, 0.5)
    assert (utility.query_error_mean, utility.query_error_low) == (0.15, 0.143)  # of 200 queries
    assert utility.query_error_high == 0.157
    assert over_tables([outcome(delta_reached=None)])[2] is None


def test_a_table_whose_queries_could_not_be_counted_has_not_passed(trials: Trials) -> None:
    finished = trials.engine.map([trials.job_at(INCOME, EASY)])[0]
    assert tried_from(finished).passed
    unmeasured = tried_from(replace(finished, query_errors=None))
    assert unmeasured.refused == ("count queries",)
    assert (unmeasured.passed, unmeasured.query_error) == (False, None)


def test_a_policy_that_relaxes_delta_names_the_least_that_may_be_written(clinic: Any, trials: Trials) -> None:
    clinic.policy["anonymize"] = {"k": 5, "epsilon": 0.1, "delta": 0.6, "infeasible": {"relax": 0.4}}
    assert trials.floor == 0
    assert replace(trials, policy=clinic.load().policy).floor == Fraction(2, 5)


def test_a_large_table_sends_a_sample_of_its_rows_ahead(trials: Trials, monkeypatch: pytest.MonkeyPatch) -> None:
    assert replace(trials).sample is None
    monkeypatch.setattr(advice_trials, "SAMPLE", 20)
    sample = replace(trials).sample
    assert sample is not None
    assert (len(set(sample.tolist())), sample.min() >= 0, sample.max() < 60, np.all(np.diff(sample) > 0)) == (20, True, True, True)
    assert replace(trials).sample.tolist() == sample.tolist()
    assert replace(trials, seed=b"another").sample.tolist() != sample.tolist()
    scouting = replace(trials)
    assert scouting.scout(INCOME, HARD) is None
    assert 0 < scouting.scout(INCOME, TrialSetting(5, "0", "0")) < 1
    assert scouting.known == {}


@pytest.fixture
def plans(clinic: Any) -> Callable[..., tuple[Any, ...]]:
    def make(**projection: Any) -> tuple[Any, ...]:
        clinic.policy["attributes"]["diagnosis"] = {"role": "dropped"}
        clinic.policy["projection"] = projection
        loaded = clinic.load()
        table = prepare_source(loaded.policy, ingest(loaded), Dictionaries()).table
        return plans_of(loaded.policy, table, promise_of(loaded.policy, table))

    return make


def test_plans_are_those_that_a_release_may_publish_in_the_order_of_its_choice(plans: Callable[..., tuple[Any, ...]]) -> None:
    together, apart = (("income", "education"),), (("income",), ("education",))
    assert plans(method="separate") == (apart,)
    assert plans(method="single") == (together,)
    free = plans(method="codip*", association_loss=1, join_threat=1)
    assert [{frozenset(names) for names in plan} for plan in free] == [{frozenset(names) for names in plan} for plan in (together, apart)]
    assert [len(plan) for plan in plans(method="codip*", association_loss=1, join_threat=0)] == [2]
    assert [len(plan) for plan in plans(method="codip*", association_loss=0, join_threat=1)] == [1]


def test_where_no_plan_loses_as_little_the_figures_and_the_cure_are_told(plans: Callable[..., tuple[Any, ...]]) -> None:
    with pytest.raises(NoPlan) as caught:
        plans(method="codip*", association_loss=0, join_threat=0)
    assert isinstance(caught.value, HeadgateError)
    assert caught.value.code == 3
    assert "association_loss" in caught.value.cure
