from itertools import combinations, pairwise

import pytest

from benchmarks.planted_tables import drawn_plans
from headgate.core.errors import InputRejected, RequirementNotMet
from headgate.projection.codip import codip_star
from headgate.projection.information import associations
from headgate.projection.optimal import given, optimal, separate, single
from headgate.projection.plan import NoPlan, TableVerdict
from tests.unit.headgate.projection.every_way import every_way


def test_the_most_strongly_associated_attributes_are_merged_first(five):
    plan = codip_star(five, 0.3, 0.15)
    assert plan.steps[1].merged == ((0,), (1,))
    assert plan.steps[2].merged == ((2,), (3,))
    assert plan.tables == (("a", "b"), ("c", "d"), ("e",))
    assert plan.numbers == ((0, 1), (2, 3), (4,))
    assert plan.association_loss <= 0.3
    assert plan.information_exposure <= 0.15


def test_every_merge_takes_the_pair_with_the_largest_mean_information_over_the_union(five):
    figures = associations(five)
    steps = codip_star(five, 1.0, 1.0).steps
    assert [len(step.tables) for step in steps] == [5, 4, 3, 2, 1]
    for before, after in pairwise(steps):

        def mean(pair):
            union = sorted((*pair[0], *pair[1]))
            pairs = [figures.information[i, j] for i, j in combinations(union, 2)]
            return sum(pairs) / len(pairs)

        best = max(combinations(before.tables, 2), key=mean)
        assert after.merged == best
        assert after.average_information == pytest.approx(mean(best))
        assert after.association_loss == pytest.approx(figures.association_loss(after.tables))


def test_ties_go_to_the_tables_whose_first_attributes_come_first(table_1):
    """All pairs of Table 1 share ln 2."""
    assert codip_star(table_1, 1.0, 0.3).tables == (("diagnosis", "family_history"), ("job",))


def test_the_search_ends_with_one_table(five):
    """As printed the loop never ends at β = 1 (DEFINITIONS §6)."""
    assert codip_star(five, 0.0, 1.0).tables == (("a", "b", "c", "d", "e"),)


def test_a_failing_plan_stops_the_search_only_where_everything_is_monotone(five):
    def check(names):
        return TableVerdict(names != ("c", "d"), "crowded")

    stopped = codip_star(five, 1.0, 1.0, check, monotone=True)
    assert stopped.tables == (("a", "b"), ("c",), ("d",), ("e",))
    assert [step.passed for step in stopped.steps] == [True, True, False]
    assert stopped.steps[-1].reason == "table 2: crowded"
    going_on = codip_star(five, 1.0, 1.0, check, monotone=False)
    assert going_on.tables == (("a", "b", "c", "d", "e"),)
    assert [len(step.tables) for step in going_on.steps] == [5, 4, 3, 2, 1]


def test_the_last_plan_that_passes_stands_also_if_the_separate_one_does_not(five):
    plan = codip_star(five, 1.0, 1.0, lambda names: len(names) > 1 or names == ("e",))
    assert plan.tables == (("a", "b", "c", "d", "e"),)
    assert not plan.steps[0].passed
    with pytest.raises(RequirementNotMet, match="No plan passes"):
        codip_star(five, 1.0, 1.0, lambda names: len(names) > 1 or names == ("e",), monotone=True)


def test_too_much_association_loss_says_which_threshold_to_relax_and_by_how_much(five):
    with pytest.raises(RequirementNotMet) as refusal:
        codip_star(five, 0.01, 0.05)
    error = refusal.value
    assert error.measure == "plan"
    assert f"association_loss to {error.measured:.3f}"[:-1] in error.remedy
    assert "join_threat to" in error.remedy
    assert len(error.steps) >= 2
    raised = float(error.remedy.split("association_loss to ")[1].split()[0])
    assert codip_star(five, raised, 0.05).association_loss == pytest.approx(error.measured)


def test_the_exposure_of_a_plan_beyond_the_threshold_is_recorded_and_ends_the_search(five):
    plan = codip_star(five, 1.0, 0.1)
    assert plan.information_exposure <= 0.1
    assert not plan.steps[-1].passed
    assert "information exposure" in plan.steps[-1].reason


@pytest.mark.parametrize("alpha", [0.0, 0.2, 0.35, 0.8, 1.0])
def test_optimal_exposes_least_among_all_plans_that_pass(five, alpha):
    figures = associations(five)

    def passes(names):
        return names not in {("a", "b"), ("c",)}

    plans = [
        plan
        for plan in every_way(5)
        if figures.association_loss(plan) <= alpha + 1e-9 and all(passes(tuple("abcde"[i] for i in table)) for table in plan)
    ]
    found = optimal(five, alpha, 1.0, passes)
    assert found.information_exposure == pytest.approx(min(figures.information_exposure(plan) for plan in plans), abs=1e-12)
    assert found.association_loss <= alpha + 1e-9


