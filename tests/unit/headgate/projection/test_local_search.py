import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headgate.projection.every_plan import EveryPlan
from headgate.projection.information import associations
from headgate.projection.local_search import LocalSearch
from tests.unit.headgate.projection.drawn import drawn, drawn_figures, figures_of
from tests.unit.headgate.projection.every_way import every_way

LOSSES = (0.0, 0.05, 0.1, 0.2, 0.4, 0.7, 1.0)


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
