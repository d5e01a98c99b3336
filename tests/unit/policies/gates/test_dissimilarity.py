"""The gate on (ε, δ)-dissimilarity, of all sensitive attributes together and of each by itself."""

from __future__ import annotations

import pytest

from headgate.core.distance import Distance
from headgate.core.errors import PolicyInvalid
from headgate.grouping.abstract_graph import similar_pairs
from policies.gates.dissimilarity import Dissimilarity
from policies.gates.figures import TableFigures
from policies.gates.verdict import Measured
from tests.unit.claimed import claiming, proximity, required

GATE = Dissimilarity()
NARROW = (
    ("  illness: {role: sensitive, kind: set, values: [flu, gout], nonsensitive: [flu]}\n", ""),
    ("  ward: {role: insensitive, kind: category}\n", ""),
    ("  zip: {role: quasi, kind: category}\n", ""),
)
FIGURES = TableFigures(name="table-1", sensitive=("income", "school"), rows=10, groups=3, mean_group=3.3, discernibility=34, ncp=0.1)
HALVES = Distance(weights={"income": 2, "school": 1})


def test_each_attribute_is_measured_at_its_own_epsilon_or_else_at_that_of_all(gated) -> None:
    """Schools of group 1 are equal. Two of its incomes are equal too, and the third is far: one neighbour of two others."""
    figures = {(one.figure, one.of): one.value for one in GATE.measure((proximity("0.1", "0.5"),), gated(composite=HALVES))}
    assert figures["risk", ""] == 0.5
    assert figures["delta_reached", ""] == 0.5
    assert (figures["single_risk", "income"], figures["single_risk", "school"]) == (0.5, 1.0)
    own = (proximity("0.1", "0.5"), proximity("1", "0", "income"))
    figures = {(one.figure, one.of): one.value for one in GATE.measure(own, gated(composite=HALVES))}
    assert figures["single_risk", "income"] == 1.0  # everything is within 1


def test_without_its_callable_the_composite_is_not_measured(gated) -> None:
    assert {one.figure for one in GATE.measure((proximity("0.1", "0.5"),), gated())} == {"single_risk"}
    assert list(GATE.measure((), gated(composite=HALVES))) == []


def test_the_policy_requires_the_composite_and_each_attribute_that_it_names(asked, table) -> None:
    policy = asked(anonymize=", each: {school: {epsilon: 0, delta: 0.2}}")
    assert list(GATE.requirements(policy.anonymize, table)) == [proximity("0.1", "0.5"), proximity("0", "0.2", "school")]


def test_epsilon_needs_delta(edited) -> None:
    for old in ("epsilon: 0.1, ", ", delta: 0.5"):
        with pytest.raises(PolicyInvalid, match="both, or neither"):
            edited((old, ""))


def test_limits_are_of_all_columns_or_of_one(table) -> None:
    columns = table.select(table.sensitive)
    both = (proximity("0.1", "0.5"), proximity("0", "0.2", "school"))
    assert [(limit.name, limit.columns) for limit in GATE.table_limits(both, columns, HALVES)] == [("dissimilarity", ("income", "school"))]
    assert [limit.name for column in columns for limit in GATE.column_limits(both, column, HALVES)] == ["dissimilarity of school"]


def test_merging_can_make_the_composite_easier_and_no_single_attribute() -> None:
    assert not GATE.monotone(proximity("0.1", "0.5"))
    assert GATE.monotone(proximity("0.1", "0.5", "income"))


def test_a_composite_under_a_callable_rests_on_code() -> None:
    assert "mine:distance" in GATE.rests_on(Measured(figure="risk", value=0.5), "mine:distance")
    assert GATE.rests_on(Measured(figure="risk", value=0.5), None) == ""
    assert GATE.rests_on(Measured(figure="single_risk", of="income", value=0.5), "mine:distance") == ""


def test_a_refusal_names_the_attribute_where_it_is_about_one(verdict) -> None:
    said = "the other rows in some group have {} that differ enough; at least 60 % must."
    assert GATE.refusal(verdict(GATE, 0.25, "0.6")) == f"In table-1, only 25 % of {said.format('sensitive values')}"
    assert GATE.refusal(verdict(GATE, 0.25, "0.6", attribute="income")) == f"In table-1, only 25 % of {said.format('values of income')}"
    assert "anonymize.each" in verdict(GATE, 0.25, "0.6", attribute="income").remedy


