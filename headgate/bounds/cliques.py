"""Cliques of similar rows, which prove that a limit cannot be satisfied, and the number of rows outside each clique.

A clique is a set of mutually similar centres, with all their rows. A row is outside a clique if it is dissimilar to some member. If values
lie on a line, the largest clique is a window, and the search is exact. For a few values, branch and bound searches exactly (Östergård, "A
New Algorithm for the Maximum-Weight Clique Problem", 2001). In all other cases, cliques grow greedily from many seeds. Nothing here depends
on δ or k, so one search serves all of them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from headgate.bounds.exact_clique import FEW, heaviest_clique
from headgate.core.compiling import loop, making
from headgate.core.distance import LINE, DistanceLayout
from headgate.core.errors import InputRejected
from headgate.counting.neighbours import runs_apart
from headgate.counting.value_boxes import close
from headgate.grouping.abstract_graph import Occurring, occurring, weight_near
from headgate.grouping.limits import NeighbourhoodLimit

WORK = 5 * 10**9  # the most differences of two numbers that counting all neighbourhoods may take: some seconds
SEEDS = 64  # values from which cliques grow
GROWTH = 4_000_000  # the most pairs that are compared while cliques grow
EXACT_STEPS = 100_000  # the most steps of branch and bound
RUNS = 1_000  # the most runs that branch and bound searches
STEPS = 4  # windows begin at every value, and end at this many different places within reach of it


@dataclass(frozen=True, eq=False)
class Cliques:
    """The centres among `member[begin[i] : end[i]]` form clique i. It has `rows[i]` rows, and `outside[i]` rows are outside it.

    A clique is dropped if another one has more rows and fewer rows outside. The clique with the most rows comes first. `near` holds, for
    each value that occurs (`number`), the number of rows similar to it; it is None if counting would take too long."""

    rows: NDArray[np.int64]
    outside: NDArray[np.int64]
    begin: NDArray[np.int64]
    end: NDArray[np.int64]
    member: NDArray[np.int64]
    number: NDArray[np.int64]
    count: NDArray[np.int64]
    near: NDArray[np.int64] | None
    near_centres: NDArray[np.int64] | None  # the same, counting centres only
    centre: NDArray[np.bool_]

    def values(self, clique: int) -> NDArray[np.int64]:
        """The numbers that the limit gives to the clique's values."""
        inside = self.member[self.begin[clique] : self.end[clique]]
        return np.asarray(self.number[inside[self.centre[inside]]])


def cliques_of(limit: NeighbourhoodLimit, work: int = WORK) -> Cliques:
    """The cliques of a limit. They are the same for any δ, so one search per limit is enough."""
    present = occurring(limit)
    size, total = len(present.count), limit.rows
    centre = limit.centre[present.number]
    order, runs = runs_apart(limit.layout, present.codes, np.array([0, size]), limit.radius)
    codes = np.ascontiguousarray(present.codes[order])
    count, weight = present.count[order], np.where(centre, present.count, 0)[order]
    first, last = _windows(limit.layout, codes, runs, limit.radius)
    windowed = bool((first >= 0).all())
    if windowed:
        near, near_centres = _between(count, first, last, order), _between(weight, first, last, order)
    else:
        near, near_centres = _near(limit, present, centre, work)
    heaviest = _HeaviestCliques(total)
    _add_windows(heaviest, first, last, count, weight)
    member = [order]
    if not windowed:
        general = np.flatnonzero(first < 0)
        if near is not None:
            heaviest.add(weight[general], total - near[order[general]], general, general + 1)
        fullness = count if near is None else near[order]
        offset = size
        for grown, rows, common in _grown(limit, codes, runs, general, count, weight, fullness):
            places = np.full(len(grown), offset)
            heaviest.add(rows, total - common, places, places + np.arange(1, len(grown) + 1))
            member.append(order[grown])
            offset += len(grown)
    rows, outside, begin, end = heaviest.best()
    return Cliques(rows, outside, begin, end, np.concatenate(member), present.number, present.count, near, near_centres, centre)


