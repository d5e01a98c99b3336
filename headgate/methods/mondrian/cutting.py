"""The compiled part of Mondrian: blocks are cut at the median of their widest quasi-identifier, until no cut is allowed.

Every quasi-identifier is a line of whole positions (headgate.grouping.axes; missing cells come last), and a block is a stretch of the rows,
which a cut rearranges in place. The sides of a cut must both have k rows and hold every condition.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from headgate.core.compiling import dividing, inner, making
from headgate.grouping.condition_checks import EXACT, holds, scratch_for
from headgate.grouping.condition_distances import Scratch
from headgate.grouping.condition_rules import Rules
from headgate.grouping.nearness import Nearness
from headgate.grouping.watch import DONE, STOP, TOTAL

BUCKETS = 256  # of one pass in search of a median
HAIR = 1e-12  # ranges that differ by less are equal, and the first quasi-identifier wins


class Lines(NamedTuple):
    """The quasi-identifiers of the rows, which move together with them."""

    position: NDArray[np.int32]  # axes × rows
    row: NDArray[np.int64]
    weight: NDArray[np.int64]  # equal rows for which this one stands
    rank: NDArray[np.int64]  # who goes left where equal rows are divided; none if they are not
    first: NDArray[np.int64]  # axes + 1: where each one's own begins in `scale`; its last place is that of a missing cell
    scale: NDArray[np.float64]  # where a position lies in the domain, 0 … 1


class Tree(NamedTuple):
    """All blocks, each before its parts; the root is block 0. What is left uncut are the groups."""

    start: NDArray[np.int64]
    stop: NDArray[np.int64]
    parent: NDArray[np.int64]
    holds: NDArray[np.bool_]
    leaf: NDArray[np.bool_]


class Cutting(NamedTuple):
    """The criteria for cuts, and scratch space for one block: the range of each axis, and counts of rows."""

    lines: Lines
    rules: Rules
    limits: Nearness
    k: int
    scratch: Scratch
    low: NDArray[np.int64]
    high: NDArray[np.int64]
    span: NDArray[np.float64]
    buckets: NDArray[np.int64]


class Cut(NamedTuple):
    middle: int  # where the right side begins: at the block's own beginning if no cut is allowed
    left_rows: int
    left_holds: bool
    right_holds: bool


@dividing
def cut(lines: Lines, rules: Rules, limits: Nearness, k: int, state: NDArray[np.int64]) -> Tree:
    """`lines` are rearranged so that every block is a stretch of them, the left part first."""
    rows, axes = len(lines.row), len(lines.position)
    total = lines.weight.sum()
    room = 2 * min(rows, total // k) + 1
    start, stop, parent = np.zeros(room, np.int64), np.zeros(room, np.int64), np.full(room, -1)
    size = np.zeros(room, np.int64)
    keeps, leaf = np.zeros(room, np.bool_), np.zeros(room, np.bool_)
    state[TOTAL] = total
    state[DONE] = 0
    scratch = scratch_for(rules, limits, state, np.int64(EXACT))
    low, high, span, buckets = np.zeros(axes, np.int64), np.zeros(axes, np.int64), np.zeros(axes), np.zeros(BUCKETS + 1, np.int64)
    cutting = Cutting(lines, rules, limits, k, scratch, low, high, span, buckets)
    waiting = np.zeros(room, np.int64)
    stop[0], size[0], made, open_blocks = rows, total, 1, 1
    keeps[0] = _stretch_holds(cutting, 0, rows)
    while open_blocks > 0:
        open_blocks -= 1
        block = waiting[open_blocks]
        a, b = start[block], stop[block]
        chosen = _divide(cutting, a, b, size[block], keeps[block])
        if state[STOP] != 0:
            break  # the measures of this block may be incomplete
        if chosen.middle == a:
            leaf[block] = True
            state[DONE] += size[block]
            continue
        left, right = made + 1, made
        start[right], stop[right], size[right], keeps[right] = chosen.middle, b, size[block] - chosen.left_rows, chosen.right_holds
        start[left], stop[left], size[left], keeps[left] = a, chosen.middle, chosen.left_rows, chosen.left_holds
        parent[left] = parent[right] = block
        waiting[open_blocks] = right
        waiting[open_blocks + 1] = left
        open_blocks += 2
        made += 2
    return Tree(start[:made], stop[:made], parent[:made], keeps[:made], leaf[:made])


@inner
def _stretch_holds(cutting: Cutting, a: int, b: int) -> bool:
    if len(cutting.rules.conditions) + len(cutting.limits.of) == 0:
        return True
    lines = cutting.lines
    return bool(holds(cutting.rules, cutting.limits, lines.row[a:b], lines.weight[a:b], cutting.scratch))


@inner
def _measure(lines: Lines, a: int, b: int, low: NDArray[np.int64], high: NDArray[np.int64], span: NDArray[np.float64]) -> None:
    """The normalized range of each axis; the whole domain where a block has both missing and present cells."""
    for axis in range(len(lines.position)):
        least = most = lines.position[axis, a]
        for i in range(a + 1, b):
            p = lines.position[axis, i]
            least, most = min(least, p), max(most, p)
        low[axis], high[axis] = least, most
        first = lines.first[axis]
        if least == most:
            span[axis] = -1.0
        elif first + most == lines.first[axis + 1] - 1:
            span[axis] = 1.0
        else:
            span[axis] = lines.scale[first + most] - lines.scale[first + least]


@making
def _divide(cutting: Cutting, a: int, b: int, size: int, keeps: bool) -> Cut:
    """The cut of a block of `size` rows; `keeps`: it holds the conditions itself.

    The widest axis first. A strict cut lies beside the median's value, on the side that leaves the halves more even, else on the other
    (LeFevre et al. cut above it only, which never cuts an axis whose most frequent value is its last). A block that does not hold the
    conditions itself takes, if no cut is allowed, the first one that leaves k rows on both sides: some parts of it may hold them."""
    if size < 2 * cutting.k:
        return Cut(a, 0, True, True)
    lines, span = cutting.lines, cutting.span
    _measure(lines, a, b, cutting.low, cutting.high, span)
    spare = np.full(4, -1)  # axis, place, ties, rows on the left
    for _ in range(len(span)):
        axis = _widest(span)
        if axis < 0:
            break
        span[axis] = -1.0
        place, below, equal = _median(lines, axis, a, b, cutting.low[axis], cutting.high[axis], (size + 1) // 2, cutting.buckets)
        for attempt in range(2 if len(lines.rank) == 0 else 1):
            at, ties, left = place, np.int64(-1), below + equal
            if len(lines.rank) > 0:
                at, left = place - 1, size // 2
                ties = _last_tie(lines, axis, a, b, place, left - below, cutting.buckets)
            elif (attempt == 0) != (abs(2 * (below + equal) - size) <= abs(2 * below - size)):
                at, left = place - 1, below
            if left < cutting.k or size - left < cutting.k:
                continue
            middle = _part(lines, a, b, axis, at, ties)
            if _stretch_holds(cutting, a, middle) and _stretch_holds(cutting, middle, b):
                return Cut(middle, left, True, True)
            if spare[0] < 0:
                spare[0], spare[1], spare[2], spare[3] = axis, at, ties, left
    if keeps or spare[0] < 0:
        return Cut(a, 0, True, True)
    middle = _part(lines, a, b, spare[0], spare[1], spare[2])
    return Cut(middle, int(spare[3]), _stretch_holds(cutting, a, middle), _stretch_holds(cutting, middle, b))


@inner
def _widest(span: NDArray[np.float64]) -> int:
    """−1 if none is left."""
    most = 0.0
    for width in span:
        most = max(most, width)
    for axis in range(len(span)):
        if span[axis] >= most - HAIR and span[axis] >= 0.0:
            return axis
    return -1


@inner
def _median(lines: Lines, axis: int, a: int, b: int, low: int, high: int, wanted: int, buckets: NDArray[np.int64]) -> tuple[int, int, int]:
    """The position of the `wanted`-th row, how many rows lie below it, and how many at it: by counting in ever finer buckets."""
    position, weight = lines.position[axis], lines.weight
    below = np.int64(0)
    while True:
        shift = 0
        while (high - low) >> shift >= BUCKETS:
            shift += 1
        used = ((high - low) >> shift) + 1
        buckets[:used] = 0
        for i in range(a, b):
            p = position[i]
            if low <= p <= high:
                buckets[(p - low) >> shift] += weight[i]
        bucket = 0
        while below + buckets[bucket] < wanted:
            below += buckets[bucket]
            bucket += 1
        low += bucket << shift
        if shift == 0:
            return low, below, buckets[bucket]  # type: ignore[return-value]
        high = min(high, low + (1 << shift) - 1)


@inner
def _last_tie(lines: Lines, axis: int, a: int, b: int, place: int, wanted: int, buckets: NDArray[np.int64]) -> int:
    """The rank of the `wanted`-th row among those at a position, −1 if none is wanted."""
    if wanted <= 0:
        return -1
    position, rank = lines.position[axis], lines.rank
    low, high, below = np.int64(0), np.int64(len(rank) - 1), np.int64(0)
    while True:
        shift = 0
        while (high - low) >> shift >= BUCKETS:
            shift += 1
        used = ((high - low) >> shift) + 1
        buckets[:used] = 0
        for i in range(a, b):
            if position[i] == place and low <= rank[i] <= high:
                buckets[(rank[i] - low) >> shift] += 1
        bucket = 0
        while below + buckets[bucket] < wanted:
            below += buckets[bucket]
            bucket += 1
        low += bucket << shift
        if shift == 0:
            return low  # type: ignore[return-value]
        high = min(high, low + (1 << shift) - 1)


@inner
def _part(lines: Lines, a: int, b: int, axis: int, place: int, ties: int) -> int:
    """Moves the rows at or below `place` to the left, and those just above it with a rank up to `ties`; the right side's beginning."""
    position, rank = lines.position[axis], lines.rank
    i, j = a, b - 1
    while True:
        while i <= j and (position[i] <= place or (ties >= 0 and position[i] == place + 1 and rank[i] <= ties)):
            i += 1
        while i <= j and not (position[j] <= place or (ties >= 0 and position[j] == place + 1 and rank[j] <= ties)):
            j -= 1
        if i >= j:
            return i
        for other in range(len(lines.position)):
            lines.position[other, i], lines.position[other, j] = lines.position[other, j], lines.position[other, i]
        lines.row[i], lines.row[j] = lines.row[j], lines.row[i]
        lines.weight[i], lines.weight[j] = lines.weight[j], lines.weight[i]
        if len(rank) > 0:
            rank[i], rank[j] = rank[j], rank[i]
