import math

import pytest

from headgate.core.errors import InputRejected, RequirementNotMet
from headgate.projection.codip import codip_star
from headgate.projection.optimal import optimal, separate, single
from headgate.projection.plan import TableVerdict
from tests.unit.headgate.projection.drawn import drawn


def test_equally_exposed_plans_go_to_the_one_with_fewer_tables_and_then_with_earlier_attributes_together(table_1):
    """All pairs of Table 1 are alike: any pair with a single is (2/3, 2/9)."""
    assert optimal(table_1, 0.7).tables == (("diagnosis", "family_history"), ("job",))
    assert optimal(table_1, 0.7, check=lambda names: "diagnosis" not in names or len(names) != 2).tables == (
        ("diagnosis",),
        ("family_history", "job"),
    )


def test_a_refused_table_is_asked_about_once_and_no_plan_with_it_is_tried():
    asked = []

    def check(names):
        asked.append(names)
        return TableVerdict(len(names) >= 4, "too few attributes")

    found = optimal(drawn(8), 1.0, 1.0, check)
    assert len(found.tables) == 2
    assert len(asked) == len(set(asked))
    assert all(len(table) >= 4 for table in found.tables)


@pytest.mark.parametrize("size", [5, 14])
def test_what_the_failure_says_is_enough(size):
    columns = drawn(size)
    with pytest.raises(RequirementNotMet) as refusal:
        optimal(columns, 0.05, 0.05)
    raised = float(refusal.value.remedy.split("join_threat to ")[1].split()[0])
    assert optimal(columns, 0.05, raised).information_exposure <= raised
    if "association_loss to " in refusal.value.remedy:
        raised = float(refusal.value.remedy.split("association_loss to ")[1].split()[0])
        assert optimal(columns, raised, 0.05).association_loss <= raised


@pytest.mark.parametrize("alpha", [0.05, 0.2, 0.5])
def test_more_than_twelve_attributes_are_searched_and_the_bound_says_how_far_off_the_plan_may_be(alpha):
    columns = drawn(15)
    found = optimal(columns, alpha)
    greedy = [step.information_exposure for step in codip_star(columns, 1.0, 1.0).steps if step.association_loss <= alpha]
    assert found.association_loss <= alpha + 1e-9
    assert 0 < found.bound <= found.information_exposure <= min(greedy) + 1e-12


@pytest.mark.slow
def test_a_search_ends_where_tables_are_refused_and_is_still_never_worse_than_the_heuristic():
    columns = drawn(14)

    def check(names):
        return len(names) != 3

    found = optimal(columns, 0.3, 1.0, check)
    greedy = [
        step.information_exposure for step in codip_star(columns, 1.0, 1.0, check).steps if step.passed and step.association_loss <= 0.3
    ]
    assert all(len(table) != 3 for table in found.tables)
    assert found.information_exposure <= min(greedy) + 1e-12
    with pytest.raises(RequirementNotMet, match="refused"):
        optimal(columns, 0.3, 1.0, lambda names: False)


@pytest.mark.long
def test_two_hundred_attributes_have_a_plan_in_reasonable_time():
    columns = drawn(200, rows=120)
    found = codip_star(columns, 1.0, 1.0)
    assert len(found.steps) == 200
    assert [len(step.tables) for step in found.steps] == list(range(200, 0, -1))
    assert optimal(columns, 0.3).association_loss <= 0.3 + 1e-9


@pytest.mark.parametrize("method", [codip_star, optimal])
@pytest.mark.parametrize("wrong", [-0.1, 1.1, math.nan, math.inf])
def test_thresholds_outside_0_to_1_are_refused(method, wrong, table_1):
    with pytest.raises(InputRejected, match="association_loss"):
        method(table_1, wrong, 0.5)
    with pytest.raises(InputRejected, match="join_threat"):
        method(table_1, 0.5, wrong)


@pytest.mark.parametrize("method", [codip_star, optimal, single, separate])
def test_one_attribute_is_one_table(method, make_columns):
    found = method(make_columns({"a": ["x", "y", "x"]}), 0.0, 0.0)
    assert found.tables == (("a",),)
    assert (found.association_loss, found.information_exposure) == (0.0, 0.0)


@pytest.mark.parametrize("method", [codip_star, optimal])
def test_an_attribute_with_one_value_shares_nothing_and_is_no_obstacle(method, make_columns):
    columns = make_columns({"a": ["x", "y"] * 4, "b": ["z"] * 8, "c": ["x", "y"] * 4})
    found = method(columns, 0.1, 0.9)
    assert next(table for table in found.tables if "a" in table)[-1] == "c"
    assert found.association_loss == 0.0
