import pytest
from hypothesis import given, settings

from headgate.projection import optimal as module
from headgate.projection.codip import codip_star
from headgate.projection.every_plan import EveryPlan
from headgate.projection.information import associations
from headgate.projection.optimal import optimal
from tests.unit.headgate.projection.drawn import drawn, drawn_figures, figures_of
from tests.unit.headgate.projection.every_way import every_way


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


@pytest.mark.slow
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


def test_the_limit_of_exactness_is_what_the_table_numbers_have_room_for():
    assert module.MOST_EXACT < 16
