"""Verdicts and requirements as they are stored."""

from __future__ import annotations

import pytest

from policies.gates.verdict import Comparison, Requirement, Verdict


@pytest.mark.parametrize(("measured", "least", "most"), [(5, True, True), (5 + 1e-12, True, True), (4.9, False, True), (5.1, True, False)])
def test_a_bound_holds_at_equality_up_to_the_one_tolerance(measured: float, least: bool, most: bool) -> None:
    assert Comparison.AT_LEAST.holds(measured, 5) is least
    assert Comparison.AT_MOST.holds(measured, 5) is most


@pytest.mark.parametrize(
    ("place", "name"),
    [
        ({"gate": "k"}, "k"),
        ({"gate": "closeness", "attribute": "income"}, "closeness of income"),
        ({"gate": "disclosure", "dictionary": "a.b: c", "bound": "max"}, "disclosure.max against a.b: c"),
        ({"gate": "utility", "bound": "max_loss"}, "utility.max_loss"),
    ],
)
def test_a_verdict_is_named_by_its_place(place: dict[str, str], name: str) -> None:
    verdict = Verdict.model_validate({**place, "comparison": "at most", "measured": 2, "required": 1, "passed": False})
    assert verdict.name == name
    assert verdict.brief == f"{name} is 2 (at most 1 is allowed)"
    assert verdict.model_copy(update={"measured": None, "required": None}).brief == f"{name} was not measured"
    assert Verdict.model_validate_json(verdict.model_dump_json()) == verdict


def test_requirements_in_different_places_are_different() -> None:
    bounds = [Requirement(gate="disclosure", dictionary=name, bound=bound, required="1") for name in "ab" for bound in ("max", "mean")]
    assert len({bound.place for bound in bounds}) == 4
