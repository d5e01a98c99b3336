"""Limits as flat arrays, for the compiled loops.

Each limit takes the cheapest form that is exact: EQUAL (only equal values are similar), RANGE (similar values follow each other in
their order: all attributes but one must agree, and that one is a line), NEAR (a small table of who is similar to whom) or LAYOUT (the
distance itself, stopped as soon as it exceeds the radius).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numba
import numpy as np
from numpy.typing import NDArray

from headgate.core.columns import Codes
from headgate.core.distance import DISCRETE, LINE
from headgate.grouping.abstract_graph import AbstractGraph, abstract_graph, similar_pairs
from headgate.grouping.limits import NeighbourhoodLimit, free_component

EQUAL, RANGE, NEAR, LAYOUT, LISTED = 0, 1, 2, 3, 4
MOST_VALUES, MOST_PAIRS = 200_000, 100_000_000  # for which lists of similar values are held: 400 MB
SAFE = 1e-12  # more than rounding moves a distance
LARGEST_NEAR = 2_500  # distinct values: 6 MB of flags


# columns of Limits.facts
FORM, START, SIZE, NEAR_START, PART, PART_END, CODE_START, LEAST = 0, 1, 2, 3, 4, 5, 6, 7


class Limits(NamedTuple):
    """All limits of one table, in as few arrays as can be: each one more costs the compiler time in every loop."""

    facts: NDArray[np.int64]  # limits × 8: its form, and where its own begins in the arrays below
    scale: NDArray[np.float64]  # limits × 2: radius, power
    value: NDArray[np.int32]  # rows (or items) × limits: number of the row's distinct value
    allowed: NDArray[np.int64]  # limits × (rows + 1)
    centre: NDArray[np.bool_]  # from START, a flag a distinct value
    ends: NDArray[np.int32]  # from START, two a distinct value: EQUAL and RANGE count first … last as similar
    near: NDArray[np.bool_]  # from NEAR_START: SIZE × SIZE flags
    codes: NDArray[np.int32]  # from CODE_START: distinct values × components
    part: NDArray[np.int64]  # components PART … PART_END × 3: mode, offset in `buffer`, size
    weight: NDArray[np.float64]  # of each component
    buffer: NDArray[np.float64]


def compile_limits(limits: Sequence[NeighbourhoodLimit], rows: int, chosen: Codes | None = None) -> Limits:
    """Cheap forms first, so that a group which fails does so early. `chosen`: the rows whose values are wanted, where not all are."""
    ordered = order_of_limits(limits)
    count = len(ordered)
    forms = [_form_of(limit) for limit in ordered]
    sizes = [len(limit.distinct) for limit in ordered]
    near_sizes = [size * size if form == NEAR else 0 for size, form in zip(sizes, forms, strict=True)]
    starts, near_starts = _starts(sizes), _starts(near_sizes)
    parts = _starts([len(limit.layout.mode) for limit in ordered])
    code_starts = _starts([limit.distinct.size for limit in ordered])
    buffers = _starts([len(limit.layout.buffer) for limit in ordered])
    value = np.zeros((rows if chosen is None else len(chosen), count), dtype=np.int32)
    allowed = np.zeros((count, rows + 1), dtype=np.int64)
    facts = np.zeros((count, 8), dtype=np.int64)
    ends = np.zeros((int(starts[-1]), 2), dtype=np.int32)
    part = np.zeros((int(parts[-1]), 3), dtype=np.int64)
    for i, limit in enumerate(ordered):
        value[:, i] = limit.value if chosen is None else limit.value[chosen]
        allowed[i] = limit.allowed
        facts[i] = (forms[i], starts[i], sizes[i], near_starts[i], parts[i], parts[i + 1], code_starts[i], limit.layout.least)
        part[parts[i] : parts[i + 1]] = np.stack([limit.layout.mode, limit.layout.offset + buffers[i], limit.layout.size], axis=1)
    compiled = Limits(
        facts=facts,
        scale=np.array([(limit.radius, limit.layout.power) for limit in ordered], dtype=np.float64).reshape(count, 2),
        value=value,
        allowed=allowed,
        centre=_joined([limit.centre for limit in ordered], np.bool_),
        ends=ends,
        near=np.zeros(int(near_starts[-1]), dtype=np.bool_),
        codes=_joined([limit.distinct.ravel() for limit in ordered], np.int32),
        part=part,
        weight=_joined([limit.layout.weight for limit in ordered], np.float64),
        buffer=_joined([limit.layout.buffer for limit in ordered], np.float64),
    )
    for i, form in enumerate(forms):
        if form <= RANGE:
            _find_ends(compiled, i, ends)
        if form == NEAR:
            compiled.near[near_starts[i] : near_starts[i + 1]] = _near(compiled, i).ravel()
    return compiled


class Nearness(NamedTuple):
    """Limits for loops that only steer: who is similar to whom, by order, table or list. Few arrays, as each costs at every call.

    Where values are too many even for lists they are put into boxes, and boxes are similar if any two of their values could be: on the safe
    side, as whether a partition keeps its limits is counted exactly in the end."""

    facts: NDArray[np.int64]  # as of Limits; FORM is EQUAL, RANGE, NEAR or LISTED
    value: NDArray[np.int32]
    allowed: NDArray[np.int64]
    centre: NDArray[np.bool_]
    ends: NDArray[np.int32]
    near: NDArray[np.bool_]
    begin: NDArray[np.int64]  # LISTED: from NEAR_START, where the list of each value begins, and where the last one ends
    listed: NDArray[np.int32]  # similar values, rising


def nearness(compiled: Limits, limits: Sequence[NeighbourhoodLimit]) -> Nearness:
    """`limits` as `compile_limits` had them."""
    no_lists = np.zeros(1, dtype=np.int64), np.zeros(0, dtype=np.int32)
    if not (compiled.facts[:, FORM] == LAYOUT).any():
        return Nearness(compiled.facts, compiled.value, compiled.allowed, compiled.centre, compiled.ends, compiled.near, *no_lists)
    return _without_layouts(compiled, order_of_limits(limits))


def _without_layouts(limits: Limits, ordered: Sequence[NeighbourhoodLimit]) -> Nearness:
    facts, value = limits.facts.copy(), limits.value.copy()
    centres, ends, tables, lists, begins, start, near_start, listed = [], [], [], [np.zeros(0, np.int32)], [np.zeros(0, np.int64)], 0, 0, 0
    for l, (form, begin, size, near_begin) in enumerate(limits.facts[:, : NEAR_START + 1].tolist()):  # noqa: E741
        centre, end = limits.centre[begin : begin + size], limits.ends[begin : begin + size]
        table = limits.near[near_begin : near_begin + (size * size if form == NEAR else 0)]
        place = near_start
        if form == LAYOUT:
            graph = _graph(ordered[l])
            if graph is not None:
                form, place = LISTED, sum(map(len, begins))
                begins.append(graph.begin + listed)
                lists.append(graph.near)
                listed += len(graph.near)
            else:
                box, table = _boxes(limits, l)
                value[:, l] = box[limits.value[:, l]]
                form, centre, size = NEAR, np.bincount(box, weights=centre).astype(bool), int(box.max()) + 1
                end = np.zeros((size, 2), dtype=np.int32)
        facts[l, FORM], facts[l, START], facts[l, SIZE], facts[l, NEAR_START] = form, start, size, place
        start, near_start = start + size, near_start + len(table)
        centres.append(centre)
        ends.append(end)
        tables.append(table)
    return Nearness(
        facts,
        value,
        limits.allowed,
        np.concatenate(centres),
        np.concatenate(ends),
        np.concatenate(tables),
        np.concatenate(begins),
        np.concatenate(lists),
    )


def _graph(limit: NeighbourhoodLimit) -> AbstractGraph | None:
    """Lists of similar values, if they are not too long."""
    if len(limit.distinct) > MOST_VALUES or similar_pairs(limit)[0] > MOST_PAIRS:
        return None
    return abstract_graph(limit)


def _boxes(limits: Limits, l: int) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:  # noqa: E741
    """The box of every value, and which boxes could hold similar ones. Lines are cut ever more coarsely, then attributes of little weight
    are not told apart any more, until there are few boxes."""
    begin, end, first, size = (int(limits.facts[l, i]) for i in (PART, PART_END, CODE_START, SIZE))
    codes = limits.codes[first : first + size * (end - begin)].reshape(size, end - begin)
    lines = [c for c in range(end - begin) if limits.part[begin + c, 0] == LINE]
    steps, merged = 1024.0, list[int]()
    while True:
        keys = codes.astype(np.int64)
        for c in lines:
            offset, count = int(limits.part[begin + c, 1]), int(limits.part[begin + c, 2])
            place = np.append(np.floor(limits.buffer[offset : offset + count] * steps), -(2.0**40))
            keys[:, c] = np.unique(place, return_inverse=True)[1][codes[:, c]]
        keys[:, merged] = 0
        box = np.unique(keys, axis=0, return_inverse=True)[1].ravel()
        if box.max() < LARGEST_NEAR:
            break
        if lines and steps > 1.0:
            steps /= 2.0
        else:
            merged.append(min((c for c in range(end - begin) if c not in merged), key=lambda c: limits.weight[begin + c]))
    boxes = int(box.max()) + 1
    low, high = np.full((boxes, end - begin), np.inf), np.full((boxes, end - begin), -np.inf)
    for c in range(end - begin):
        offset, count = int(limits.part[begin + c, 1]), int(limits.part[begin + c, 2])
        place = codes[:, c].astype(np.float64)
        if c in lines:
            place = np.append(limits.buffer[offset : offset + count], -np.inf)[codes[:, c]]
        np.minimum.at(low[:, c], box, place)
        np.maximum.at(high[:, c], box, place)
    away = np.array([c in merged for c in range(end - begin)])
    return box, _similar_boxes(limits, l, low, high, away).ravel()


def order_of_limits(limits: Sequence[NeighbourhoodLimit]) -> tuple[NeighbourhoodLimit, ...]:
    """The limits in the order in which `compile_limits` numbers them."""
    return tuple(sorted(limits, key=_form_of))


def _form_of(limit: NeighbourhoodLimit) -> int:
    free = free_component(limit.layout, limit.distinct, limit.radius)
    if free is not None:
        keys = [limit.distinct[:, i] for i in (free, *(i for i in reversed(range(limit.distinct.shape[1])) if i != free)) if i >= 0]
        if (np.lexsort(tuple(keys)) == np.arange(len(limit.distinct))).all():
            return EQUAL if free < 0 else RANGE
    return NEAR if len(limit.distinct) <= LARGEST_NEAR else LAYOUT


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _find_ends(limits: Limits, l: int, ends: NDArray[np.int32]) -> None:  # noqa: E741
    """First and last value similar to each, where similar ones follow each other: both only ever move on."""
    start, size = limits.facts[l, START], limits.facts[l, SIZE]
    first, last = 0, 0
    for v in range(size):
        while not within(limits, l, first, v):
            first += 1
        last = max(last, v)
        while last + 1 < size and within(limits, l, last + 1, v):
            last += 1
        ends[start + v, 0], ends[start + v, 1] = first, last


def _starts(lengths: Sequence[int]) -> NDArray[np.int64]:
    return np.concatenate([[0], np.cumsum(np.array(lengths, dtype=np.int64))]).astype(np.int64)


def _joined(pieces: Sequence[NDArray[Any]], dtype: type) -> NDArray[Any]:
    return np.ascontiguousarray(np.concatenate(pieces).astype(dtype)) if len(pieces) else np.empty(0, dtype=dtype)


@numba.njit(cache=True, nogil=True, error_model="numpy", inline="always")
def within(limits: Limits, l: int, a: int, b: int) -> bool:  # noqa: E741
    """Are the values a and b of limit l at most its radius apart? By the distance itself, in the order of DEFINITIONS §2."""
    if a == b:
        return True
    begin, end = limits.facts[l, PART], limits.facts[l, PART_END]
    parts = end - begin
    left, right = limits.facts[l, CODE_START] + a * parts, limits.facts[l, CODE_START] + b * parts
    bound, power, least = limits.scale[l, 0], limits.scale[l, 1], limits.facts[l, LEAST] == 1
    total = 0.0
    for i in range(parts):
        x, y = limits.codes[left + i], limits.codes[right + i]
        if x == y:
            if least:
                return True
            continue
        c = begin + i
        if x < 0 or y < 0 or limits.part[c, 0] == 0:
            gap = 1.0
        elif limits.part[c, 0] == 1:
            gap = abs(limits.buffer[limits.part[c, 1] + x] - limits.buffer[limits.part[c, 1] + y])
        else:
            gap = limits.buffer[limits.part[c, 1] + x * limits.part[c, 2] + y]
        if least:
            if gap <= bound:
                return True
        elif power == 1.0:
            total += limits.weight[c] * gap
            if total > bound:
                return False
        else:
            total += limits.weight[c] * gap**power
    if least:
        return False
    return bool(total <= bound) if power == 1.0 else bool(total ** (1.0 / power) <= bound)


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _near(limits: Limits, l: int) -> NDArray[np.bool_]:  # noqa: E741
    size = limits.facts[l, SIZE]
    table = np.empty((size, size), dtype=np.bool_)
    for a in range(size):
        table[a, a] = True
        for b in range(a):
            table[a, b] = within(limits, l, a, b)
            table[b, a] = table[a, b]
    return table


@numba.njit(cache=True, nogil=True, error_model="numpy", inline="always")
def similar(limits: Limits, l: int, a: int, b: int) -> bool:  # noqa: E741
    """Whether two values of limit l are similar, by the cheapest exact form."""
    if a == b:
        return True
    form = limits.facts[l, FORM]
    if form <= RANGE:
        place = limits.facts[l, START] + a
        return bool(limits.ends[place, 0] <= b <= limits.ends[place, 1])
    if form == NEAR:
        return bool(limits.near[limits.facts[l, NEAR_START] + a * limits.facts[l, SIZE] + b])
    return bool(within(limits, l, a, b))


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _similar_boxes(
    limits: Limits,
    l: int,  # noqa: E741
    low: NDArray[np.float64],
    high: NDArray[np.float64],
    away: NDArray[np.bool_],
) -> NDArray[np.bool_]:
    """Whether any two values of two boxes could be within the radius: each attribute at its least distance, those put away at 0."""
    boxes, parts = low.shape
    begin, least, power = limits.facts[l, PART], limits.facts[l, LEAST] == 1, limits.scale[l, 1]
    near = np.empty((boxes, boxes), dtype=np.bool_)
    for a in range(boxes):
        for b in range(a + 1):
            total, smallest = 0.0, np.inf
            for c in range(parts):
                gap, mode = 0.0, limits.part[begin + c, 0]
                if mode == LINE:
                    if np.isinf(low[a, c]) or np.isinf(low[b, c]):  # a missing cell, which no box shares with others
                        gap = 0.0 if low[a, c] == low[b, c] else 1.0
                    else:
                        gap = max(0.0, low[a, c] - high[b, c], low[b, c] - high[a, c])
                elif low[a, c] != low[b, c]:
                    x, y = int(low[a, c]), int(low[b, c])
                    if mode == DISCRETE or x < 0 or y < 0:
                        gap = 1.0
                    else:
                        gap = limits.buffer[limits.part[begin + c, 1] + x * limits.part[begin + c, 2] + y]
                if away[c]:
                    gap = 0.0
                smallest = min(smallest, gap)
                total += limits.weight[begin + c] * (gap if power == 1.0 else gap**power)
            reached = smallest if least else total if power == 1.0 else total ** (1.0 / power)
            near[a, b] = near[b, a] = reached <= limits.scale[l, 0] + SAFE
    return near


@numba.njit(cache=True, nogil=True, error_model="numpy", inline="always")
def alike(limits: Nearness, l: int, a: int, b: int) -> bool:  # noqa: E741
    """Whether two values of limit l are taken for similar."""
    if limits.facts[l, FORM] <= RANGE:
        place = limits.facts[l, START] + a
        return bool(limits.ends[place, 0] <= b <= limits.ends[place, 1])
    if limits.facts[l, FORM] == NEAR:
        return bool(limits.near[limits.facts[l, NEAR_START] + a * limits.facts[l, SIZE] + b])
    first = limits.facts[l, NEAR_START] + a
    low, high = limits.begin[first], limits.begin[first + 1]
    while low < high:
        middle = (low + high) // 2
        if limits.listed[middle] < b:
            low = middle + 1
        else:
            high = middle
    return bool(low < limits.begin[first + 1] and limits.listed[low] == b)
