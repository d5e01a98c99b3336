"""`faithful`: XColor as the paper has it (Algorithms 1 and 2): an equitable initial coloring, then exchanges that lower the number of
monochromatic edges until no row has too many similar ones in its class.

Beyond the paper, several limits can hold at once: a row violates if it does under any of them, a class is movable if it is under
all, and the potential is the sum of their monochromatic edges. With one limit this is the paper's algorithm, and Lemma 2 holds.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numba
import numpy as np
from numpy.typing import NDArray

from headgate.columns import Codes
from headgate.errors import InputRejected
from headgate.xcolor.abstract_graph import AbstractGraph, abstract_graph
from headgate.xcolor.axes import Axes, group_loss
from headgate.xcolor.limits import NeighbourhoodLimit

LARGEST_COUNTS = 100_000_000  # distinct values × classes: 400 MB


@dataclass(frozen=True, eq=False)
class Coloring:
    groups: Codes
    exchanges: int
    violations: int  # rows with too many similar ones in their class; 0 is success
    potential: int  # monochromatic edges left, over all limits


def lemma_2_guarantees(limit: NeighbourhoodLimit, graph: AbstractGraph, k: int) -> bool:
    """Lemma 2, with floors: Θ ≤ m(t+1)/2 guarantees success, with t = ⌊(1−δ)(k−1)⌋ and m = ⌊n/k⌋."""
    classes = limit.rows // k
    return classes > 0 and limit.allowed[k] > 0 and 2 * graph.largest_degree <= classes * int(limit.allowed[k])


def color(axes: Axes, limits: Sequence[NeighbourhoodLimit], rows: int, k: int) -> Coloring:
    """A relaxed equitable coloring with m = ⌊n/k⌋ classes (Definition 11)."""
    if rows < k:
        raise InputRejected(f"{rows} rows cannot make a group of k = {k}.", "Lower k or release more rows.")
    classes = rows // k
    graphs = [abstract_graph(limit) for limit in limits]
    if sum(len(graph.count) for graph in graphs) * classes > LARGEST_COUNTS:
        raise InputRejected(f"{rows} rows are too many for variant: faithful.", "Use variant: blocks.")
    degree = np.zeros(rows, dtype=np.int64)
    for graph in graphs:
        degree += graph.degrees()
    groups = initialize(degree, classes)
    values = np.stack([graph.value for graph in graphs], axis=1) if graphs else np.empty((rows, 0), dtype=np.int32)
    sizes = np.array([len(graph.count) for graph in graphs], dtype=np.int64)
    start = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    shift = np.concatenate([[0], np.cumsum([len(graph.near) for graph in graphs])]).astype(np.int64)
    begin = np.concatenate([np.append(graph.begin + shift[i], 0) for i, graph in enumerate(graphs)] or [np.zeros(1, dtype=np.int64)])
    near = np.concatenate([graph.near for graph in graphs] or [np.zeros(0, dtype=np.int32)])
    centre = np.stack([limit.centres() for limit in limits], axis=1) if limits else np.empty((rows, 0), dtype=bool)
    allowed = np.stack([limit.allowed for limit in limits]) if limits else np.empty((0, rows + 1), dtype=np.int64)
    begin_of = np.concatenate([[0], np.cumsum(sizes + 2)]).astype(np.int64)
    exchanges, violations, potential = _exchange(
        axes, groups, classes, np.ascontiguousarray(values), np.ascontiguousarray(centre), start, begin_of, begin, near, allowed
    )
    return Coloring(groups, int(exchanges), int(violations), int(potential))


@numba.njit(cache=True, nogil=True)
def initialize(degree: NDArray[np.int64], classes: int) -> NDArray[np.int32]:
    """Algorithm 1: rows by falling degree, each to the class with the least sum of degrees that is not full.

    The remainder is spread evenly: as printed, classes of k and k+1 cannot hold n rows when n mod k exceeds m (n = 19, k = 10)."""
    rows = len(degree)
    groups = np.empty(rows, dtype=np.int32)
    load, height = np.zeros(classes, dtype=np.int64), np.zeros(classes, dtype=np.int64)
    base = rows // classes
    falling = np.argsort(-degree, kind="mergesort")  # line 1
    for i in range(rows):
        full = base if i < base * classes else base + 1  # lines 3 and 6
        chosen = -1
        for j in range(classes):  # lines 4 and 7
            if height[j] < full and (chosen < 0 or load[j] < load[chosen]):
                chosen = j
        groups[falling[i]] = chosen
        load[chosen] += degree[falling[i]]
        height[chosen] += 1
    return groups


@numba.njit(cache=True, nogil=True)
def _exchange(
    axes: Axes,
    groups: NDArray[np.int32],
    classes: int,
    values: NDArray[np.int32],
    centre: NDArray[np.bool_],
    start: NDArray[np.int64],
    begin_of: NDArray[np.int64],
    begin: NDArray[np.int64],
    near: NDArray[np.int32],
    allowed: NDArray[np.int64],
) -> tuple[int, int, int]:
    """Algorithm 2, lines 4–11. `inside[value, class]` = rows of the class similar to the value."""
    rows, kinds = values.shape
    largest = rows // classes + 1
    member = np.full((classes, largest), -1, dtype=np.int64)
    place = np.empty(rows, dtype=np.int64)
    size = np.zeros(classes, dtype=np.int64)
    for row in range(rows):
        g = groups[row]
        member[g, size[g]] = row
        place[row] = size[g]
        size[g] += 1
    inside = np.zeros((start[-1], classes), dtype=np.int32)
    for row in range(rows):
        for l in range(kinds):  # noqa: E741
            u = values[row, l]
            for i in range(begin[begin_of[l] + u], begin[begin_of[l] + u + 1]):
                inside[start[l] + near[i], groups[row]] += 1
    seen = np.full(len(axes.place) + 1, -1, dtype=np.int64)
    clock = np.zeros(1, dtype=np.int64)
    loss = np.empty(classes)
    for g in range(classes):
        loss[g] = group_loss(axes, member[g, : size[g]], seen, clock)
    departure = np.full(rows, np.nan)
    blocked = np.zeros(rows, dtype=np.bool_)
    touching = np.zeros(start[-1] + 1, dtype=np.bool_)
    spare = np.empty(largest, dtype=np.int64)
    exchanges = 0
    moved = False
    while True:
        # line 6: the violation whose departure loses least
        leaving, least = -1, np.inf
        for row in range(rows):
            if blocked[row] or not _violates(row, groups[row], size, values, centre, start, inside, allowed, kinds):
                continue
            if np.isnan(departure[row]):
                g = groups[row]
                count = 0
                for i in range(size[g]):
                    if member[g, i] != row:
                        spare[count] = member[g, i]
                        count += 1
                departure[row] = (group_loss(axes, spare[:count], seen, clock) if count > 0 else 0.0) - loss[g]
            if departure[row] < least:
                leaving, least = row, departure[row]
        if leaving < 0:
            if not moved:
                break
            blocked[:] = False  # exchanges since then may have opened others
            moved = False
            continue
        # lines 7–9: the exchangeable vertex (Definition 15) whose exchange loses least
        home = groups[leaving]
        for l in range(kinds):  # noqa: E741
            u = values[leaving, l]
            for i in range(begin[begin_of[l] + u], begin[begin_of[l] + u + 1]):
                touching[start[l] + near[i]] = True
        partner, change = -1, np.inf
        for g in range(classes):
            if g == home:
                continue
            movable = True  # Definition 13
            forth = 0  # Λ(V → V'), Definition 14
            for l in range(kinds):  # noqa: E741
                u = start[l] + values[leaving, l]
                if centre[leaving, l] and inside[u, g] > allowed[l, size[g]] - 1:
                    movable = False
                forth += inside[u, g] - (inside[u, home] - 1)
            if not movable:
                continue
            for i in range(size[g]):
                other = member[g, i]
                back = 0  # Λ(V' ∪ {v} → V ∖ {v})
                for l in range(kinds):  # noqa: E741
                    w = start[l] + values[other, l]
                    joined = 1 if touching[w] else 0
                    back += (inside[w, home] - joined) - (inside[w, g] - 1 + joined)
                if forth + back >= 0:
                    continue
                for j in range(size[home]):
                    spare[j] = member[home, j]
                spare[place[leaving]] = other
                lost = group_loss(axes, spare[: size[home]], seen, clock) - loss[home] - loss[g]
                if lost >= change:
                    continue
                for j in range(size[g]):
                    spare[j] = member[g, j]
                spare[i] = leaving
                lost += group_loss(axes, spare[: size[g]], seen, clock)
                if lost < change:
                    partner, change = other, lost
        for l in range(kinds):  # noqa: E741
            u = values[leaving, l]
            for i in range(begin[begin_of[l] + u], begin[begin_of[l] + u + 1]):
                touching[start[l] + near[i]] = False
        if partner < 0:  # nothing to exchange with: take the next violation
            blocked[leaving] = True
            continue
        # lines 10–11
        away = groups[partner]
        for l in range(kinds):  # noqa: E741
            for side in range(2):
                u = values[leaving, l] if side == 0 else values[partner, l]
                source, target = (home, away) if side == 0 else (away, home)
                for i in range(begin[begin_of[l] + u], begin[begin_of[l] + u + 1]):
                    inside[start[l] + near[i], source] -= 1
                    inside[start[l] + near[i], target] += 1
        groups[leaving], groups[partner] = away, home
        place[leaving], place[partner] = place[partner], place[leaving]
        member[away, place[leaving]], member[home, place[partner]] = leaving, partner
        for g in (home, away):
            loss[g] = group_loss(axes, member[g, : size[g]], seen, clock)
            for i in range(size[g]):
                departure[member[g, i]] = np.nan
        moved = True
        exchanges += 1
    violations, doubled = 0, 0
    for row in range(rows):
        if _violates(row, groups[row], size, values, centre, start, inside, allowed, kinds):
            violations += 1
        for l in range(kinds):  # noqa: E741
            doubled += inside[start[l] + values[row, l], groups[row]] - 1
    return exchanges, violations, doubled // 2


@numba.njit(cache=True, nogil=True, inline="never")
def _violates(
    row: int,
    group: int,
    size: NDArray[np.int64],
    values: NDArray[np.int32],
    centre: NDArray[np.bool_],
    start: NDArray[np.int64],
    inside: NDArray[np.int32],
    allowed: NDArray[np.int64],
    kinds: int,
) -> bool:
    """Definition 13: 𝒟_V(v) ≥ t + 1, with the t of the class's own size."""
    for l in range(kinds):  # noqa: E741, SIM110 - numba compiles no generator
        if centre[row, l] and inside[start[l] + values[row, l], group] > allowed[l, size[group]]:
            return True
    return False
