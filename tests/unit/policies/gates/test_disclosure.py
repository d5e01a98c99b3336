"""The gate on disclosure risk: what it requires of each dictionary, and in which words it refuses. Its figures: test_attackers.py."""

from __future__ import annotations

import pytest

from policies.gates.disclosure import Disclosure
from policies.gates.verdict import Comparison, Measured

GATE = Disclosure()
TWO = ", disclosure: {dictionaries: [{name: register, path: r.csv, on: [age]%s}, {source: true%s}], mean: 0.2, min_candidates: 3}"


def test_every_dictionary_has_every_bound(asked, table) -> None:
    places = [(one.dictionary, one.bound, one.required) for one in GATE.requirements(asked(TWO % ("", "")).gates, table)]
    both = [[(name, "mean", "0.2"), (name, "candidates", "3")] for name in ("register", "source")]
    assert places == [place for each in both for place in each]
    assert list(GATE.requirements(asked().gates, table)) == []


def test_with_priors_the_mean_is_that_of_all_together(asked, table) -> None:
    policy = asked(TWO % (", prior: 0.5", ", prior: 0.5"))
    places = [(one.dictionary, one.bound) for one in GATE.requirements(policy.gates, table)]
    assert places == [("prior", "mean"), ("register", "candidates"), ("source", "candidates")]


def test_candidates_are_compared_the_other_way() -> None:
    assert {bound: GATE.compared(bound) for bound in GATE.bounds if GATE.compared(bound) is Comparison.AT_LEAST} == {
        "candidates": Comparison.AT_LEAST
    }


def test_its_figures_rest_on_what_is_not_published() -> None:
    assert GATE.rests_on(Measured(figure="disclosure_max", of="r.csv", value=0.5), None) == "the dictionary r.csv, which is not published"


@pytest.mark.parametrize(
    ("bound", "measured", "required", "said"),
    [
        ("candidates", 140, "300", "some record matches only 140 people in 'register'; at least 300 are required."),
        ("candidates", 1, "2", "some record matches only 1 person in 'register'; at least 2 are required."),
        ("share", 0.25, "0.1", "25 % of the records lose more than the policy allows against 'register'; at most 10 % may."),
        ("max", 0.5, "0.4", "the largest loss of a record against 'register' is 0.5; at most 0.4 is allowed."),
        ("mean", 0.5, "0.4", "the mean loss of a record against 'register' is 0.5; at most 0.4 is allowed."),
    ],
)
def test_each_bound_refuses_in_its_own_unit(bound: str, measured: float, required: str, said: str, verdict) -> None:
    refused = verdict(GATE, measured, required, bound=bound, dictionary="register")
    assert not refused.passed
    assert GATE.refusal(refused, "in every plan tried") == f"In every plan tried, {said}"
    assert refused.remedy.startswith("Raise anonymize.k, coarsen the quasi-identifiers, or accept a ")
