"""Limits as flat arrays, and the compiled tests of a group against them.

Each limit takes the cheapest form that is exact: EQUAL (only equal values are similar), RANGE (similar values are neighbours in
an order), NEAR (a small table of who is similar to whom) or LAYOUT (the distance itself, stopped as soon as it exceeds the radius).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numba
import numpy as np
from numpy.typing import NDArray

from headgate.distance import DISCRETE, LINE
from headgate.xcolor.limits import NeighbourhoodLimit
from headgate.xcolor.sorting import sorted_order

EQUAL, RANGE, NEAR, LAYOUT = 0, 1, 2, 3
LARGEST_NEAR = 1_500  # distinct values: 2 MB of flags
PAIRS = 48  # up to so many rows comparing all pairs beats sorting


class Limits(NamedTuple):
    """All limits of one table. Those flat arrays that belong to one limit begin at `start`, `near_start` or `part`."""

    form: NDArray[np.int64]
    value: NDArray[np.int32]  # rows × limits: number of the row's distinct value
    start: NDArray[np.int64]
    size: NDArray[np.int64]
    centre: NDArray[np.bool_]
    first: NDArray[np.int32]  # RANGE: similar values are first … last
    last: NDArray[np.int32]
    near_start: NDArray[np.int64]
    near: NDArray[np.bool_]
    allowed: NDArray[np.int64]  # limits × (rows + 1)
    part: NDArray[np.int64]  # LAYOUT: components part[l] … part[l+1]
    mode: NDArray[np.int64]
    offset: NDArray[np.int64]
    width: NDArray[np.int64]
    buffer: NDArray[np.float64]
    weight: NDArray[np.float64]
    power: NDArray[np.float64]
    least: NDArray[np.bool_]
    radius: NDArray[np.float64]
    code_start: NDArray[np.int64]
    codes: NDArray[np.int32]  # flat: distinct values × components of each limit


def compile_limits(limits: Sequence[NeighbourhoodLimit], rows: int) -> Limits:
    """Cheap forms first, so that a group which fails does so early."""
    ordered = sorted(limits, key=_form_of)
    sizes = [len(limit.distinct) for limit in ordered]
    count = len(ordered)
    empty = np.empty(0)
    code_sizes = [limit.distinct.size for limit in ordered]
    value = np.zeros((rows, count), dtype=np.int32)
    allowed = np.zeros((count, rows + 1), dtype=np.int64)
    first, last, near, forms, offsets = [], [], [], [], []
    buffer_length = 0
    for i, limit in enumerate(ordered):
        value[:, i] = limit.value
        allowed[i] = limit.allowed
        form = _form_of(limit)
        forms.append(form)
        low, high = _range(limit) if form == RANGE else (np.zeros(sizes[i]), np.zeros(sizes[i]))
        first.append(low)
        last.append(high)
        offsets.append(limit.layout.offset + buffer_length)
        buffer_length += len(limit.layout.buffer)
    parts = _starts([len(limit.layout.mode) for limit in ordered])
    compiled = Limits(
        form=np.array(forms, dtype=np.int64),
        value=value,
        start=_starts(sizes),
        size=np.array(sizes, dtype=np.int64),
        centre=_joined([limit.centre for limit in ordered], np.bool_),
        first=_joined(first, np.int32),
        last=_joined(last, np.int32),
        near_start=_starts([size * size if form == NEAR else 0 for size, form in zip(sizes, forms, strict=True)]),
        near=np.empty(0, dtype=np.bool_),
        allowed=allowed,
        part=parts,
        mode=_joined([limit.layout.mode for limit in ordered], np.int64),
        offset=_joined(offsets, np.int64),
        width=_joined([limit.layout.size for limit in ordered], np.int64),
        buffer=_joined([limit.layout.buffer for limit in ordered] or [empty], np.float64),
        weight=_joined([limit.layout.weight for limit in ordered], np.float64),
        power=np.array([limit.layout.power for limit in ordered], dtype=np.float64),
        least=np.array([limit.layout.least for limit in ordered], dtype=np.bool_),
        radius=np.array([limit.radius for limit in ordered], dtype=np.float64),
        code_start=_starts(code_sizes),
        codes=_joined([limit.distinct.ravel() for limit in ordered], np.int32),
    )
    near = [_near(compiled, i) for i, form in enumerate(forms) if form == NEAR]
    return compiled._replace(near=_joined([table.ravel() for table in near], np.bool_))


def order_of_limits(limits: Sequence[NeighbourhoodLimit]) -> tuple[NeighbourhoodLimit, ...]:
    """The limits in the order in which `compile_limits` numbers them."""
    return tuple(sorted(limits, key=_form_of))


def _form_of(limit: NeighbourhoodLimit) -> int:
    modes = limit.layout.mode
    if len(modes) == 1 and modes[0] == DISCRETE and limit.radius < 1.0:
        return EQUAL
    if len(modes) == 1 and modes[0] == LINE and limit.radius < 1.0:
        return RANGE
    return NEAR if len(limit.distinct) <= LARGEST_NEAR else LAYOUT


def _range(limit: NeighbourhoodLimit) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    codes = limit.distinct[:, 0]
    given = codes >= 0
    line = limit.layout.buffer[codes[given]]
    shift = int((~given).sum())  # a missing value comes first and is similar to itself only
    low = np.concatenate([np.zeros(shift, dtype=np.int64), np.searchsorted(line, line - limit.radius, side="left") + shift])
    high = np.concatenate([np.zeros(shift, dtype=np.int64), np.searchsorted(line, line + limit.radius, side="right") - 1 + shift])
    return low, high


def _starts(lengths: Sequence[int]) -> NDArray[np.int64]:
    return np.concatenate([[0], np.cumsum(np.array(lengths, dtype=np.int64))]).astype(np.int64)


def _joined(pieces: Sequence[NDArray[np.generic]], dtype: type) -> NDArray[np.generic]:
    return np.ascontiguousarray(np.concatenate(pieces).astype(dtype)) if len(pieces) else np.empty(0, dtype=dtype)


@numba.njit(cache=True, nogil=True, inline="always")
def within(limits: Limits, l: int, a: int, b: int) -> bool:  # noqa: E741
    """Are the values a and b of limit l at most its radius apart? By the distance itself, in the order of DEFINITIONS §2."""
    if a == b:
        return True
    begin, end = limits.part[l], limits.part[l + 1]
    parts = end - begin
    left, right = limits.code_start[l] + a * parts, limits.code_start[l] + b * parts
    power, bound, least = limits.power[l], limits.radius[l], limits.least[l]
    total = 0.0
    for i in range(parts):
        x, y = limits.codes[left + i], limits.codes[right + i]
        if x == y:
            if least:
                return True
            continue
        c = begin + i
        if x < 0 or y < 0 or limits.mode[c] == 0:
            gap = 1.0
        elif limits.mode[c] == 1:
            gap = abs(limits.buffer[limits.offset[c] + x] - limits.buffer[limits.offset[c] + y])
        else:
            gap = limits.buffer[limits.offset[c] + x * limits.width[c] + y]
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


@numba.njit(cache=True, nogil=True)
def _near(limits: Limits, l: int) -> NDArray[np.bool_]:  # noqa: E741
    size = limits.size[l]
    table = np.empty((size, size), dtype=np.bool_)
    for a in range(size):
        table[a, a] = True
        for b in range(a):
            table[a, b] = within(limits, l, a, b)
            table[b, a] = table[a, b]
    return table


@numba.njit(cache=True, nogil=True, inline="always")
def similar(limits: Limits, l: int, a: int, b: int) -> bool:  # noqa: E741
    """Whether two values of limit l are similar, by the cheapest exact form."""
    if a == b:
        return True
    form = limits.form[l]
    if form == EQUAL:
        return False
    if form == RANGE:
        place = limits.start[l] + a
        return bool(limits.first[place] <= b <= limits.last[place])
    if form == NEAR:
        return bool(limits.near[limits.near_start[l] + a * limits.size[l] + b])
    return within(limits, l, a, b)


@numba.njit(cache=True, nogil=True, inline="never")
def neighbourhoods(limits: Limits, l: int, rows: NDArray[np.int64], counts: NDArray[np.int64]) -> None:  # noqa: E741
    """counts[i] = rows of the group that are similar to rows[i] under limit l, itself included."""
    size = len(rows)
    form = limits.form[l]
    if size <= PAIRS or (form >= NEAR and size <= 4 * PAIRS):
        for i in range(size):
            counts[i] = 1
        for i in range(size):
            a = limits.value[rows[i], l]
            for j in range(i):
                if similar(limits, l, a, limits.value[rows[j], l]):
                    counts[i] += 1
                    counts[j] += 1
        return
    values = np.empty(size, dtype=np.int64)
    for i in range(size):
        values[i] = limits.value[rows[i], l]
    order = sorted_order(values)
    different = np.empty(size, dtype=np.int64)
    begins = np.empty(size + 1, dtype=np.int64)
    kinds = 0
    for i in range(size):
        if i == 0 or values[order[i]] != values[order[i - 1]]:
            different[kinds] = values[order[i]]
            begins[kinds] = i
            kinds += 1
    begins[kinds] = size
    totals = np.zeros(kinds, dtype=np.int64)
    if form == EQUAL:
        for u in range(kinds):
            totals[u] = begins[u + 1] - begins[u]
    elif form == RANGE:
        low, high = 0, 0
        for u in range(kinds):
            place = limits.start[l] + different[u]
            while different[low] < limits.first[place]:
                low += 1
            while high < kinds and different[high] <= limits.last[place]:
                high += 1
            totals[u] = begins[high] - begins[low]
    else:
        for u in range(kinds):
            own = begins[u + 1] - begins[u]
            totals[u] += own
            for w in range(u):
                if similar(limits, l, different[u], different[w]):
                    totals[u] += begins[w + 1] - begins[w]
                    totals[w] += own
    for u in range(kinds):
        for i in range(begins[u], begins[u + 1]):
            counts[order[i]] = totals[u]


@numba.njit(cache=True, nogil=True, inline="never")
def group_passes(limits: Limits, rows: NDArray[np.int64], tally: NDArray[np.int64]) -> bool:
    """Does the group keep every limit? Stops at the first centre with too many similar rows.

    `tally` is a scratch of zeros, as long as the longest list of distinct values; it is zeros again afterwards."""
    size = len(rows)
    for l in range(len(limits.form)):  # noqa: E741
        cap = limits.allowed[l, size]
        if cap >= size:
            continue
        form, start = limits.form[l], limits.start[l]
        if form == EQUAL:
            passed = True
            for i in range(size):
                a = limits.value[rows[i], l]
                tally[a] += 1
                if tally[a] > cap and limits.centre[start + a]:
                    passed = False
            for i in range(size):
                tally[limits.value[rows[i], l]] = 0
            if not passed:
                return False
        elif size <= PAIRS:
            for i in range(size):
                a = limits.value[rows[i], l]
                if not limits.centre[start + a]:
                    continue
                count = 0
                for j in range(size):
                    if i == j or similar(limits, l, a, limits.value[rows[j], l]):
                        count += 1
                        if count > cap:
                            return False
                    elif count + size - 1 - j <= cap:
                        break
        else:
            counts = np.empty(size, dtype=np.int64)
            neighbourhoods(limits, l, rows, counts)
            for i in range(size):
                if counts[i] > cap and limits.centre[start + limits.value[rows[i], l]]:
                    return False
    return True


@numba.njit(cache=True, nogil=True, inline="never")
def sample_passes(limits: Limits, rows: NDArray[np.int64], tally: NDArray[np.int64], centres: int) -> bool:
    """A guess at `group_passes` for large blocks: equal values are counted in full, other neighbourhoods of a few centres only.

    It guides splitting; nothing is ever reported on its word."""
    size = len(rows)
    step = max(1, size // centres)
    for l in range(len(limits.form)):  # noqa: E741
        cap = limits.allowed[l, size]
        if cap >= size:
            continue
        form, start = limits.form[l], limits.start[l]
        if form == EQUAL:
            passed = True
            for i in range(size):
                a = limits.value[rows[i], l]
                tally[a] += 1
                if tally[a] > cap and limits.centre[start + a]:
                    passed = False
            for i in range(size):
                tally[limits.value[rows[i], l]] = 0
            if not passed:
                return False
            continue
        stride = max(1, size // 1024)
        looked = (size + stride - 1) // stride
        for i in range(0, size, step):
            a = limits.value[rows[i], l]
            if not limits.centre[start + a]:
                continue
            count = 0
            for j in range(0, size, stride):
                if similar(limits, l, a, limits.value[rows[j], l]):
                    count += 1
            if count * size > cap * looked:
                return False
    return True
