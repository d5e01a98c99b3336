"""Advice on a policy: what is tried around its own setting, what is said of it, and that nothing is left behind."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path

import pytest

from headgate.core.errors import InputRejected
from headgate.core.tolerance import exact
from tasks.advice.advice_suggestions import PROTECT, USEFUL
from tasks.advice.advice_trials import TrialSetting
from tasks.advice.policy_advice import (
    STAND_IN,
    Advice,
    Prepared,
    SettingsCount,
    advise_on,
    epsilons_around,
    prepare,
    scout_at,
    share_of,
    sizes_around,
    trial_at,
)


@pytest.mark.parametrize(
    ("text", "share"), [("0", Fraction(0)), ("0.2", Fraction(1, 5)), ("1/3", Fraction(1, 3)), ("1", Fraction(1)), (None, None)]
)
def test_a_share_is_read_exactly(text: str | None, share: Fraction | None) -> None:
    assert share_of(text, "--max-loss") == share


@pytest.mark.parametrize("text", ["1.01", "-0.1", "much", "", "nan"])
def test_what_is_not_a_share_is_refused_by_its_option(text: str) -> None:
    with pytest.raises(InputRejected, match="--max-loss is not a number between 0 and 1") as caught:
        share_of(text, "--max-loss")
    assert caught.value.code == 2
    assert "--max-loss 0.2" in caught.value.cure


@pytest.mark.parametrize(
    ("own", "around"),
    [
        ("0.1", ("0", "0.05", "0.1", "0.2")),
        ("0.6", ("0", "0.3", "0.6")),  # twice as much would be everything
        ("0", ("0", "0.05", "0.1", "0.2")),
        (None, ("0", "0.05", "0.1", "0.2")),
        ("0.025", ("0", "0.0125", "0.025", "0.05")),
    ],
)
def test_epsilons_lie_around_the_policys_own_or_what_stands_in_for_it(own: str | None, around: tuple[str, ...]) -> None:
    assert epsilons_around(own) == around


SAID = {"alike", "remarks", "untried"}  # of ε, and what only a release can judge


def test_sizes_lie_around_the_policys_own(prepared: Prepared) -> None:
    assert prepared.own == TrialSetting(5, "0.05", "0.5")
    assert sorted(sizes_around(prepared)) == [2, 5, 10]


def test_no_size_is_so_small_that_another_gate_refuses_all_its_groups(clinic) -> None:
    """Whoever is in a group of three is found with certainty 1/3."""
    clinic.policy["anonymize"] = {"k": 6, "epsilon": 0.05, "delta": 0.5}
    clinic.policy["attributes"] |= {name: {"role": "dropped"} for name in ("diagnosis", "education")}
    clinic.policy["gates"]["reidentification"] = {"max": 0.25}
    clinic.load()
    assert sorted(sizes_around(prepare(clinic.folder / "policy.yaml"))) == [6, 12]


def test_advice_says_why_the_policy_is_refused_and_what_it_could_promise(advice: Advice) -> None:
    assert (advice.dataset, advice.k, advice.epsilon, advice.delta, advice.shown_epsilon) == ("clinic", 5, "0.05", "0.5", "0.05")
    assert advice.passes is False
    assert "income" in advice.reason
    (table,) = advice.tables
    assert {(setting.k, setting.epsilon) for setting in table.settings} == {
        (k, epsilon) for k in (2, 5, 10) for epsilon in (0.0, 0.025, 0.05, 0.1)
    }
    protect, useful = advice.suggestions
    assert (protect.purpose, useful.purpose, useful.bound) == (PROTECT, USEFUL, 0.5)
    assert protect.tried is not None
    own = table.at(5, 0.05)
    assert own is not None
    assert own.reached is not None
    assert exact(protect.tried.setting.delta) <= own.reached < exact("0.5")


def test_advice_can_be_written_as_json(advice: Advice) -> None:
    document = json.loads(json.dumps(advice.to_json()))
    assert document["asked"] == {"k": 5, "epsilon": 0.05, "delta": 0.5}
    assert set(document) == {"dataset", "asked", "passes", "reason", "tables", "suggestions", "unused_values", "numbers", *SAID}
    assert document["alike"] == [["Values of income are alike within 25,000 of each other (ε 0.05 of the domain 0 to 500,000)."]]


def test_bounds_that_are_asked_for_are_kept_and_nothing_is_left_behind(policy_path: Path) -> None:
    before = sorted(policy_path.parent.rglob("*"))
    told: list[tuple[int, int]] = []
    advice = advise_on(policy_path, max_loss="0.15", min_delta="0.05", progress=lambda done, expected, _rows: told.append((done, expected)))
    protect, useful = advice.suggestions
    assert protect.tried is None or protect.tried.loss <= 0.15
    assert useful.tried is not None
    assert exact(useful.tried.setting.delta) == exact("0.05")
    assert sorted(policy_path.parent.rglob("*")) == before
    assert [done for done, _ in told] == sorted(done for done, _ in told)
    assert all(done <= expected for done, expected in told)
    assert told[-1][0] > 0


def test_the_utility_bound_of_the_policy_counts_too(clinic) -> None:
    clinic.policy["attributes"] |= {name: {"role": "dropped"} for name in ("diagnosis", "admitted", "education")}
    clinic.policy["anonymize"] = {"k": 5, "epsilon": 0.05, "delta": 0.5}
    clinic.policy["utility"] = {"queries": 50, "max_loss": 0.01}
    clinic.load()
    protect, _ = advise_on(clinic.folder / "policy.yaml", max_loss="0.5").suggestions
    assert protect.bound == 0.01
    assert protect.tried is None or protect.tried.loss <= 0.01


def test_progress_counts_settings_and_rows_and_a_longer_search_makes_more_of_them() -> None:
    told: list[tuple[int, int, tuple[int, int] | None]] = []
    count = SettingsCount(lambda done, expected, rows: told.append((done, expected, rows)))
    count.expect(2)
    count.add(2)
    count.rows(30, 60)
    count.one_more()
    assert told == [(2, 2, None), (2, 2, (30, 60)), (3, 3, None)]
    SettingsCount(None).add(1)


def test_a_trial_of_a_table_asks_for_it_by_k_epsilon_and_delta(prepared: Prepared, monkeypatch: pytest.MonkeyPatch) -> None:
    trials = prepared.trials
    asked: list[tuple[str, object, TrialSetting]] = []
    monkeypatch.setattr(type(trials), "tried", lambda _trials, names, setting: asked.append(("tried", names, setting)))
    monkeypatch.setattr(type(trials), "scout", lambda _trials, names, setting: asked.append(("scout", names, setting)))
    trial_at(trials, ("income",))(7, "0.2", "0.3")
    scout_at(trials, ("income",))(7, "0.2", "0.4")
    assert asked == [("tried", ("income",), TrialSetting(7, "0.2", "0.3")), ("scout", ("income",), TrialSetting(7, "0.2", "0.4"))]


def test_a_policy_without_a_composite_promise_is_shown_at_an_epsilon_that_stands_in() -> None:
    advice = Advice("d", 5, None, None, True, "", ())
    assert advice.shown_epsilon == STAND_IN == "0.1"
    assert advice.to_json()["asked"] == {"k": 5, "epsilon": None, "delta": None}
