"""The gate on attacks: what counts as gained, and that an attack that could not be tried has not passed."""

from __future__ import annotations

import math
from types import SimpleNamespace
from typing import Any

import pytest
from pydantic import ValidationError

from headgate.core.errors import PolicyInvalid
from policies.gates.attack import WHO, Attack, AttackKey
from policies.gates.figures import AttackGain, ReleaseFigures, ReleaseUtility
from policies.gates.series_figures import ComparedFigures, SeriesFigures
from policies.gates.verdict import Requirement

GATE = Attack()
UTILITY = ReleaseUtility(ncp=0, suppressed_share=0)
JOIN = Requirement(gate="attack", bound="background_join", required="0.1")


def gained(right: float, overall: float = 20, people: int = 100, attack: str = "background_join", **more: Any) -> AttackGain:
    return AttackGain(attack=attack, who="somebody is right about 'job'", people=people, right=right, right_overall=overall, **more)


def reached(*attacks: AttackGain) -> float | None:
    return GATE.reached_by_release(JOIN, ReleaseFigures(UTILITY, attacks))


def test_the_largest_gain_of_any_table_counts_and_that_of_other_attacks_does_not() -> None:
    assert reached(gained(25), gained(33), gained(90, attack="homogeneity")) == pytest.approx(0.13)
    assert reached(gained(10)) == pytest.approx(-0.1)


@pytest.mark.parametrize("tried", [(), (gained(90, attack="homogeneity"),), (gained(20), gained(0, 0, 0))])
def test_an_attack_that_was_not_tried_everywhere_has_not_passed(tried: tuple[AttackGain, ...]) -> None:
    assert reached(*tried) is None
    verdict = GATE.verdict(JOIN, "", None)
    assert not verdict.passed
    assert verdict.remedy.endswith("could not be measured and has not passed. Take gates.attack.background_join out of the policy.")
    assert not GATE.verdict(JOIN, "", math.nan).passed


def test_of_a_sample_the_largest_gain_is_compared_that_it_leaves_possible() -> None:
    """25 and 20 of 100 people: Wilson's intervals by hand, 0.1755 to 0.3430 and 0.1334 to 0.2888."""
    assert reached(gained(25)) == pytest.approx(0.05)
    assert reached(gained(25, drawn=True)) == pytest.approx(0.3430 - 0.1334, abs=2e-4)


def test_a_bound_is_kept_up_to_the_bound_and_refused_in_points_above_guessing() -> None:
    assert GATE.verdict(JOIN, "", 0.1).passed
    refused = GATE.verdict(JOIN, "", 0.173)
    assert not refused.passed
    assert refused.name == "attack.background_join"
    assert GATE.refusal(refused) == (
        "Somebody who knows one sensitive value of a person and guesses another is right about up to 17.3 percentage points more of the "
        "people than by guessing; at most 10 may be gained."
    )
    assert refused.remedy.endswith("raise k; or accept a higher gates.attack.background_join.")


def test_every_attack_has_a_key_and_its_words() -> None:
    assert set(WHO) == set(AttackKey.model_fields) == set(GATE.bounds)
    for bound in WHO:
        verdict = GATE.verdict(Requirement(gate="attack", bound=bound, required="0"), "", 0.5)
        assert GATE.sentence(verdict).startswith("somebody who ")
        assert f"gates.attack.{bound}." in verdict.remedy


SERIES = Requirement(gate="attack", bound="series", required="0.1")


def series_of(several: int, not_measured: int = 0) -> SeriesFigures:
    compared = (ComparedFigures(names=("job",), values=3, people=several, linkability=1, linkability_any=1),)
    return SeriesFigures(people=60, several=several, not_measured=not_measured, compared=compared)


@pytest.mark.parametrize(
    ("series", "tried", "gains"),
    [
        (series_of(0), (), 0.0),  # the first version: nobody is in two
        (series_of(40), (gained(33, attack="series"),), 0.13),
        (series_of(40), (), None),
        (series_of(0, not_measured=1), (), None),  # who was in that one is not known
        (series_of(40, not_measured=1), (gained(33, attack="series"),), 0.13),
        (None, (), None),
    ],
)
def test_comparing_versions_gains_nothing_only_where_it_is_known_that_nobody_is_in_two(
    series: SeriesFigures | None, tried: tuple[AttackGain, ...], gains: float | None
) -> None:
    reached = GATE.reached_by_release(SERIES, ReleaseFigures(UTILITY, tried, series))
    assert reached == (None if gains is None else pytest.approx(gains))


def test_linking_needs_a_dictionary_and_a_gate_a_bound() -> None:
    keys = SimpleNamespace(attack=AttackKey.model_validate({"dictionary_linking": "0.1", "homogeneity": "0.2"}), attackers=None)
    with pytest.raises(PolicyInvalid, match="the policy names none"):
        list(GATE.requirements(keys, None))  # type: ignore[arg-type]
    keys.attackers = object()
    assert [(one.bound, one.required) for one in GATE.requirements(keys, None)] == [  # type: ignore[arg-type]
        ("homogeneity", "0.2"),
        ("dictionary_linking", "0.1"),
    ]
    with pytest.raises(ValidationError, match="an attack gate without a bound"):
        AttackKey.model_validate({})
