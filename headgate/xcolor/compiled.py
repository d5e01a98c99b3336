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

from headgate.columns import Codes
from headgate.xcolor.limits import NeighbourhoodLimit, free_component

EQUAL, RANGE, NEAR, LAYOUT = 0, 1, 2, 3
LARGEST_NEAR = 1_500  # distinct values: 2 MB of flags


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


@numba.njit(cache=True, nogil=True, error_model="numpy")
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


@numba.njit(cache=True, nogil=True, error_model="numpy")
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
