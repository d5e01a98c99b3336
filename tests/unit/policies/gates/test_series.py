"""The gate on series: what is compared with what, and which cures are named."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from pydantic import ValidationError

from policies.gates.figures import ReleaseFigures, ReleaseUtility
from policies.gates.series import BOUNDS, Series, SeriesKey
from policies.gates.series_figures import ComparedFigures, SeriesFigures
from policies.gates.verdict import Requirement, Verdict

GATE = Series()
EARLIER = ("a" * 64,)


def compared(**given: Any) -> ComparedFigures:
    return ComparedFigures.model_validate(
        {"names": ("job",), "values": 9, "people": 100, "linkability": 0.5, "linkability_any": 0.6, "candidates": 4, "risk": 0.3} | given
    )


def figures(*each: ComparedFigures, **given: Any) -> SeriesFigures:
    return SeriesFigures(people=100, several=90, came=10, left=30, compared=each or (compared(),), **given)


def verdict(bound: str, required: str, series: SeriesFigures | None) -> Verdict:
    utility = ReleaseUtility(ncp=0, suppressed_share=0)
    return GATE.judge_release(Requirement(gate="series", bound=bound, required=required), ReleaseFigures(utility, series=series))


@pytest.mark.parametrize(
    ("bound", "at_its_bound", "beyond"),
    [
        ("linkability", "0.5", "0.49"),
        ("candidates", "4", "5"),
        ("risk", "0.3", "0.29"),
        ("returning", "0.75", "0.76"),  # 90 of the 120 people before
        ("changed", "0", None),
    ],
)
def test_a_bound_is_kept_up_to_itself(bound: str, at_its_bound: str, beyond: str | None) -> None:
    assert verdict(bound, at_its_bound, figures()).passed
    if beyond is not None:
        assert not verdict(bound, beyond, figures()).passed


def test_the_worst_of_all_that_is_compared_counts() -> None:
    both = figures(compared(), compared(names=("pay",), linkability=0.9, candidates=2, risk=0.1, changed=7))
    assert [verdict(bound, "1", both).measured for bound in BOUNDS] == [0.9, 2, 0.3]
    assert verdict("changed", "0.06", both).measured == pytest.approx(0.07)
    assert not verdict("changed", "0.06", both).passed


def test_an_attribute_cannot_have_more_candidates_than_values() -> None:
    """DEFINITIONS §11: a required number is capped at the distinct values of the attribute."""
    two = compared(names=("sex",), values=2, candidates=2)
    assert verdict("candidates", "5", figures(two, compared(candidates=6))).passed
    assert not verdict("candidates", "5", figures(two, compared(candidates=4))).passed
    assert not verdict("candidates", "5", figures(two.model_copy(update={"candidates": 1}))).passed
    assert verdict("candidates", "5", figures(compared(candidates=None))).passed  # no group holds a sensitive value


@pytest.mark.parametrize("bound", [*BOUNDS, "returning", "changed"])
def test_what_was_not_measured_has_not_passed(bound: str) -> None:
    refused = verdict(bound, "1", None)
    assert not refused.passed
    assert "could not be measured" in GATE.refusal(refused)
    assert not verdict("risk", "1", figures(compared(), compared(risk=None))).passed


def test_what_is_not_compared_does_not_look_better_than_in_one_version() -> None:
    """A release whose attributes all change, or were renamed, was measured as 0 % certain, and `diff` called that better."""
    changing = SeriesFigures(people=100, alone=0.8, changing=("job",))
    assert (changing.linkability, changing.linkability_any) == (0.8, 0.8)
    refused = verdict("linkability", "0.7", changing)
    assert not refused.passed
    assert refused.remedy.startswith("This version by itself is above it. Lower gates.linkability to gates.series.linkability")
    assert figures(alone=0.4).linkability == 0.5


def test_nobody_before_means_that_everybody_returned() -> None:
    assert SeriesFigures(people=5, came=5).returning == 1.0
    assert SeriesFigures(people=5, came=5, left=8).returning == 0.0


def test_the_refusal_says_how_many_it_concerns_and_what_helps_that_is_not_done_already() -> None:
    refused = verdict("linkability", "0.4", figures(above=73, earlier=EARLIER))
    assert GATE.refusal(refused) == (
        "Given this version, alone or together with those published before, an attacker can be 50 % certain of somebody's sensitive value; "
        "at most 40 % is allowed."
    )
    assert refused.remedy == (
        "This concerns at most 73 people. Keep people who were published together in one group (anonymize.series: sticky), leave out those "
        "who would be given away (anonymize.infeasible: {suppress: …}), round numbers (publish_as), or publish less often; or accept a "
        "higher gates.series.linkability."
    )
    more = verdict("linkability", "0.4", figures(above=1, earlier=EARLIER, sticky=True, suppressible=0.01, needed=300))
    assert more.remedy == (
        "This concerns at most 1 person. Allow at least 300 people to be left out (anonymize.infeasible: {suppress: …}, now 0.01), round "
        "numbers (publish_as), or publish less often; or accept a higher gates.series.linkability."
    )


def test_a_first_version_that_is_above_the_bound_is_not_told_to_keep_groups_or_to_wait() -> None:
    """It was told to publish less often."""
    assert verdict("linkability", "0.4", figures(above=9, suppressible=0.1)).remedy == (
        "This concerns 9 people. Lower gates.linkability to gates.series.linkability, or accept a higher gates.series.linkability."
    )


@pytest.mark.parametrize(
    ("bound", "begins"),
    [
        (
            "candidates",
            "Given this version, alone or together with those published before, 4 values remain possible for the person who is worst off",
        ),
        ("risk", "Given this version, alone or together with those published before, 30 % of the values"),
        ("returning", "75 % of the people of the version published last are in this one; at least 900 % must be."),
        ("changed", "For 5 % of the people in several versions, the groups show that a value changed; at most 0 % is allowed."),
    ],
)
def test_every_bound_has_its_words(bound: str, begins: str) -> None:
    required = "0" if bound in ("risk", "changed") else "9"
    refused = verdict(bound, required, figures(compared(changed=5)))
    assert not refused.passed
    assert GATE.refusal(refused).startswith(begins)
    assert refused.remedy.endswith(f"gates.series.{bound}.")


def test_a_key_bounds_something_or_says_why_not() -> None:
    with pytest.raises(ValidationError, match="a series gate without a bound"):
        SeriesKey.model_validate({"returning": "0.5"})
    with pytest.raises(ValidationError, match="a reason in words"):
        SeriesKey.model_validate({"unmeasured": " "})
    assert not SeriesKey.model_validate({"unmeasured": "a yearly table of other people"}).measured
    assert list(GATE.requirements(SimpleNamespace(series=SeriesKey.model_validate({"unmeasured": "so"})), None)) == []  # type: ignore[arg-type]
    assert list(GATE.requirements(SimpleNamespace(series=None), None)) == []  # type: ignore[arg-type]


def test_the_requirements_of_a_key() -> None:
    keys = SimpleNamespace(series=SeriesKey.model_validate({"linkability": "0.80", "candidates": 5}))
    required = [(one.bound, one.required) for one in GATE.requirements(keys, None)]  # type: ignore[arg-type]
    assert required == [("linkability", "0.8"), ("candidates", "5"), ("returning", "0.01"), ("changed", "0.05")]
