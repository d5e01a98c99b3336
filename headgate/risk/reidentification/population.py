"""Population uniqueness, estimated from a sample: how many of the population are alone in their combination of quasi-identifiers.

A sample of n rows, a fraction π = n/N of the population of N, has u classes, s_j of them of size j. Three estimators of the number S₁ of
population uniques, and the rule of Dankar, El Emam, Neisa, Roffey (BMC Med. Inform. Decis. Mak. 12:66, 2012) that chooses:

- Zayatz (1991): by Bayes' rule, classes being as large in the population as in the sample: P(F=1 | f=1) = p₁h(1)/Σ_j p_j h(j), p_j = s_j/u,
  h(j) the hypergeometric probability of drawing one of j; S₁ = s₁·P(F=1 | f=1)/π.
- Pitman (Hoshino 2001): the sample is a random partition of the Ewens–Pitman family; (θ, α) by maximum likelihood, 0 ≤ α < 1.
- Slide negative binomial, SNB (Chen and McNulty 1998): class sizes are 1 + NB(α, β); α and β from E(s₁), E(s₂) at a number of
  classes K after Shlosser, in the form of Haas and Stokes (1998), which is too large, and S₁ with it, where all classes are small;
  S₁ = Kβ^α.
- Rule: π ≤ 0.1: Pitman; else the smaller of SNB and Zayatz. An estimator without a solution has no estimate, and Zayatz stands in.

A population unique that was drawn is a sample unique. So without sample uniques nobody in the release is unique in the population, and all
estimates are 0; and if everybody was drawn, they are s₁.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq
from scipy.special import digamma, poch

from headgate.core.columns import Codes
from headgate.core.errors import InputRejected
from headgate.core.tolerance import at_most, exact
from headgate.risk.reidentification.prosecutor import MOST_PEOPLE, checked_weights, sizes_of_readings

SMALL_FRACTION = 0.1
_EWENS, _LARGEST_ALPHA = 1e-6, 1 - 1e-6  # the former stands for the edge α = 0, Ewens's model
_LARGE = 1e4  # from here the digamma function's asymptotic series is exact to rounding


class Estimator(StrEnum):
    ZAYATZ = "Zayatz"
    PITMAN = "Pitman"
    SNB = "SNB"


@dataclass(frozen=True)
class PopulationUniqueness:
    """Estimated numbers of people of the population; None if an estimator has no solution for this sample."""

    population: int
    fraction: float
    sample_uniques: int
    zayatz: float
    pitman: float | None
    snb: float | None

    @property
    def chosen(self) -> Estimator:
        """The estimate that the rule of Dankar et al. chooses."""
        if at_most(self.fraction, SMALL_FRACTION):
            return Estimator.ZAYATZ if self.pitman is None else Estimator.PITMAN
        return Estimator.ZAYATZ if self.snb is None or self.zayatz < self.snb else Estimator.SNB

    @property
    def uniques(self) -> float:
        of = {Estimator.ZAYATZ: self.zayatz, Estimator.PITMAN: self.pitman, Estimator.SNB: self.snb}
        return float(of[self.chosen] or 0.0)

    @property
    def share(self) -> float:
        """The share of the population that is unique. It is also the share of the released rows, which were drawn at random."""
        return self.uniques / self.population

    def meets(self, largest: Any) -> bool:
        """Whether at most this share of the population is unique."""
        return at_most(self.share, float(exact(largest)))


def population_uniqueness(
    classes: Sequence[Codes], fraction: Any = None, weights: NDArray[np.float64] | None = None
) -> PopulationUniqueness:
    """Estimates from a simple random sample whose rows are in these classes. The population has n/π people, or as many as the sampling
    weights add up to. Of two readings, the one with more uniques counts."""
    sizes = sizes_of_readings(classes)
    rows = len(classes[0])
    if (fraction is None) == (weights is None):
        raise InputRejected("The size of the population is not known.", "Give either the sampling fraction or the sampling weights.")
    if weights is not None:
        people = exact(float(checked_weights(weights, rows).sum()))
    else:
        drawn = exact(fraction)
        if not 0 < drawn <= 1:
            raise InputRejected("The sampling fraction is not in (0, 1].", "Give the share of the population that was drawn.")
        people = rows / drawn
    if people > MOST_PEOPLE:
        raise InputRejected("The population is larger than any real population.", "Correct the sampling fraction or the sampling weights.")
    population = round(people)
    if population < rows:
        raise InputRejected("The population is smaller than the sample.", "Correct the sampling weights: they add up to the population.")
    return max((_estimates(reading, population) for reading in sizes), key=lambda estimate: estimate.uniques)


def intrusion(classes: Sequence[Codes], fraction: Any) -> float | None:
    """Data intrusion simulation, DIS (Skinner and Elliot 2002): the probability that a unique match between an outsider's record and the
    release is correct, π·s₁/(π·s₁ + 2(1−π)·s₂). None if the sample has neither uniques nor pairs. The worse reading counts."""
    drawn = float(exact(fraction))
    if not 0 < drawn <= 1:
        raise InputRejected("The sampling fraction is not in (0, 1].", "Give the share of the population that was drawn.")
    shares = []
    for size in sizes_of_readings(classes):
        right, wrong = drawn * int((size == 1).sum()), 2 * (1 - drawn) * int((size == 2).sum())
        if right + wrong > 0:
            shares.append(right / (right + wrong))
    return max(shares, default=None)


def _estimates(sizes: NDArray[np.int64], population: int) -> PopulationUniqueness:
    frequency = np.bincount(sizes)
    size = np.flatnonzero(frequency)  # the sizes j that occur, and s_j of each
    classes = frequency[size]
    rows, alone = int(sizes.sum()), int(frequency[1])
    fraction = rows / population
    if alone == 0 or rows == population:
        return PopulationUniqueness(population, fraction, alone, float(alone), float(alone), float(alone))
    return PopulationUniqueness(
        population,
        fraction,
        alone,
        zayatz(size, classes, population),
        pitman(size, classes, population),
        slide_negative_binomial(size, classes, population, shlosser(size, classes, population)),
    )


def zayatz(size: NDArray[np.int64], classes: NDArray[np.int64], population: int) -> float:
    """Zayatz's estimate. `classes[i]` classes have `size[i]` rows; the first size is 1."""
    rows = int(size @ classes)
    i = np.arange(1, int(size[-1]))
    # h(j)/h(1) = j·∏_{i<j} (N−n+1−i)/(N−i): no factorials
    chance = size * np.concatenate([[1.0], np.cumprod(np.maximum(population - rows + 1 - i, 0) / (population - i))])[size - 1]
    return float(classes[0] ** 2 / (chance @ classes) * population / rows)


