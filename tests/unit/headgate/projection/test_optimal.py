import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headgate.core.columns import Column, Kind
from headgate.core.errors import InputRejected, RequirementNotMet
from headgate.projection import optimal as module
from headgate.projection.codip import codip_star
from headgate.projection.every_plan import EveryPlan
from headgate.projection.information import Associations, associations
from headgate.projection.local_search import LocalSearch
from headgate.projection.lower_bound import least_exposure
from headgate.projection.optimal import optimal, separate, single
from headgate.projection.plan import TableVerdict
from tests.unit.headgate.projection.every_way import every_way

LOSSES = (0.0, 0.05, 0.1, 0.2, 0.4, 0.7, 1.0)


def drawn(size, rows=150, seed=0):
    """Attributes that copy one of a few sources, some more and some less."""
    draw = np.random.default_rng(seed)
    sources = [draw.integers(0, 4, rows) for _ in range(max(1, size // 3))]
    made = []
    for i in range(size):
        kinds = int(draw.integers(2, 5))
        codes = np.where(draw.random(rows) < draw.random(), sources[i % len(sources)], draw.integers(0, 4, rows)) % kinds
        values = np.array([str(x) for x in range(kinds)], dtype=object)
        made.append(Column(f"a{i}", Kind.CATEGORY, codes.astype(np.int32), values, np.ones(kinds + 1, dtype=bool)))
    return made


def figures_of(plan, information, exposable):
    """Γα and Γβ from their definitions."""
    size = len(information)
    pairs = [(i, j) for i in range(size) for j in range(i + 1, size)]
    table_of = {i: table for table in plan for i in table}
    total, exposed = sum(information[i, j] for i, j in pairs), sum(exposable[i, j] for i, j in pairs)
    loss = sum(information[i, j] for i, j in pairs if table_of[i] != table_of[j]) / total if total else 0.0
    exposure = sum(exposable[i, j] / exposed * len(table_of[i]) / size for i, j in pairs if table_of[i] == table_of[j]) if exposed else 0.0
    return loss, exposure


@st.composite
def drawn_figures(draw, least=1, most=7):
    size = draw(st.integers(least, most))
    numbers = st.one_of(st.just(0.0), st.floats(0.001, 3.0))
    information, exposable = np.zeros((size, size)), np.zeros((size, size))
    for i in range(size):
        for j in range(i):
            information[i, j] = information[j, i] = draw(numbers)
            exposable[i, j] = exposable[j, i] = draw(numbers)
    return Associations(tuple(f"a{i}" for i in range(size)), np.ones(size), information, exposable)


@settings(max_examples=40, deadline=None)
@given(drawn_figures(most=6))
def test_every_plan_is_listed_once_with_its_ratios(figures):
    every = EveryPlan(figures)
    listed = {every.plan(place): place for place in range(len(every.code))}
    assert set(listed) == set(every_way(len(figures.names)))
    assert len(listed) == len(every.code)
    for plan, place in listed.items():
        loss, exposure = figures_of(plan, figures.information, figures.exposable)
        assert every.loss[place] == pytest.approx(loss, abs=1e-9)
        assert every.exposure[place] == pytest.approx(exposure, abs=1e-9)
        assert every.tables[place] == len(plan)


@pytest.mark.parametrize(("size", "plans"), list(enumerate([1, 2, 5, 15, 52, 203, 877], 1)))
def test_there_are_as_many_plans_as_ways_to_divide(size, plans):
    """Bell numbers (OEIS A000110)."""
    every = EveryPlan(associations(drawn(size)))
    assert len({every.plan(place) for place in range(len(every.code))}) == len(every.code) == plans


@settings(max_examples=60, deadline=None)
@given(drawn_figures(), st.floats(0, 1))
def test_no_plan_is_below_the_lower_bound(figures, alpha):
    bound = least_exposure(figures, alpha)
    ratios = [figures_of(plan, figures.information, figures.exposable) for plan in every_way(len(figures.names))]
    assert bound <= min(exposure for loss, exposure in ratios if loss <= alpha + 1e-9) + 1e-12


def test_the_lower_bound_says_something():
    """Of nine attributes that share three sources it finds two thirds of the least exposure, over all losses taken together."""
    figures = associations(drawn(9))
    every = EveryPlan(figures)
    least = [every.exposure[every.within(alpha, 1.0)[0]] for alpha in LOSSES]
    assert sum(least_exposure(figures, alpha) for alpha in LOSSES) > 0.6 * sum(least)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("alpha", LOSSES)
def test_the_search_finds_the_optimum_of_eight_attributes(alpha, seed):
    """No theorem, but a search that missed these would be a poor one."""
    figures = associations(drawn(8, seed=seed))
    every = EveryPlan(figures)
    plan = LocalSearch(figures, alpha).best([tuple((i,) for i in range(8)), (tuple(range(8)),)])
    assert plan is not None
    loss, exposure = figures_of(plan, figures.information, figures.exposable)
    assert loss <= alpha + 1e-9
    assert exposure == pytest.approx(every.exposure[every.within(alpha, 1.0)[0]], abs=1e-9)


@settings(max_examples=60, deadline=None)
@given(drawn_figures(least=2, most=6), st.floats(0, 1), st.randoms(use_true_random=False))
def test_the_search_makes_no_refused_table(figures, alpha, random):
    size = len(figures.names)
    plans = every_way(size)
    refused = {frozenset(table) for plan in plans for table in plan if random.random() < 0.3}
    starts = [tuple((i,) for i in range(size)), (tuple(range(size)),)]
    found = LocalSearch(figures, alpha).best(starts, refused)
    if found is not None:
        assert found in plans
        assert figures_of(found, figures.information, figures.exposable)[0] <= alpha + 1e-9
        assert not refused & {frozenset(table) for table in found}


def test_all_plans_of_twelve_attributes_are_looked_at():
    """4,213,597 is the twelfth Bell number (OEIS A000110)."""
    columns = drawn(12)
    assert len(EveryPlan(associations(columns)).code) == 4_213_597
    for alpha in (0.1, 0.3):
        found = optimal(columns, alpha)
        assert found.bound == found.information_exposure
        assert found.association_loss <= alpha + 1e-9
        beaten = [step.information_exposure for step in codip_star(columns, 1.0, 1.0).steps if step.association_loss <= alpha]
        assert found.information_exposure <= min(beaten) + 1e-12


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


def test_the_limit_of_exactness_is_what_the_table_numbers_have_room_for():
    assert module.MOST_EXACT < 16
