"""Limits as flat arrays, for the compiled loops.

Each limit takes the cheapest form that is exact: EQUAL (only equal values are similar), RANGE (similar values follow each other in
their order: all attributes but one must agree, and that one is a line), TABLE (a small table of who is similar to whom) or MEASURED (the
distance itself, stopped as soon as it exceeds the radius).

Loops that only steer compare values too often to measure. They have lists of similar values instead (LISTED), and where values are too
many even for lists, tables of boxes of values (headgate.grouping.boxed_values): whether a partition keeps its limits is counted exactly in
the end.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from headgate.core.columns import Codes
from headgate.core.compiling import Records, copied, empty_records, inner, joined, loop, record, starts_of
from headgate.core.distance import DISCRETE, LINE, DistanceLayout
from headgate.counting.value_boxes import close
from headgate.grouping.abstract_graph import AbstractGraph, abstract_graph, similar_pairs
from headgate.grouping.boxed_values import boxed
from headgate.grouping.limits import NeighbourhoodLimit, free_component

EQUAL, RANGE, TABLE, MEASURED, LISTED = 0, 1, 2, 3, 4
MOST_VALUES, MOST_PAIRS = 200_000, 100_000_000  # for which lists of similar values are held: 400 MB
LARGEST_TABLE = 2_500  # distinct values: 6 MB of flags

LIMIT = record(
    form=np.int64,
    start=np.int64,  # where its values begin in `own`
    values=np.int64,  # how many distinct ones it has
    table=np.int64,  # TABLE: where its flags begin, values × values
    codes=np.int64,  # MEASURED: where its values' codes begin, values × components
    part=np.int64,  # MEASURED: where its components begin in `part`
    parts=np.int64,  # and how many there are
    least=np.int64,  # MEASURED: 1 where the smallest distance of a component counts
    power=np.float64,
    radius=np.float64,
)
VALUE = record(
    first=np.int32,  # EQUAL and RANGE: first … last are similar. LISTED: so are those at the places first … last of `listed`
    last=np.int32,
    centre=np.bool_,
)
PART = record(
    mode=np.int64, offset=np.int64, values=np.int64, weight=np.float64
)  # a component of a distance, its own from `buffer[offset]`


class Nearness(NamedTuple):
    """All limits of one table: what is similar to what, and how many similar rows there may be."""

    of: Records  # a LIMIT each, cheap forms first
    value: NDArray[np.int32]  # rows (or items) × limits: number of the row's distinct value
    allowed: NDArray[np.int64]  # limits × (rows + 1)
    own: Records  # a VALUE each
    table: NDArray[np.bool_]
    listed: NDArray[np.int32]  # similar values, rising
    codes: NDArray[np.int32]
    part: Records  # a PART each
    buffer: NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class _Form:
    """One limit, before it is joined with the others."""

    form: int
    value: Codes  # of the rows that are wanted
    centre: NDArray[np.bool_]
    ends: NDArray[np.int32]
    table: NDArray[np.bool_]
    listed: NDArray[np.int32]
    codes: Codes
    layout: DistanceLayout


_NOWHERE = DistanceLayout(np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0), np.empty(0), 1.0, False)


def compile_limits(limits: Sequence[NeighbourhoodLimit], rows: int, chosen: Codes | None = None, steering: bool = False) -> Nearness:
    """Cheap forms first, so that a group which fails does so early. `chosen`: the rows whose values are wanted, where not all are.
    `steering`: no limit is MEASURED; some may take values for similar that are not."""
    ordered, count = order_of_limits(limits), rows if chosen is None else len(chosen)
    forms = [_form_of(limit, limit.value if chosen is None else limit.value[chosen], steering) for limit in ordered]
    return Nearness(
        of=_limit_records(forms, ordered),
        value=np.stack([form.value for form in forms], axis=1) if forms else np.zeros((count, 0), np.int32),
        allowed=np.stack([limit.allowed for limit in ordered]) if forms else np.zeros((0, rows + 1), np.int64),
        own=_value_records(forms),
        table=joined([form.table for form in forms], np.bool_),
        listed=joined([form.listed for form in forms], np.int32),
        codes=joined([form.codes.ravel() for form in forms], np.int32),
        part=_parts([form.layout for form in forms]),
        buffer=joined([form.layout.buffer for form in forms], np.float64),
    )


def _limit_records(forms: Sequence[_Form], ordered: Sequence[NeighbourhoodLimit]) -> Records:
    of, start, table, codes, part = empty_records(len(forms), LIMIT), 0, 0, 0, 0
    for own, form, limit in zip(of, forms, ordered, strict=True):
        own.form, own.values, own.start, own.table, own.codes, own.part = form.form, len(form.centre), start, table, codes, part
        own.parts, own.least, own.power, own.radius = len(form.layout.mode), form.layout.least, form.layout.power, limit.radius
        start, table = start + len(form.centre), table + len(form.table)
        codes, part = codes + form.codes.size, part + len(form.layout.mode)
    return of


def _value_records(forms: Sequence[_Form]) -> Records:
    own, lists = empty_records(sum(len(form.centre) for form in forms), VALUE), starts_of([form.listed for form in forms])
    own.centre = joined([form.centre for form in forms], np.bool_)
    ends = [form.ends + before if form.form == LISTED else form.ends for form, before in zip(forms, lists[:-1], strict=True)]
    if ends:
        own.first, own.last = np.concatenate(ends).T
    return own


def _parts(layouts: Sequence[DistanceLayout]) -> Records:
    part = empty_records(sum(len(layout.mode) for layout in layouts), PART)
    buffers = starts_of([layout.buffer for layout in layouts])[:-1]
    part.mode, part.values = joined([layout.mode for layout in layouts], np.int64), joined([layout.size for layout in layouts], np.int64)
    part.offset = joined([layout.offset + before for layout, before in zip(layouts, buffers, strict=True)], np.int64)
    part.weight = joined([layout.weight for layout in layouts], np.float64)
    return part


def order_of_limits(limits: Sequence[NeighbourhoodLimit]) -> tuple[NeighbourhoodLimit, ...]:
    """The limits in the order in which `compile_limits` numbers them."""
    return tuple(sorted(limits, key=cheapest_form))


def cheapest_form(limit: NeighbourhoodLimit) -> int:
    """The cheapest one that is exact."""
    free = free_component(limit.layout, limit.distinct, limit.radius)
    if free is not None:
        keys = [limit.distinct[:, i] for i in (free, *(i for i in reversed(range(limit.distinct.shape[1])) if i != free)) if i >= 0]
        if (np.lexsort(tuple(keys)) == np.arange(len(limit.distinct))).all():
            return EQUAL if free < 0 else RANGE
    return TABLE if len(limit.distinct) <= LARGEST_TABLE else MEASURED


def _form_of(limit: NeighbourhoodLimit, value: Codes, steering: bool) -> _Form:
    no_ends = np.zeros((len(limit.distinct), 2), dtype=np.int32)
    plain = _Form(EQUAL, value, limit.centre, no_ends, np.empty(0, np.bool_), np.empty(0, np.int32), np.empty(0, np.int32), _NOWHERE)
    form = cheapest_form(limit)
    match form:
        case _ if form <= RANGE:
            return replace(plain, form=form, ends=_ends(limit.layout, limit.distinct, limit.radius))
        case _ if form == TABLE:
            return replace(plain, form=TABLE, table=_table(limit.layout, limit.distinct, limit.radius).ravel())
        case _ if not steering:
            return replace(plain, form=MEASURED, codes=limit.distinct, layout=limit.layout)
    graph = _graph(limit)
    if graph is not None:
        return replace(plain, form=LISTED, ends=np.stack([graph.begin[:-1], graph.begin[1:] - 1], axis=1), listed=graph.near)
    boxes = boxed(limit, LARGEST_TABLE)
    nowhere = np.zeros((len(boxes.centre), 2), dtype=np.int32)
    return replace(plain, form=TABLE, value=boxes.box[value], centre=boxes.centre, ends=nowhere, table=boxes.near.ravel())


def _graph(limit: NeighbourhoodLimit) -> AbstractGraph | None:
    """Lists of similar values, if they are not too long."""
    if len(limit.distinct) > MOST_VALUES or similar_pairs(limit)[0] > MOST_PAIRS:
        return None
    return abstract_graph(limit)


@loop
def _ends(layout: DistanceLayout, codes: Codes, reach: float) -> NDArray[np.int32]:
    """First and last value similar to each, where similar ones follow each other: both only ever move on."""
    size = len(codes)
    ends = np.empty((size, 2), dtype=np.int32)
    first, last = 0, 0
    for v in range(size):
        while first < v and not close(layout, codes, first, v, reach):
            first += 1
        last = max(last, v)
        while last + 1 < size and close(layout, codes, last + 1, v, reach):
            last += 1
        ends[v, 0], ends[v, 1] = first, last
    return ends


@loop
def _table(layout: DistanceLayout, codes: Codes, reach: float) -> NDArray[np.bool_]:
    size = len(codes)
    table = np.empty((size, size), dtype=np.bool_)
    for a in range(size):
        table[a, a] = True
        for b in range(a):
            table[a, b] = close(layout, codes, a, b, reach)
            table[b, a] = table[a, b]
    return table


@copied
def similar(limits: Nearness, l: int, a: int, b: int) -> bool:  # noqa: E741
    """Whether two values of limit l are similar, or are taken for similar."""
    if a == b:
        return True
    limit = limits.of[l]
    if limit.form <= RANGE:
        return bool(limits.own[limit.start + a].first <= b <= limits.own[limit.start + a].last)
    if limit.form == TABLE:
        return bool(limits.table[limit.table + a * limit.values + b])
    if limit.form == MEASURED:
        return bool(_within(limits, l, a, b))
    low, last = np.int64(limits.own[limit.start + a].first), np.int64(limits.own[limit.start + a].last)
    high = last + 1
    while low < high:
        middle = (low + high) // 2
        if limits.listed[middle] < b:
            low = middle + 1
        else:
            high = middle
    return bool(low <= last and limits.listed[low] == b)


@inner
def _within(limits: Nearness, l: int, a: int, b: int) -> bool:  # noqa: E741
    """Are two values of limit l at most its radius apart? By the distance itself, in the order of DEFINITIONS §2."""
    limit, total = limits.of[l], 0.0
    left, right = limit.codes + a * limit.parts, limit.codes + b * limit.parts
    for i in range(limit.parts):
        part = limits.part[limit.part + i]
        gap = _gap(part, limits.buffer, limits.codes[left + i], limits.codes[right + i])
        if limit.least:
            if gap <= limit.radius:
                return True
        elif limit.power == 1.0:
            total += part.weight * gap
            if total > limit.radius:
                return False
        else:
            total += part.weight * gap**limit.power
    if limit.least:
        return False
    return bool(total <= limit.radius) if limit.power == 1.0 else bool(total ** (1.0 / limit.power) <= limit.radius)


@copied
def _gap(part: Any, buffer: NDArray[np.float64], x: int, y: int) -> float:
    if x == y:
        return 0.0
    if x < 0 or y < 0 or part.mode == DISCRETE:
        return 1.0
    if part.mode == LINE:
        return float(abs(buffer[part.offset + x] - buffer[part.offset + y]))
    return float(buffer[part.offset + x * part.values + y])