def pitman(size: NDArray[np.int64], classes: NDArray[np.int64], population: int) -> float | None:
    """Pitman's estimate. It solves the likelihood's two equations, one inside the other: θ(α) solves ∂L/∂θ = 0, and along it ∂L/∂α falls
    through 0."""
    model = _Pitman(size, classes)
    if not 1 < model.classes < model.rows or model.alpha_slope(_LARGEST_ALPHA) > 0:
        return None  # one class, or next to nothing but uniques: the likelihood grows up to the edge
    alpha = _EWENS
    if model.alpha_slope(alpha) > 0:
        alpha = float(brentq(model.alpha_slope, _EWENS, _LARGEST_ALPHA, xtol=1e-14))
    over = model.theta(alpha) + alpha
    # N·Γ(θ+1)/Γ(θ+α)·Γ(θ+α+N−1)/Γ(θ+N), the expectation for every N; for large N it is the papers' Γ(θ+1)/Γ(θ+α)·N^α
    return _sound(float(population * poch(over, 1 - alpha) / poch(over + population - 1, 1 - alpha)), population)


class _Pitman:
    """L(θ, α) = Σ_{i=1}^{u−1} ln(θ+iα) − Σ_{i=1}^{n−1} ln(θ+i) + Σ_j s_j Σ_{i=1}^{j−1} ln(i−α), up to a constant."""

    def __init__(self, size: NDArray[np.int64], classes: NDArray[np.int64]) -> None:
        self.size, self.of_size = size.astype(np.float64), classes.astype(np.float64)
        self.rows, self.classes = int(size @ classes), int(classes.sum())

    def theta(self, alpha: float) -> float:
        """The root of ∂L/∂θ, which falls through 0 once between −α and infinity, since u < n."""

        def slope(log: float) -> float:
            over = math.exp(log)  # θ + α
            return inverses(over / alpha, self.classes - 1) / alpha - inverses(over - alpha + 1, self.rows - 1)

        low, high = -30.0, 2 * math.log(self.rows) + 10
        return math.exp(float(brentq(slope, low, high, xtol=1e-13))) - alpha

    def alpha_slope(self, alpha: float) -> float:
        theta = self.theta(alpha)
        first = (self.classes - 1 - theta * inverses(theta / alpha + 1, self.classes - 1) / alpha) / alpha
        return float(first - self.of_size @ (digamma(self.size - alpha) - digamma(1 - alpha)))