class _HeaviestCliques:
    """Collects cliques, and drops those that another clique makes superfluous."""

    def __init__(self, total: int) -> None:
        self._total = total
        self._kept: list[NDArray[np.int64]] = [np.empty((4, 0), dtype=np.int64)]

    def add(self, rows: NDArray[np.int64], outside: NDArray[np.int64], begin: NDArray[np.int64], end: NDArray[np.int64]) -> None:
        self._kept.append(_superior(np.stack([rows, outside, begin, end])[:, rows > 0], self._total))

    def best(self) -> NDArray[np.int64]:
        return _superior(np.concatenate(self._kept, axis=1), self._total)


def _superior(cliques: NDArray[np.int64], total: int) -> NDArray[np.int64]:
    """The cliques sorted by rows, most first; each has fewer rows outside than all before it."""
    rows, outside = cliques[0], cliques[1]
    cliques = cliques[:, np.argsort((total - rows) * (total + 1) + outside, kind="stable")]
    least = np.minimum.accumulate(np.concatenate([[total + 1], cliques[1]]))
    return np.asarray(cliques[:, cliques[1] < least[:-1]])


def _sums(weight: NDArray[np.int64]) -> NDArray[np.int64]:
    return np.concatenate([[0], np.cumsum(weight)]).astype(np.int64)


def _between(
    weight: NDArray[np.int64], first: NDArray[np.int64], last: NDArray[np.int64], order: NDArray[np.int64]
) -> NDArray[np.int64] | None:
    """The weight within reach of each value, in the order of the values' numbers."""
    sums, between = _sums(weight), np.empty(len(order), np.int64)
    between[order] = sums[last + 1] - sums[first]
    return between


def _near(
    limit: NeighbourhoodLimit, present: Occurring, centre: NDArray[np.bool_], work: int
) -> tuple[NDArray[np.int64] | None, NDArray[np.int64] | None]:
    """The number of rows near each value, and the number of centres among them; None if counting would take too long."""
    try:
        near = weight_near(limit, present, present.count, work)
        return near, near if centre.all() else weight_near(limit, present, np.where(centre, present.count, 0), work)
    except InputRejected:  # too much work for a preview; figures that need these counts are left out
        return None, None


def _add_windows(
    heaviest: _HeaviestCliques, first: NDArray[np.int64], last: NDArray[np.int64], count: NDArray[np.int64], weight: NDArray[np.int64]
) -> None:
    """Adds windows from each value to several values within its reach. A row within reach of both ends is similar to all values between."""
    begin = np.flatnonzero(first >= 0)
    if len(begin) == 0:
        return
    sums, centres = _sums(count), _sums(weight)
    room = last[begin] - begin
    for step in range(STEPS, -1, -1):
        wide = np.arange(len(begin)) if step in (0, STEPS) else np.flatnonzero(room >= STEPS)
        ends = begin[wide] + room[wide] * step // STEPS
        rows = centres[ends + 1] - centres[begin[wide]]
        similar = sums[last[begin[wide]] + 1] - sums[first[ends]]
        heaviest.add(rows, sums[-1] - similar, begin[wide], ends + 1)