def test_optimal_is_never_worse_than_the_heuristic(five):
    heuristic = codip_star(five, 0.3, 0.3)
    assert optimal(five, 0.3, 0.3).information_exposure <= heuristic.information_exposure + 1e-12


def test_plain_plans_are_checked_like_any_other(five):
    assert single(five).association_loss == 0
    assert single(five).information_exposure == pytest.approx(1)
    assert separate(five).association_loss == pytest.approx(1)
    assert separate(five).information_exposure == 0
    assert given(five, [["e", "a"], ["b", "c", "d"]]).tables == (("a", "e"), ("b", "c", "d"))
    with pytest.raises(RequirementNotMet, match="exposes"):
        single(five, 0.3, 0.3)
    with pytest.raises(RequirementNotMet, match="loses"):
        separate(five, 0.3, 0.3)
    with pytest.raises(RequirementNotMet, match="not allowed"):
        single(five, check=lambda names: TableVerdict(False, "not allowed"))
    with pytest.raises(InputRejected, match="not a sensitive attribute"):
        given(five, [["a", "z"], ["b", "c", "d", "e"]])
    with pytest.raises(InputRejected, match="leaves an attribute out"):
        given(five, [["a", "b"]])


@pytest.mark.parametrize("alpha", [0.0, 0.05, 0.2, 0.4])
@pytest.mark.parametrize("monotone", [False, True])
def test_each_threshold_that_the_failure_names_is_enough_by_itself(five, alpha, monotone):
    with pytest.raises(RequirementNotMet) as refusal:
        codip_star(five, alpha, 0.0, lambda names: names != ("a", "b", "c", "d"), monotone)
    remedy = refusal.value.remedy

    def named(key):
        return float(remedy.split(f"{key} to ")[1].split()[0]) if f"{key} to " in remedy else None

    assert codip_star(five, named("association_loss"), 0.0, lambda names: names != ("a", "b", "c", "d"), monotone).tables
    threat = named("join_threat")
    if threat is None:
        assert monotone  # the way to a plan that keeps enough leads over one that is refused
    else:
        found = codip_star(five, alpha, threat, lambda names: names != ("a", "b", "c", "d"), monotone)
        assert found.association_loss <= alpha + 1e-9


def test_attributes_in_two_given_tables_or_in_one_twice_are_refused(five):
    with pytest.raises(InputRejected, match="twice"):
        given(five, [["a", "b"], ["b", "c", "d", "e"]])
    with pytest.raises(InputRejected, match="twice"):
        given(five, [["a", "a"], ["b", "c", "d", "e"]])
    with pytest.raises(InputRejected, match="empty table"):
        given(five, [["a", "b", "c", "d", "e"], []])


def test_where_the_strongest_merge_leads_nowhere_the_next_strongest_is_made(five):
    """a and b together are refused. Without c and d in one table too much association is lost."""

    def check(names):
        return not {"a", "b"} <= set(names)

    steps = codip_star(five, 1.0, 1.0, check, monotone=True).steps
    assert [step.tables for step in steps][-1] == ((0, 1), (2,), (3,), (4,))
    loss = associations(five).association_loss(((0,), (1,), (2, 3), (4,)))
    for monotone in (True, False):
        plan = codip_star(five, loss, 1.0, check, monotone)
        assert all(check(names) for names in plan.tables)
        assert plan.association_loss <= loss + 1e-9
        assert plan.steps[-1].tables == plan.numbers


def test_it_finds_nearly_every_plan_that_exists_and_names_optimal_elsewhere():
    """It ended without a plan in a fifth of these cases."""
    exist = missed = told = 0
    for seed in range(120):
        columns, alpha, beta, check, monotone = drawn_plans(seed)
        try:
            optimal(columns, alpha, beta, check)
        except NoPlan:
            continue
        exist += 1
        try:
            found = codip_star(columns, alpha, beta, check, monotone)
        except NoPlan as refusal:
            missed += 1
            told += "`method: optimal`" in refusal.cure
        else:
            assert all(check(names) for names in found.tables)
            assert found.association_loss <= alpha + 1e-9
            assert found.information_exposure <= beta + 1e-9
    assert exist > 40
    assert told == missed <= 0.06 * exist


def test_optimal_is_not_named_where_no_plan_is_left_for_it(five):
    with pytest.raises(NoPlan) as refusal:
        codip_star(five, 1.0, 1.0, lambda names: names != ("e",), monotone=True)
    assert "optimal" in refusal.value.remedy
    with pytest.raises(NoPlan) as refusal:
        codip_star(five, 1.0, 0.0, lambda names: names != ("e",), monotone=True)
    assert "optimal" not in refusal.value.remedy