def inverses(start: float, count: float) -> float:
    """Σ_{i<count} 1/(start+i), computed without cancellation even if start is so large that digammas would cancel."""
    if start < _LARGE:
        return float(digamma(start + count) - digamma(start))
    end = start + count
    return math.log1p(count / start) + count / (2 * start * end) + (1 / start**2 - 1 / end**2) / 12


def slide_negative_binomial(size: NDArray[np.int64], classes: NDArray[np.int64], population: int, count: float | None) -> float | None:
    """The SNB estimate; `count` is K. With d = (1−π)(1−β) and r = β/(1−d), E(s₁) = Kπ·r^α(1 + αd/(1−d)) and E(s₂) = ½Kπ²·α(1−β)·r^α(2 −
    (1−α)d)/(1−d)². Their ratio determines one α for each β, as the root of a quadratic; the first equation then determines β."""
    pairs = int(classes[1]) if len(size) > 1 and size[1] == 2 else 0
    if pairs == 0 or count is None:
        return None  # without pairs there is no α above 0
    rows, alone = int(size @ classes), int(classes[0])
    fraction = rows / population
    ratio = 2 * pairs / (fraction * alone)

    def alpha_of(beta: Any) -> Any:
        d = (1 - fraction) * (1 - beta)
        a, b, c = (1 - beta) * d, (1 - beta) * (2 - d) - ratio * (1 - d) * d, -ratio * (1 - d) ** 2
        root = np.sqrt(b * b - 4 * a * c)
        return np.where(b > 0, -2 * c / (b + root), (root - b) / (2 * a))  # without cancellation

    def gap(logit: Any) -> Any:
        beta = 1 / (1 + np.exp(-logit))
        alpha, d = alpha_of(beta), (1 - fraction) * (1 - beta)
        return alpha * np.log(beta / (1 - d)) + np.log1p(alpha * d / (1 - d)) - math.log(alone / (count * fraction))

    grid = np.linspace(-25, 25, 1001)
    gaps = gap(grid)
    if not np.isfinite(gaps).all():
        return None
    changes = np.flatnonzero(np.sign(gaps[:-1]) != np.sign(gaps[1:]))
    if len(changes) != 1:
        return None
    beta = 1 / (1 + math.exp(-brentq(gap, grid[changes[0]], grid[changes[0] + 1], xtol=1e-12)))
    return _sound(count * beta ** float(alpha_of(beta)), population)


def shlosser(size: NDArray[np.int64], classes: NDArray[np.int64], population: int) -> float | None:
    """K, the number of classes in the population: Haas and Stokes' modification of Shlosser's estimator (their D_Sh3)."""
    q = int(size @ classes) / population
    j, s = size.astype(np.float64), classes.astype(np.float64)
    kept = (1 - q) ** j
    first = (j * q**2 * (1 - q**2) ** (j - 1)) @ s / (((1 - q**2) ** j - kept) @ s)
    second = kept @ s / ((j * q * (1 - q) ** (j - 1)) @ s)
    return _sound(float(s.sum() + s[0] * first * second**2), population)


def _sound(estimate: float, population: int) -> float | None:
    """The estimate, if it is a possible number of people of the population; otherwise None."""
    return estimate if math.isfinite(estimate) and 0 <= estimate <= population * (1 + 1e-9) else None
