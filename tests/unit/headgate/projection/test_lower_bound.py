from hypothesis import given, settings
from hypothesis import strategies as st

from headgate.projection.every_plan import EveryPlan
from headgate.projection.information import associations
from headgate.projection.lower_bound import least_exposure
from tests.unit.headgate.projection.drawn import drawn, drawn_figures, figures_of
from tests.unit.headgate.projection.every_way import every_way

LOSSES = (0.0, 0.05, 0.1, 0.2, 0.4, 0.7, 1.0)


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