def test_what_was_asked_for_stays_beside_what_is_allowed() -> None:
    """A relaxed δ passed as if nothing else had ever been asked for."""
    relaxed = required("dissimilarity", "0.3", epsilon="0.1", asked="0.95")
    verdict = GATE.verdict(relaxed, "table-1", 5 / 9)
    assert (verdict.passed, verdict.required, verdict.asked) == (True, 0.3, 0.95)
    assert verdict.remedy == "0.5556 reached; asked 0.95, allowed from 0.3."
    assert GATE.verdict(relaxed, "table-1", 0.95).remedy == ""
    below = GATE.verdict(relaxed, "table-1", 0.2)
    assert not below.passed
    assert below.remedy.startswith("0.2 reached; asked 0.95, allowed from 0.3. Lower")
    assert GATE.parameters(relaxed) == {"epsilon": "0.1", "delta": "0.3", "delta_asked": "0.95"}
    assert GATE.verdict(proximity("0.1", "0.3"), "table-1", 0.5).asked is None


def test_an_epsilon_of_each_attribute_is_in_its_own_units_and_of_that_attribute_alone(asked, edited, table, gated) -> None:
    """Incomes of the last group are 0, 300, 600 and 900: within 300 one of three others is alike to 0, two to 300. Within 0 nobody is."""
    policy = edited(*NARROW, ("epsilon: 0.1, delta: 0.5", "epsilon: {income: 300, school: none}, delta: 0.5"))
    (requirement,) = GATE.requirements(policy.anonymize, table)
    assert requirement == required("dissimilarity", "0.5", "income", epsilon="300", units="own")
    figures = {(one.figure, one.of): one.value for one in GATE.measure((requirement,), gated([0, 0, 0, 0, 0, 0, 1, 1, 1, 1], HALVES))}
    assert figures == {("single_risk", "income"): pytest.approx(2 / 3)}
    assert GATE.monotone(requirement)
    assert GATE.parameters(requirement) == {"epsilon": "300", "epsilon_units": "own", "delta": "0.5"}
    assert "epsilon or delta of anonymize" in GATE.remedy(requirement)
    (limit,) = (limit for column in table.select(table.sensitive) for limit in GATE.column_limits((requirement,), column, HALVES))
    assert limit.columns == ("income",)
    share = proximity("300", "0.5", "income")  # everybody would be alike
    (wrong,) = (limit for column in table.select(table.sensitive) for limit in GATE.column_limits((share,), column, HALVES))
    assert [similar_pairs(one)[0] for one in (limit, wrong)] == [20, 36]
    assert list(GATE.table_limits((requirement,), table.select(table.sensitive), HALVES)) == []


@pytest.mark.parametrize(
    ("written", "why"),
    [
        ("epsilon: {income: 300}, delta: 0.5", "no ε for school"),
        ("epsilon: {income: 300, school: none, nothing: 1}, delta: 0.5", "not an attribute"),
        ("epsilon: {income: none, school: none}, delta: 0.5", "none for every attribute"),
        ("epsilon: {income: -1, school: 0}, delta: 0.5", "greater than or equal to 0"),
        ("epsilon: {income: some, school: 0}, delta: 0.5", "a number"),
        ("epsilon: {}, delta: 0.5", "epsilon"),
        ("epsilon: {income: 300, school: 0}, delta: 0.5, each: {school: {epsilon: 0, delta: 0.1}}", "here and in 'each'"),
        ("epsilon: {income: 300, school: 0}, delta: 0.5, infeasible: {relax: 0.2}", "what one attribute is promised is not relaxed"),
        ("epsilon: {income: 300, school: 0}", "both, or neither"),
    ],
)
def test_an_epsilon_of_each_attribute_leaves_nothing_open(edited, written: str, why: str) -> None:
    with pytest.raises(PolicyInvalid, match=why):
        edited(*NARROW, ("epsilon: 0.1, delta: 0.5", written))


def test_a_composite_that_passes_says_which_attribute_hides_behind_it(gated) -> None:
    """Schools of group 1 are all low, so its members are alike in school alone, whatever their incomes."""
    requirement = proximity("0.1", "0.5")
    figures = claiming(FIGURES, risk=0.5, single_risk={"income": 0.5, "school": 1.0})
    passed = GATE.verdict(requirement, "table-1", 0.5)
    assert GATE.remark(passed, figures) == "by school alone, somebody is like a whole group"
    assert GATE.remark(GATE.verdict(requirement, "table-1", 0.1), figures) == ""
    assert GATE.remark(GATE.verdict(proximity("0.1", "0.5", "school"), "table-1", 0.5), figures) == ""
    assert GATE.remark(passed, claiming(figures, single_risk={"income": 0.5, "school": 0.9})) == ""
    many = claiming(figures, single_risk=dict.fromkeys("abcde", 1.0))
    assert GATE.remark(passed, many) == "by a or 4 others alone, somebody is like a whole group"
    assert GATE.remark(passed, claiming(figures, single_risk={"a": 1.0, "b": 1.0})) == "by a or b alone, somebody is like a whole group"
