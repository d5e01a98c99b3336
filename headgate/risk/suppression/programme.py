"""The best rules of Δ1 and Δ3 if the dictionary's fields are independent and sensitivity is Φ5: ℓ_i(S) = (1/N)·Π_{j∈S} γ_ij.

Rules avoid disclosing cells with an infinite γ. If that is impossible, every rule has infinite risk, and all are equally good.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import Bounds, LinearConstraint, milp
from scipy.sparse import csr_array, vstack

from headgate.core.errors import InputRejected
from headgate.core.tolerance import at_most
from headgate.risk.suppression.rules import Rule, check_entries, product_losses

MOST_CHOICES = 100_000  # binary variables that a programme may have
_SCALE = 1e4  # what the known rule costs in a programme: HiGHS stops within 1e-6 of the best
_NODES = 100_000  # of the search, and no seconds: the same table always has the same answer
_INFEASIBLE = 2  # scipy's status


@dataclass(frozen=True, eq=False)
class Programme:
    """One choice per record; the entries of all choices must add up to a required number."""

    choices: NDArray[np.bool_]  # records × choices × attributes: what is disclosed
    there: NDArray[np.bool_]  # records × choices: whether the record has the cells for it
    entries: NDArray[np.float64]  # records × choices × totals
    wanted: NDArray[np.float64]


def greedy_total(gamma: NDArray[np.float64], present: NDArray[np.bool_], k: int) -> Rule:
    """Δ1, exactly: takes k times the entry that raises the risk least.

    A record that discloses s entries discloses the s entries with the smallest γ. Its ℓ is convex in s: the next entry adds
    ℓ(s)·(γ_(s+1) − 1), and since γ never falls, neither does this increment. While γ < 1 it is negative and shrinks towards 0; from γ ≥
    1 on it is positive and grows. γ = 0 removes the whole loss, and later entries add nothing. So the k smallest increments of all
    records form a rule."""
    _check(gamma, present)
    check_entries(k, present.size)
    order, increments = _increments(gamma, present)
    records, places = np.divmod(np.argsort(increments, axis=None, kind="stable")[: min(k, int(present.sum()))], gamma.shape[1])
    rule = np.zeros_like(present)
    rule[records, order[records, places]] = True
    return rule


def exact_total(gamma: NDArray[np.float64], present: NDArray[np.bool_], k: int) -> Rule:
    """Δ1 by an integer programme that chooses how many entries each record discloses. It does not need a convex ℓ."""
    _check(gamma, present)
    check_entries(k, present.size)
    rows, width = gamma.shape
    _check_size(rows * (width + 1))
    order = _by_gamma(gamma, present)
    rank = np.empty_like(order)
    np.put_along_axis(rank, order, np.broadcast_to(np.arange(width), order.shape), axis=1)
    choices = np.stack([present & (rank < size) for size in range(width + 1)], axis=1)  # records × sizes × attributes
    there = np.arange(width + 1) <= present.sum(axis=1)[:, None]
    entries = np.where(there, np.arange(width + 1), 0).astype(np.float64)[:, :, None]
    wanted = np.array([min(k, int(present.sum()))], dtype=np.float64)
    return _solved(gamma, Programme(choices, there, entries, wanted), greedy_total(gamma, present, k))


def greedy_per_attribute(gamma: NDArray[np.float64], present: NDArray[np.bool_], k: int) -> Rule:
    """Δ3: for each attribute in turn, chooses the k records in which it adds least to what the other attributes disclose, and repeats while
    that lowers the risk.

    For one attribute the choice is optimal, so the risk never rises. The result need not be the best rule."""
    _check(gamma, present)
    check_entries(k, present.shape[0])
    rule, best = _turn(gamma, present, np.zeros_like(present), k), None
    while best is None or _cost(gamma, rule) < _cost(gamma, best):
        best, rule = rule, _turn(gamma, present, rule, k)
    return best


def exact_per_attribute(gamma: NDArray[np.float64], present: NDArray[np.bool_], k: int) -> Rule:
    """Δ3 by an integer programme with one binary variable per record and subset of its attributes. For few attributes only."""
    _check(gamma, present)
    check_entries(k, present.shape[0])
    rows, width = gamma.shape
    _check_size(rows * 2**width)
    subsets = (np.arange(2**width)[:, None] >> np.arange(width)) & 1 == 1
    there = (~subsets[None, :, :] | present[:, None, :]).all(axis=2)
    choices = np.broadcast_to(subsets, (rows, *subsets.shape))
    wanted = np.minimum(present.sum(axis=0), k).astype(np.float64)
    return _solved(gamma, Programme(choices, there, choices.astype(np.float64), wanted), greedy_per_attribute(gamma, present, k))


def _check(gamma: NDArray[np.float64], present: NDArray[np.bool_]) -> None:
    if gamma.shape != present.shape or gamma.ndim != 2 or gamma.size == 0:
        raise InputRejected("γ does not have the shape of the table, or the table is empty.", "Give one γ per cell.")
    if np.isnan(gamma[present]).any() or (gamma[present] < 0).any():
        raise InputRejected("A γ is negative or not a number.", "Give γ from 0 up; .inf is allowed.")


def _check_size(choices: int) -> None:
    if choices > MOST_CHOICES:
        raise InputRejected(
            f"An exact programme would have {choices:,} variables, more than {MOST_CHOICES:,}.",
            "Use the greedy rule, or fewer records or attributes.",
        )


def _by_gamma(gamma: NDArray[np.float64], present: NDArray[np.bool_]) -> NDArray[np.intp]:
    return np.lexsort((gamma, ~present), axis=1)


def _increments(gamma: NDArray[np.float64], present: NDArray[np.bool_]) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
    """The attributes sorted by γ, and what each adds to N·ℓ after those before it. Missing cells come last; their NaN sorts behind
    everything."""
    order = _by_gamma(gamma, present)
    ranked = np.take_along_axis(gamma, order, axis=1)
    before = np.ones_like(ranked)
    with np.errstate(over="ignore", invalid="ignore"):
        before[:, 1:] = np.cumprod(ranked[:, :-1], axis=1)
        before[:, 1:][ranked[:, :1].repeat(ranked.shape[1] - 1, axis=1) == 0] = 0.0
        increments = np.where(before == 0, 0.0, before * (ranked - 1))
    increments[~np.take_along_axis(present, order, axis=1)] = np.nan
    return order, increments


def _turn(gamma: NDArray[np.float64], present: NDArray[np.bool_], rule: Rule, k: int) -> Rule:
    rule = rule.copy()
    for j in range(gamma.shape[1]):
        rule[:, j] = False
        others = product_losses(gamma, rule, 1)
        there = np.flatnonzero(present[:, j])
        with np.errstate(over="ignore", invalid="ignore"):
            added = np.where(others == 0, 0.0, others * (gamma[:, j] - 1))
        added[np.isinf(others)] = 0.0
        added[np.isinf(others) & (gamma[:, j] == 0)] = -np.inf
        rule[there[np.argsort(added[there], kind="stable")[:k]], j] = True
    return rule


def _cost(gamma: NDArray[np.float64], rule: Rule) -> tuple[int, float]:
    losses = product_losses(gamma, rule, 1)
    return int(np.isinf(losses).sum()), float(losses[np.isfinite(losses)].sum())


def _solved(gamma: NDArray[np.float64], programme: Programme, known: Rule) -> Rule:
    """The cheapest choices, one per record, whose entries add up to the required number.

    Costs are measured from each record's cheapest choice, and scaled by the cost of the known rule. Choices that alone cost more than
    that rule are excluded, infinite ones among them. If the solution costs much less than the known rule, the scale was wrong, and the
    programme is solved again."""
    rows, many = programme.there.shape
    costs = np.stack([product_losses(gamma, programme.choices[:, number], 1) for number in range(many)], axis=1)
    costs[~programme.there] = np.inf
    least = costs.min(axis=1)
    excess = float((product_losses(gamma, known, 1) - least).sum())
    costs -= least[:, None]
    allowed = costs <= (excess * (1 + 1e-9) if np.isfinite(excess) else np.finfo(np.float64).max)
    scale = excess if np.isfinite(excess) else float(costs[allowed].max())
    if scale == 0:
        return known
    record, choice = np.nonzero(allowed)
    scaled = costs[record, choice] / scale * _SCALE
    place = np.arange(len(record))
    totals = vstack([csr_array(programme.entries[record, choice].T), csr_array((np.ones(len(place)), (record, place)))])
    sums = np.append(programme.wanted, np.ones(rows))
    solution = milp(
        scaled, integrality=np.ones(len(place)), bounds=Bounds(0, 1), constraints=LinearConstraint(totals, sums, sums),
        options={"mip_rel_gap": 0.0, "node_limit": _NODES},
    )  # fmt: skip
    if solution.status == _INFEASIBLE and np.isinf(excess):
        return known
    taken = np.zeros(len(place), dtype=bool) if solution.x is None else solution.x > 0.5
    proven = solution.status == 0 and (totals @ taken == sums).all() and at_most(scaled[taken].sum(), solution.mip_dual_bound)
    if not proven:
        raise InputRejected(
            "The solver cannot prove that a rule is best: the table is too large, or the costs differ too much.", "Use the greedy rule."
        )
    rule = programme.choices[record[taken], choice[taken]]
    return _solved(gamma, programme, rule) if scaled[taken].sum() < _SCALE / 10 else rule