@loop
def _windows(
    layout: DistanceLayout, codes: NDArray[np.int32], runs: NDArray[np.int64], reach: float
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The first and the last value within reach of each value, in runs that are sorted along a single line; −1 in other runs."""
    first, last = np.full(len(codes), -1), np.full(len(codes), -1)
    for run in range(len(runs) - 1):
        start, end = runs[run], runs[run + 1]
        if not _on_one_line(layout, codes[start:end]):
            continue
        low, high = start, start
        for place in range(start, end):
            while not close(layout, codes, low, place, reach):
                low += 1
            high = max(high, place)
            while high + 1 < end and close(layout, codes, place, high + 1, reach):
                high += 1
            first[place], last[place] = low, high
    return first, last


@making
def _on_one_line(layout: DistanceLayout, codes: NDArray[np.int32]) -> bool:
    """Whether these values differ in at most one component, and ascend along it, and this component is a line without missing cells."""
    if layout.least and codes.shape[1] > 1 and len(codes) > 1:
        return False
    line = -1
    for i in range(codes.shape[1]):
        if (codes[:, i] == codes[0, i]).all():
            continue
        if line >= 0 or layout.mode[i] != LINE or codes[:, i].min() < 0:
            return False
        line = i
    return line < 0 or bool((codes[1:, line] > codes[:-1, line]).all())


def _grown(
    limit: NeighbourhoodLimit,
    codes: NDArray[np.int32],
    runs: NDArray[np.int64],
    general: NDArray[np.int64],
    count: NDArray[np.int64],
    weight: NDArray[np.int64],
    fullness: NDArray[np.int64],
) -> list[tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]]:
    """Cliques in the other runs: the members in the order in which they joined, and, after each, the clique's rows and the rows similar
    to all."""
    out = []
    run_of = np.searchsorted(runs, np.arange(len(codes)), side="right") - 1
    centres = general[weight[general] > 0]
    budget, steps = np.zeros(1, dtype=np.int64), np.array([EXACT_STEPS])
    for score in (weight, fullness):
        budget[0] += GROWTH // 2
        falling: dict[int, NDArray[np.int64]] = {}
        for seed in centres[np.argsort(-score[centres], kind="stable")[: SEEDS // 2]].tolist():
            if budget[0] <= 0:
                break
            run = int(run_of[seed])
            start, end = int(runs[run]), int(runs[run + 1])
            if run not in falling:
                falling[run] = start + np.argsort(-np.where(weight[start:end] > 0, score[start:end], -1), kind="stable")
            out.append(_grow(limit.layout, codes, start, end, seed, falling[run], weight, count, limit.radius, budget))
    most = max((int(rows[-1]) for _, rows, _ in out), default=0)
    sums, dense = _sums(weight), np.unique(run_of[general])
    together = sums[runs[dense + 1]] - sums[runs[dense]]
    for place in np.argsort(-together, kind="stable")[:RUNS].tolist():
        start, end = int(runs[dense[place]]), int(runs[dense[place] + 1])
        inside = start + np.flatnonzero(weight[start:end] > 0)
        if together[place] <= most or steps[0] <= 0:
            break
        if len(inside) <= FEW:
            few = np.ascontiguousarray(codes[inside])
            best = inside[heaviest_clique(limit.layout, few, weight[inside], limit.radius, most, steps)]
            for seed in best[:1].tolist():
                out.append(_grow(limit.layout, codes, start, end, seed, best, weight, count, limit.radius, np.array([GROWTH])))
                most = int(out[-1][1][-1])
    return out


@loop
def _grow(
    layout: DistanceLayout,
    codes: NDArray[np.int32],
    start: int,
    end: int,
    seed: int,
    falling: NDArray[np.int64],
    weight: NDArray[np.int64],
    count: NDArray[np.int64],
    reach: float,
    budget: NDArray[np.int64],
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Grows a clique from the seed: each centre in the given order joins if it is similar to all members so far."""
    common = np.arange(start, end)
    similar = np.ones(end - start, np.bool_)
    members, rows, around = np.empty(end - start, np.int64), np.empty(end - start, np.int64), np.empty(end - start, np.int64)
    size, clique_rows, left, joined = 0, 0, len(common), np.zeros(end - start, np.bool_)
    for turn in range(-1, len(falling)):
        candidate = seed if turn < 0 else falling[turn]
        if not similar[candidate - start] or joined[candidate - start] or weight[candidate] == 0:
            continue
        if size > 0 and budget[0] < left:
            break
        budget[0] -= left
        kept, near = 0, 0
        for i in range(left):
            other = common[i]
            if close(layout, codes, candidate, other, reach):
                common[kept] = other
                kept += 1
                near += count[other]
            else:
                similar[other - start] = False
        left = kept
        joined[candidate - start] = True
        clique_rows += weight[candidate]
        members[size], rows[size], around[size] = candidate, clique_rows, near
        size += 1
    return members[:size].copy(), rows[:size].copy(), around[:size].copy()
