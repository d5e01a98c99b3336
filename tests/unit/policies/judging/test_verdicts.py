"""One verdict a gate and table, over figures measured on the published form; the oracle counts rows by hand."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from headgate.core.columns import Table
from headgate.core.encode import encode_table
from headgate.core.errors import Defect, InputRejected, RequirementNotMet
from headgate.core.published_form.published_table import PublishedTable, publish_form
from policies.attackers.attacker import attackers_of, threats
from policies.gates.every_gate import gate_named
from policies.gates.figures import ReleaseFigures, ReleaseUtility, TableFigures
from policies.gates.verdict import Requirement, Verdict
from policies.judging.measure import measure_table
from policies.judging.verdicts import judge, judge_table, judge_whole, remark_of, require_passed
from policies.schema.policy import Policy
from policies.sealed.promise import Promise
from policies.sealed.specs import column_specs, promise_of
from tests.unit.claimed import claiming, proximity, required
from tests.unit.policies.ten_people import AGES, GROUPS, INCOMES, SCHOOLS


def by_gate(verdicts: tuple[Verdict, ...]) -> dict[str, Verdict]:
    assert len({verdict.place for verdict in verdicts}) == len(verdicts)
    return {verdict.name: verdict for verdict in verdicts}


def shares(values: list[object]) -> list[float]:
    """Largest share of one value in each group, counted by hand."""
    groups = [[value for value, group in zip(values, GROUPS, strict=True) if group == number] for number in range(3)]
    return [max(Counter(members).values()) / len(members) for members in groups]


def test_each_gate_of_the_policy_gets_one_verdict_a_table(policy: Policy, table: Table, published: PublishedTable) -> None:
    promise = promise_of(policy, table)
    figures = measure_table(promise, published, threats(attackers_of(policy.gates.disclosure, table, {}), published))
    verdicts = by_gate(judge(promise, [figures]))
    assert list(verdicts) == [
        *(
            "k",
            "dissimilarity",
            "dissimilarity of school",
            "linkability",
            "delta_l of income",
            "closeness of school",
            "distinct_l of school",
        ),
        *("reidentification.max", "reidentification.mean", "disclosure.mean against source", "disclosure.max against source"),
    ]
    assert (verdicts["k"].measured, verdicts["k"].required, verdicts["k"].passed) == (3.0, 3.0, True)
    # Group 1 holds the school `low` three times of three: certain, and at risk 1.
    assert verdicts["linkability"].measured == max(shares(SCHOOLS) + shares(INCOMES)) == 1.0
    assert not verdicts["linkability"].passed
    assert verdicts["dissimilarity of school"].measured == 0.0
    assert not verdicts["dissimilarity of school"].passed
    # Two of three rows of group 1 earn 100: |E|/n = 3/2.
    assert (verdicts["delta_l of income"].measured, verdicts["delta_l of income"].passed) == (1.5, True)
    assert verdicts["reidentification.max"].measured == pytest.approx(1 / 3)
    assert verdicts["reidentification.mean"].measured == pytest.approx(3 / 10)
    assert verdicts["disclosure.max against source"].measured == pytest.approx(1 / 3)
    assert verdicts["disclosure.mean against source"].measured == pytest.approx((3 * 1 / 3 + 3 * 1 / 3 + 4 * 1 / 4) / 10)


def test_the_dissimilarity_gate_measures_the_delta_reached(policy: Policy, table: Table, published: PublishedTable) -> None:
    promise = promise_of(policy, table)
    figures = measure_table(promise, published)
    # Group 1: rows 3 and 4 are equal in income (weight 2/3) and school (1/3), row 5 is 0.8·2/3 away. One neighbour of two others: risk 1/2.
    assert figures.figure("risk") == 0.5
    verdict = by_gate(judge(promise, [figures]))["dissimilarity"]
    assert (verdict.measured, verdict.required, verdict.passed) == (0.5, 0.5, True)


def test_a_required_l_beyond_the_tables_values_is_capped_and_says_so(policy: Policy, table: Table, published: PublishedTable) -> None:
    promise = promise_of(policy, table)
    verdict = by_gate(judge(promise, [measure_table(promise, published)]))["distinct_l of school"]
    assert (verdict.measured, verdict.required, verdict.passed) == (1.0, 3.0, False)
    assert "capped at 3" in verdict.remedy
    together = publish_form(table, np.zeros(len(AGES), dtype=np.int32), "t1", table.sensitive)
    verdict = by_gate(judge(promise, [measure_table(promise, together)]))["distinct_l of school"]
    assert (verdict.measured, verdict.required, verdict.passed) == (3.0, 3.0, True)
    assert verdict.remedy == "The required l of 5 is capped at 3, the number of distinct values in the table."


def test_k_counts_groups_with_equal_cells_as_one_and_a_short_group_by_its_number(policy: Policy, table: Table) -> None:
    promise = promise_of(policy, table)
    alone = np.array([0, 0, 0, 1, 1, 1, 2, 2, 2, 3], dtype=np.int32)
    figures = measure_table(promise, publish_form(table, alone, "t1", table.sensitive))
    verdict = by_gate(judge(promise, [figures]))["k"]
    assert (verdict.measured, verdict.passed) == (1.0, False)
    assert "anonymize.k" in verdict.remedy


def test_every_failed_gate_names_a_cure_and_stops_the_release(policy: Policy, table: Table, published: PublishedTable) -> None:
    promise = promise_of(policy, table)
    attackers = attackers_of(policy.gates.disclosure, table, {})
    verdicts = judge(promise, [measure_table(promise, published, threats(attackers, published))])
    for verdict in verdicts:
        assert verdict.passed or verdict.remedy.endswith(".")
    with pytest.raises(RequirementNotMet) as caught:
        require_passed(verdicts)
    assert caught.value.code == 3
    assert caught.value.cure


def test_what_was_not_measured_has_not_passed(policy: Policy, table: Table, published: PublishedTable) -> None:
    promise = promise_of(policy, table)
    figures = measure_table(promise, published)  # without attackers
    verdicts = by_gate(judge(promise, [figures]))
    for gate in ("disclosure.mean against source", "disclosure.max against source"):
        assert (verdicts[gate].measured, verdicts[gate].passed) == (None, False)
        assert "could not be measured" in verdicts[gate].remedy
    unmeasured = claiming(figures, linkability=None, closeness={}, risk=float("nan"), single_risk={}, delta_l={})
    verdicts = by_gate(judge(promise, [unmeasured]))
    for gate in ("linkability", "closeness of school", "dissimilarity", "dissimilarity of school", "delta_l of income"):
        assert (verdicts[gate].measured, verdicts[gate].passed) == (None, False)
    with pytest.raises(RequirementNotMet):
        require_passed(())


def test_the_delta_l_gate_counts_by_the_definition_and_not_by_the_window(policy: Policy, table: Table) -> None:
    """DEFINITIONS §5: {40, 50, 60} at δ = 5 has l = 1 by the definition, and 1.5 by the window, which may only prune."""
    incomes = [40.0, 50.0, 60.0] * 3 + [60.0]
    frame = pd.DataFrame({"age": AGES, "income": incomes, "school": SCHOOLS})
    pay = encode_table(frame, {name: spec for name, spec in column_specs(policy).items() if name in frame})["income"]
    published = publish_form(replace(table, columns={**table.columns, "income": pay}), np.array(GROUPS, dtype=np.int32), "t1", ["income"])
    promise = promise_of(policy, table).requiring(required("delta_l", "1.5", "income", interval="5"))
    verdict = by_gate(judge_table(promise, measure_table(promise, published)))["delta_l of income"]
    assert (verdict.measured, verdict.passed) == (1.0, False)


def test_one_sensitive_column_in_two_tables_is_refused(policy: Policy, table: Table, published: PublishedTable) -> None:
    promise = promise_of(policy, table)
    figures = measure_table(promise, published)
    with pytest.raises(InputRejected, match="two tables"):
        judge(promise, [figures, figures.model_copy(update={"name": "t2"})])


def test_a_requirement_that_no_table_was_judged_by_is_a_defect(policy: Policy, table: Table, published: PublishedTable) -> None:
    promise = promise_of(policy, table)
    assert promise.required("closeness", "school") is not None
    partial = publish_form(table, np.array(GROUPS, dtype=np.int32), "t1", ["income"])
    figures = measure_table(promise, partial)
    assert {verdict.attribute for verdict in judge_table(promise, figures)} == {None, "income"}
    with pytest.raises(Defect, match="No table was judged by dissimilarity of school, which is required"):
        judge(promise, [figures])
    with pytest.raises(Defect, match="No table was judged by k,"):
        judge(promise, [])
    judge(promise, [measure_table(promise, published)])


def test_utility_is_judged_on_the_release_as_a_whole() -> None:
    reached = ReleaseUtility(query_error_mean=0.2, ncp=0.3, suppressed_share=0.0)
    bounds = {"max_error": "0.15", "max_loss": "0.3"}
    wanted = tuple(Requirement(gate="utility", bound=bound, required=most) for bound, most in bounds.items())
    promise = Promise(requirements=wanted, quasi=(), sensitive=())
    verdicts = by_gate(judge_whole(promise, ReleaseFigures(reached)))
    assert {verdict.table for verdict in verdicts.values()} == {""}
    assert (verdicts["utility.max_error"].passed, verdicts["utility.max_loss"].passed) == (False, True)
    unknown = judge_whole(promise, ReleaseFigures(reached.model_copy(update={"query_error_mean": None})))
    assert not unknown[0].passed
    assert judge_whole(promise.without("utility"), ReleaseFigures(reached)) == ()


@pytest.mark.parametrize(
    ("delta", "risk", "passed"), [("0.7", 0.3, True), ("0.7", 0.3 + 1e-10, True), ("0.7", 0.31, False), ("0", 1.0, True)]
)
def test_figures_meet_their_bounds_under_one_tolerance(
    delta: str, risk: float, passed: bool, policy: Policy, table: Table, published: PublishedTable
) -> None:
    promise: Promise = promise_of(policy, table).requiring(proximity("0.1", delta))
    figures: TableFigures = claiming(measure_table(promise, published), risk=risk)
    assert by_gate(judge(promise, [figures]))["dissimilarity"].passed is passed


def test_a_remark_is_that_of_the_verdicts_own_table(policy: Policy, table: Table, published: PublishedTable) -> None:
    """A composite that passes in one table says nothing of what another table hides."""
    figures = measure_table(promise_of(policy, table), published)
    hidden = claiming(figures, single_risk={"income": 0.5, "school": 1.0})
    passed = gate_named("dissimilarity").verdict(proximity("0.1", "0"), figures.name, 0.5)
    assert remark_of(passed, [hidden]).startswith("by school alone")
    assert remark_of(passed, [hidden.model_copy(update={"name": "another"})]) == ""
    assert remark_of(passed, ()) == ""
