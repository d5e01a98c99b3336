"""Minimality attack (Wong, Fu, Wang, Pei, VLDB 2007): where an algorithm stopped tells something about the values.

Assumed: the attacker knows who is in each group, and that the algorithm is deterministic and always takes a split that keeps the
promise. A group that could be cut in two by one quasi-identifier, both parts of k people or more, and was not, must therefore break
the promise when cut.
Before that, every assignment of the group's values to its people is equally likely: a person's belief in value v is c_v/|G|. After it
only assignments count in which a part exceeds what is allowed, and beliefs differ from part to part. Counts in a part are multivariate
hypergeometric; they are summed exactly. m-confidentiality is reached with m = 1/(largest such belief).

One cut is reasoned from at a time: per attribute the one between two values, in domain order, nearest to the middle. The promise is of this
attribute alone, and of equal values (δ at ε = 0, or linkability); another attribute may be why there was no cut. `blocks` moves rows
and does not take every split. So this is the attacker's best guess, not a bound.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import binom

from headgate.attacks.matching import last_is_missing
from headgate.attacks.success import Success, success
from headgate.core.columns import Codes, Column
from headgate.core.errors import InputRejected
from headgate.core.tolerance import exact, floors, neighbours_allowed

LARGEST_GROUP = 2000  # people: a larger group can be cut so often that one cut tells next to nothing

IMPOSSIBLE = 1e-9  # rounding errors are far smaller; an attacker who sees something rarer will rather doubt the assumptions


@dataclass(frozen=True)
class Minimality:
    """`ratio`: the largest belief over prior belief in a sensitive value; 1 where nothing can be reasoned."""

    attribute: str
    groups: int  # reasoned about
    skipped: int  # larger than LARGEST_GROUP
    ratio: float
    belief: float  # largest in a sensitive value, groups that are not reasoned about included
    prior: float  # the same without the reasoning: linkability
    success: Success | None  # of the people reasoned about; None if there are none

    @property
    def m(self) -> float:
        return 1.0 / self.belief if self.belief > 0 else float("inf")

    def sentence(self) -> str:
        if self.success is None:
            return f"Minimality: the places where the algorithm stopped say nothing about '{self.attribute}'."
        rise = f"rises by a factor of up to {self.ratio:.3g}" if round(self.ratio, 2) > 1 else "does not rise"
        return (
            f"{self.success.sentence()} In {self.groups} groups, the cut that was not made says something about '{self.attribute}': "
            f"the belief in a value {rise}; m-confidentiality holds for m = {self.m:.3g}."
        )


@dataclass(frozen=True, eq=False)
class _Cut:
    """A cut that was not made, and what follows from its absence."""

    part: NDArray[np.bool_]  # which of the group's rows would be in the first part
    beliefs: NDArray[np.float64]  # parts × values
    rise: float  # the largest factor by which belief in a sensitive value rises


def minimality(quasi: Sequence[Column], groups: Codes, column: Column, k: int, *, linkability: Any = None, delta: Any = None) -> Minimality:
    """`quasi`, `groups` and `column` go by the rows of the source; suppressed rows have group −1. The promise is `linkability` (at most
    that share) or `delta`."""
    if (linkability is None) == (delta is None):
        raise InputRejected("Minimality is reasoned from exactly one promise.", "Give linkability or delta.")
    if k < 1 or len(groups) != len(column) or not (groups >= 0).any():
        raise InputRejected("The rows have no groups, or k is below 1.", "Give one group number per row and the policy's k.")
    values, reasoned, skipped = last_is_missing(column), 0, 0
    ratio, belief, prior = 1.0, 0.0, 0.0
    people, right, right_overall = 0, 0, 0
    overall = int(np.bincount(values[groups >= 0]).argmax())
    order = np.argsort(groups, kind="stable")[np.count_nonzero(groups < 0) :]
    for rows in np.split(order, np.flatnonzero(np.diff(groups[order])) + 1):
        group_values, place, counts = np.unique(values[rows], return_inverse=True, return_counts=True)
        flags, size = column.sensitive[group_values], len(rows)
        shares = counts / size
        worst = float(shares[flags].max(initial=0.0))
        prior, belief = max(prior, worst), max(belief, worst)
        skipped += size > LARGEST_GROUP
        if not 2 * k <= size <= LARGEST_GROUP or not flags.any():
            continue
        cuts = [
            _Cut(part, after, float((after / shares)[:, flags].max()))
            for part in (middle_cut(attribute.codes[rows], k) for attribute in quasi)
            if part is not None and (after := _beliefs_after(part, counts, flags, linkability, delta)) is not None
        ]
        if cuts:
            belief = max(belief, *(float(cut.beliefs[:, flags].max()) for cut in cuts))
            best = max(cuts, key=lambda cut: cut.rise)
            reasoned, ratio, people = reasoned + 1, max(ratio, best.rise), people + size
            guesses = best.beliefs.round(9).argmax(axis=1)[np.where(best.part, 0, 1)]
            right += int((guesses == place).sum())
            right_overall += int((values[rows] == overall).sum())
    words = f"the value of '{column.name}' that the missing cut makes most likely"
    done = success("Minimality", words, people, right, right_overall) if people else None
    return Minimality(column.name, reasoned, skipped, ratio, belief, prior, done)


def _beliefs_after(
    part: NDArray[np.bool_], counts: NDArray[np.int64], flags: NDArray[np.bool_], linkability: Any, delta: Any
) -> NDArray[np.float64] | None:
    """The beliefs in each part of a group, given that this cut was not made."""
    sizes = int(part.sum()), int(len(part) - part.sum())
    return beliefs(counts, flags, sizes, (allowed(sizes[0], linkability, delta), allowed(sizes[1], linkability, delta)))


def allowed(size: int, linkability: Any, delta: Any) -> int:
    """How many rows with one sensitive value a group of this size may hold."""
    if delta is not None:
        return 0 if size == 1 and exact(delta) > 0 else int(neighbours_allowed(size, delta)) + 1
    return int(floors(size, exact(linkability)))


def middle_cut(codes: Codes, k: int) -> NDArray[np.bool_] | None:
    """The lower part of the cut nearest to the middle that leaves k rows in both parts; None if no cut does. Of two equally near cuts, the
    lower."""
    distinct, counts = np.unique(codes, return_counts=True)
    below = np.cumsum(counts)[:-1]
    fine = np.flatnonzero((below >= k) & (len(codes) - below >= k))
    if len(fine) == 0:
        return None
    at = fine[np.abs(2 * below[fine] - len(codes)).argmin()]
    return np.asarray(codes <= distinct[at])


def beliefs(
    counts: NDArray[np.int64], flags: NDArray[np.bool_], sizes: tuple[int, int], caps: tuple[int, int]
) -> NDArray[np.float64] | None:
    """Part × value: the belief, given that some flagged value exceeds its cap in a part. None if that cannot happen.

    A product of binomials, given their sum, is multivariate hypergeometric; so polynomials of binomial probabilities are multiplied.
    Values that cannot exceed a cap, and those that need not keep one, are exchangeable: they are one free value."""
    first, size = sizes[0], sizes[0] + sizes[1]
    bound = flags & (counts > min(caps))
    if not bound.any():
        return None
    limited = [int(count) for count in counts[bound]]
    free = size - sum(limited)
    share = first / size
    terms: list[NDArray[np.float64]] = []
    for count in [*limited, free]:
        term = binom.pmf(np.arange(count + 1), count, share)
        if len(terms) < len(limited):
            part_counts = np.arange(count + 1)
            term = np.where((part_counts <= caps[0]) & (count - part_counts <= caps[1]), term, 0.0)
        terms.append(term[: first + 1])
    whole = float(binom.pmf(first, size, share))
    kept = _at(_product(terms), first) / whole
    broken = 1.0 - kept
    if broken < IMPOSSIBLE:
        return None
    expected = []
    for i, count in enumerate([*limited, free]):
        others = _product([term for j, term in enumerate(terms) if j != i])
        inside = _at(np.convolve(terms[i] * np.arange(len(terms[i])), others), first) / whole
        expected.append((count * share - inside) / broken)
    in_first = np.where(bound, 0.0, counts * (expected[-1] / max(free, 1)))
    in_first[bound] = expected[:-1]
    return np.clip(np.stack([in_first / sizes[0], (counts - in_first) / sizes[1]]), 0.0, 1.0)


def _product(terms: Sequence[NDArray[np.float64]]) -> NDArray[np.float64]:
    out = np.ones(1)
    for term in terms:
        out = np.convolve(out, term)
    return out


def _at(polynomial: NDArray[np.float64], place: int) -> float:
    return float(polynomial[place]) if place < len(polynomial) else 0.0
