"""Intervals of means: how often they hold the true mean of heavy-tailed draws, against samples drawn again and again."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest

from headgate.utility.mean_interval import QUANTILE, Moments

DRAWS, SAMPLES = 1000, 2000


def shares_above(mean: float, draw: Callable[[np.random.Generator], np.ndarray]) -> tuple[float, float]:
    """In how many samples the upper end is above the mean: of this interval, and of mean ± 1.96 standard errors."""
    rng, above, usual = np.random.default_rng(3), 0, 0
    for _ in range(SAMPLES):
        sample = draw(rng)
        above += Moments.of(sample).interval[1] >= mean
        usual += sample.mean() + QUANTILE * sample.std(ddof=1) / math.sqrt(DRAWS) >= mean
    return above / SAMPLES, usual / SAMPLES


@pytest.mark.parametrize(
    ("mean", "draw", "least"),
    [
        (1.0, lambda rng: rng.exponential(1.0, DRAWS), 0.965),
        (math.exp(1.5**2 / 2), lambda rng: rng.lognormal(0, 1.5, DRAWS), 0.94),
        (math.exp(2.0), lambda rng: rng.lognormal(0, 2.0, DRAWS), 0.905),
    ],
)
def test_the_upper_end_is_rarely_below_the_true_mean(mean: float, draw: Callable[[np.random.Generator], np.ndarray], least: float) -> None:
    above, usual = shares_above(mean, draw)
    assert above >= least
    assert above > usual


def test_of_draws_without_skewness_it_is_the_usual_interval() -> None:
    draws = np.array([1.0, 2.0, 3.0] * 20)
    low, high = Moments.of(draws).interval
    half = QUANTILE * draws.std(ddof=1) / math.sqrt(60)
    assert (low, high) == pytest.approx((2 - half, 2 + half))


def test_of_skewed_draws_it_reaches_further_up_than_down() -> None:
    low, high = Moments.of(np.array([0.0] * 90 + [1.0] * 10)).interval
    assert 0 < low < 0.1 < high
    assert high - 0.1 > 0.1 - low


def test_samples_together_have_the_moments_of_all_their_draws() -> None:
    draws = np.random.default_rng(1).lognormal(size=100)
    together, whole = Moments.pooled([Moments.of(draws[:30]), Moments.of(draws[30:31]), Moments.of(draws[31:])]), Moments.of(draws)
    assert (together.count, together.mean, together.second, together.third) == pytest.approx((100, whole.mean, whole.second, whole.third))


def test_equal_draws_have_no_width_and_a_single_draw_tells_of_none() -> None:
    assert Moments.of(np.full(50, 0.25)).interval == (0.25, 0.25)
    assert Moments.of(np.array([0.25])).interval == (0.0, math.inf)
