"""Which setting is suggested, over invented trials: what reaches which δ, and what it loses, can be read off a table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

import pytest

from headgate.advice.result import Setting, TableAdvice, Tried, TriedDelta
from headgate.core.tolerance import exact
from tasks.advice.advice_suggestions import FEWEST, PROTECT, USEFUL, Search, Suggestion
from tasks.advice.advice_trials import ReleaseTried, TrialSetting

PLAN = (("pay",),)
Reach = dict[tuple[int, str], str]


@dataclass
class InventedTrials:
    """A setting is reached up to a δ, and loses k·δ hundredths. Those in `unlucky` fail with another seed."""

    reach: Reach
    floor: Fraction = Fraction(0)
    unlucky: Sequence[TrialSetting] = ()
    refused_above: str = "1"  # δ above which a bound on utility refuses
    known: dict[Any, Any] = field(default_factory=dict)
    tries: list[TrialSetting] = field(default_factory=list)

    def release(self, setting: TrialSetting, number: int = 0, plans: Any = ()) -> ReleaseTried | None:
        self.tries.append(setting)
        self.known[plans[0][0], setting, number] = True
        most = self.reach.get((setting.k, str(setting.epsilon)))
        delta = exact(setting.delta)
        if most is None or delta > exact(most):
            return None
        refused = ("utility.max_loss",) if delta > exact(self.refused_above) else ()
        return ReleaseTried(setting, plans[0], float(setting.k * delta / 100), 0.05, 0.06, 0.5, float(delta), refused)

    def always(self, setting: TrialSetting, plans: Any) -> ReleaseTried | None:
        release = self.release(setting, 0, plans)
        return None if release is None or release.refused or setting in self.unlucky else release


def advice_of(reach: Reach, sizes: Sequence[int], epsilons: Sequence[str], gates: tuple[str, ...] = ()) -> TableAdvice:
    settings = []
    for k in sizes:
        for epsilon in epsilons:
            most = reach.get((k, epsilon))
            points = (TriedDelta(Fraction(1), Tried(False, gates)),) + (() if most is None else (TriedDelta(exact(most), Tried(True)),))
            settings.append(Setting(k, float(epsilon), None, None, None, None, None, points))
    return TableAdvice(("pay",), 60, (), tuple(settings), ())


def search(reach: Reach, own: TrialSetting = TrialSetting(10, "0.1", "0.6"), gates: tuple[str, ...] = (), **trials: Any) -> Search:
    sizes, epsilons = (3, 5, 10, 20), ("0", "0.1", "0.2")
    invented: Any = InventedTrials(reach, **trials)
    return Search(invented, (PLAN,), (advice_of(reach, sizes, epsilons, gates),), own, str(own.epsilon), epsilons, sizes)


def asked(suggestion: Suggestion) -> tuple[int, str | None, str | None] | None:
    return (
        None if suggestion.tried is None else (suggestion.tried.setting.k, suggestion.tried.setting.epsilon, suggestion.tried.setting.delta)
    )


@pytest.mark.parametrize(
    ("reach", "most_loss", "expected"),
    [
        ({(10, "0.1"): "0.8"}, "1", (10, "0.1", "0.8")),  # the largest δ reached
        ({(10, "0.1"): "0.8"}, "0.05", (10, "0.1", "0.5")),  # 10 · 0.5 hundredths
        ({(10, "0.1"): "0.62"}, "1", (10, "0.1", "0.6")),  # twentieths, and the policy's own
        ({(20, "0.1"): "0.7", (5, "0.1"): "0.9"}, "1", (20, "0.1", "0.7")),  # a larger k before a smaller one
        ({(3, "0.1"): "1", (5, "0.1"): "0.9"}, "1", (5, "0.1", "0.9")),  # of smaller ones the largest
        ({(5, "0.1"): "0.9", (10, "0"): "1"}, "1", (5, "0.1", "0.9")),  # another k before a smaller ε
        ({(10, "0"): "1", (10, "0.2"): "1"}, "1", (10, "0", "1")),  # ε only downwards
        ({(10, "0.2"): "1"}, "1", None),
        ({(10, "0.1"): "0.8"}, "0.001", None),  # nothing loses so little
        ({(10, "0.1"): "0.04"}, "1", None),  # a promise of next to nothing
    ],
)
def test_to_protect_most_the_largest_delta_within_the_loss_is_suggested(reach: Reach, most_loss: str, expected: Any) -> None:
    suggestion = search(reach).most_protective(exact(most_loss))
    assert asked(suggestion) == expected
    assert (suggestion.purpose, suggestion.bound) == (PROTECT, float(exact(most_loss)))


@pytest.mark.parametrize(
    ("reach", "least_delta", "expected"),
    [
        ({(10, "0.1"): "0.8", (20, "0.1"): "0.8"}, "0.5", (10, "0.1", "0.5")),
        ({(20, "0.1"): "0.8", (5, "0.1"): "0.8"}, "0.5", (20, "0.1", "0.5")),
        ({(5, "0.1"): "0.8"}, "0.5", (5, "0.1", "0.5")),
        ({(5, "0"): "0.8"}, "0.5", (5, "0", "0.5")),
        ({(10, "0.1"): "0.4"}, "0.5", None),
    ],
)
def test_to_lose_least_exactly_the_delta_asked_for_is_suggested(reach: Reach, least_delta: str, expected: Any) -> None:
    suggestion = search(reach).least_loss(exact(least_delta))
    assert asked(suggestion) == expected
    assert (suggestion.purpose, suggestion.bound) == (USEFUL, float(exact(least_delta)))


def test_nothing_is_suggested_that_fails_with_another_seed() -> None:
    unlucky = [TrialSetting(10, "0.1", delta) for delta in ("0.8", "0.75", "0.5")]
    found = search({(10, "0.1"): "0.8"}, unlucky=unlucky)
    assert asked(found.most_protective(Fraction(1))) == (10, "0.1", "0.7")
    assert asked(found.least_loss(Fraction(1, 2))) is None


def test_what_a_bound_on_utility_refuses_is_not_suggested() -> None:
    assert asked(search({(10, "0.1"): "0.8"}, refused_above="0.6").most_protective(Fraction(1))) == (10, "0.1", "0.6")


def test_no_delta_below_the_one_that_may_be_written_is_suggested() -> None:
    reach = {(10, "0.1"): "0.3", (5, "0.1"): "0.5"}
    assert asked(search(reach, floor=Fraction(2, 5)).most_protective(Fraction(1))) == (5, "0.1", "0.5")
    assert asked(search(reach, floor=Fraction(2, 5)).least_loss(Fraction(1, 5))) == (5, "0.1", "0.4")
    assert asked(search(reach).most_protective(Fraction(1))) == (10, "0.1", "0.3")
    assert Fraction(1, 20) == FEWEST


def test_what_had_to_give_besides_delta_is_told() -> None:
    assert search({(10, "0.1"): "0.8"}).most_protective(Fraction(1)).reason == ""
    reason = search({(20, "0"): "0.8"}).most_protective(Fraction(1)).reason
    assert reason == "No δ is enough at the policy's own k and ε: k 20 instead of 10, ε 0 instead of 0.1."


def test_where_nothing_will_do_the_gates_that_refuse_and_the_largest_delta_are_told() -> None:
    nothing = search({}, gates=("closeness of pay", "distinct_l of pay")).most_protective(Fraction(1))
    assert nothing.tried is None
    assert "What refuses them: closeness of pay, distinct_l of pay." in nothing.reason
    reached = search({(10, "0.1"): "0.4", (5, "0.1"): "0.45"}).least_loss(Fraction(1, 2))
    nothing_tried = "No setting that was tried has a δ of at least 0.5 and satisfies all other requirements."
    assert reached.reason == f"{nothing_tried} The largest δ that all tables reached is 0.45."
    assert "The largest" not in search({}).least_loss(Fraction(1, 2)).reason


def test_what_some_table_is_known_not_to_reach_is_not_tried() -> None:
    found = search({(10, "0.1"): "0.4"})
    found.least_loss(Fraction(1, 2))
    assert found.trials.tries == []  # type: ignore[attr-defined]
    other = replace(found, plans=(PLAN, (("pay", "job"),)))  # another plan may carry it
    other.least_loss(Fraction(1, 2))
    assert [setting.k for setting in other.trials.tries] == [10]  # type: ignore[attr-defined]


def test_a_suggestion_is_lines_to_paste_and_its_figures() -> None:
    suggestion = search({(10, "0.1"): "0.8"}).most_protective(Fraction(1))
    assert suggestion.snippet == "anonymize:\n  k: 10\n  epsilon: 0.1\n  delta: 0.8\n"
    assert suggestion.to_json() == {
        "purpose": PROTECT,
        "bound": 1.0,
        "reason": "",
        "setting": {"k": 10, "epsilon": "0.1", "delta": "0.8"},
        "figures": {"ncp": 0.08, "query_error_mean": 0.05, "query_error_high": 0.06, "linkability": 0.5, "delta_reached": 0.8},
        "tables": [["pay"]],
        "snippet": suggestion.snippet,
    }
    nothing = Suggestion(USEFUL, 0.5, None, "Nothing will do.")
    assert (nothing.snippet, nothing.to_json()) == ("", {"purpose": USEFUL, "bound": 0.5, "reason": "Nothing will do.", "setting": None})
