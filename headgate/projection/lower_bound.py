"""Below which exposure there is no plan: a lower bound on Γβ over all plans with Γα ≤ α, for any number of attributes."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from headgate.core.tolerance import TOLERANCE
from headgate.projection.information import NOTHING, Associations

SECTIONS = 30  # golden ones, of the interval in which the multiplier lies
GOLDEN = (5**0.5 - 1) / 2
LARGEST = 1e9


def least_exposure(figures: Associations, association_loss: float) -> float:
    """A number that Γβ of no plan with Γα ≤ α is below.

    Proof. Share every table's exposure among its attributes: with e = E/E_Σ, g = I/I_Σ and S_i the partners of attribute i in its table,

        Γβ = Σ_i (|S_i| + 1)/(2n) Σ_{j ∈ S_i} e_ij    and    1 − Γα = ½ Σ_i Σ_{j ∈ S_i} g_ij ≥ 1 − α,

    since each pair inside a table is counted from both its ends. For every λ ≥ 0 therefore

        Γβ ≥ Γβ − λ(1 − Γα − (1 − α)) = λ(1 − α) + Σ_i Σ_{j ∈ S_i} ((|S_i| + 1)/(2n) e_ij − λ/2 g_ij)
           ≥ λ(1 − α) + Σ_i min_m (the m smallest of (m + 1)/(2n) e_ij − λ/2 g_ij over j ≠ i, summed),

    where in the last line each attribute may choose its partners without regard to what they choose. The right side is concave in λ; any λ
    gives a bound, and the best one found is taken. □"""
    size = len(figures.names)
    if size < 2 or figures.total_information < NOTHING or figures.total_exposable < NOTHING:
        return 0.0
    apart = ~np.eye(size, dtype=bool)
    exposed = (figures.exposable / figures.total_exposable)[apart].reshape(size, size - 1)
    kept = (figures.information / figures.total_information)[apart].reshape(size, size - 1)
    need = max(0.0, 1.0 - association_loss - TOLERANCE)  # what passes as within α
    high = 1.0
    while high < LARGEST and _bound(high * 2, need, exposed, kept) > _bound(high, need, exposed, kept):
        high *= 2
    low, high, best = 0.0, high * 2, 0.0  # at λ = 0 it is 0
    left, right = high - (high - low) * GOLDEN, low + (high - low) * GOLDEN
    first, second = _bound(left, need, exposed, kept), _bound(right, need, exposed, kept)
    for _ in range(SECTIONS):
        best = max(best, first, second)
        if first < second:
            low, left, first = left, right, second
            right = low + (high - low) * GOLDEN
            second = _bound(right, need, exposed, kept)
        else:
            high, right, second = right, left, first
            left = high - (high - low) * GOLDEN
            first = _bound(left, need, exposed, kept)
    return max(0.0, best - NOTHING)  # the sums above are rounded


def _bound(multiplier: float, need: float, exposed: NDArray[np.float64], kept: NDArray[np.float64]) -> float:
    size = len(exposed)
    least = np.zeros(size)
    for partners in range(1, size):
        costs = (partners + 1) / (2 * size) * exposed - multiplier / 2 * kept
        least = np.minimum(least, np.partition(costs, partners - 1, axis=1)[:, :partners].sum(axis=1))
    return float(multiplier * need + least.sum())
