"""Groups in the making: all that the loops work on, in one tuple.

A group has parts, so many rows of an item each, in the order of the first limit's values; its box; and for every part and limit how many
rows of the group are similar to it. The parts of a group lie side by side, as looking through them is what takes the time. A group that
has no place left for one more moves behind all others; when there is no place there either the groups close up. A part has a row at
least, so twice as many places as there are rows are always enough (docs/decisions/0008-where-parts-of-groups-lie.md).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from headgate.core.compiling import Records, empty_records, inlined, inner, making, record, unset_records
from headgate.grouping.items import Items
from headgate.grouping.sorting import sorted_order
from headgate.methods.blocks.sweep import SPAN
from headgate.methods.blocks.tree import Tree

# A search looks at many groups and boxes, so their records are small: what it reads first lies together, and numbers have 32 bits.
GROUP = record(
    rows=np.int32,
    beside=np.int32,  # the next group in the same box, −1 after the last
    loss=np.float64,  # loss(G)
    begin=np.int64,  # its parts are begin … begin + parts, its own places begin … begin + places
    parts=np.int32,
    places=np.int32,
    leaf=np.int32,  # the box of the tree that it came from
    stiff=np.int32,  # 1 where nothing could branch off
)
PART = record(number=np.int64, cell=np.int64, rows=np.int64)  # so many rows of the item of that number, which is in that cell
CROWD = record(
    value=np.int32, near=np.int32
)  # of a part under a limit: its value, and the rows of the group similar to it, its own included
COUNTS = record(groups=np.int64, top=np.int64, clock=np.int64)  # groups so far; where the free places begin; a moment
VISIT = record(box=np.int64, gap=np.float64)  # a box that is still to be looked into, and what going there costs a row at least
LEFT = record(number=np.int64, rows=np.int64)  # rows of an item without a group

MORE = 4  # places that a group gets beyond half as many again


class Groups(NamedTuple):
    items: Items
    of: Records  # a GROUP each
    span: Records  # groups × axes: a SPAN each
    part: Records  # a PART each
    crowd: Records  # parts × limits: a CROWD each
    now: Records  # COUNTS, one
    seen: NDArray[np.int64]  # scratch: at which moment a position was last met


class Aside(NamedTuple):
    """Rows without a group, by item."""

    left: Records  # a LEFT each
    place: NDArray[np.int64]  # of each item of the table: where it is in `left`, −1 without
    many: NDArray[np.int64]  # one number: how many of `left` are in use


class Draft(NamedTuple):
    groups: Groups
    tree: Tree
    aside: Aside
    visits: Records  # scratch for searching the tree
    k: int
    state: NDArray[np.int64]


def empty_groups(items: Items, groups: int, parts: int) -> Groups:
    """Room for this many groups, and places for this many parts in all."""
    span = unset_records((groups, len(items.axes.of)), SPAN)
    part, crowd = unset_records(parts, PART), unset_records((parts, len(items.limits.of)), CROWD)
    seen = np.full(len(items.axes.at) + 1, -1, dtype=np.int64)
    return Groups(items, empty_records(groups, GROUP), span, part, crowd, empty_records(1, COUNTS), seen)


def room_for_groups(items: Items, groups: int, k: int) -> tuple[Groups, Aside]:
    """Room for so many first groups, and for new ones that branch off: as many as make the most of rows, or of what differs among them.
    Nobody is aside yet."""
    rows, different = int(items.rows.sum()), len(items.item)
    room = empty_groups(items, max(groups, min(rows // k, 4 * groups + different)), 2 * rows + 2)
    return room, Aside(unset_records(different, LEFT), np.full(different, -1, dtype=np.int64), np.zeros(1, dtype=np.int64))


@inlined
def open_place(groups: Groups, group: int, at: int) -> int:
    """Makes room for one more part of a group, before its part number `at`. The new place is still empty."""
    own = groups.of[group]
    if own.parts == own.places:
        _move_behind(groups, group)
    place = own.begin + at
    for i in range(own.begin + own.parts, place, -1):
        copy_part(groups, i - 1, i)
    own.parts += 1
    return place  # type: ignore[no-any-return]


@inner
def _move_behind(groups: Groups, group: int) -> None:
    """Moves a group behind all others, where it has more places."""
    own, now = groups.of[group], groups.now[0]
    if now.top + own.parts >= len(groups.part):
        _close_up(groups)
    for i in range(own.parts):
        copy_part(groups, own.begin + i, now.top + i)
    own.begin, own.places = now.top, min(own.parts + own.parts // 2 + MORE, len(groups.part) - now.top)
    now.top += own.places


@inner
def copy_part(groups: Groups, source: int, target: int) -> None:
    part, other = groups.part[source], groups.part[target]
    other.number, other.cell, other.rows = part.number, part.cell, part.rows
    for l in range(groups.crowd.shape[1]):  # noqa: E741
        crowd, place = groups.crowd[source, l], groups.crowd[target, l]
        place.value, place.near = crowd.value, crowd.near


@making
def _close_up(groups: Groups) -> None:
    """Every group keeps the places that it needs, and no other is left between them."""
    begins, top = np.empty(min(len(groups.of), groups.now[0].groups + 1), dtype=np.int64), np.int64(0)  # one more may be in the making
    for group in range(len(begins)):
        begins[group] = groups.of[group].begin
    for group in sorted_order(begins):
        own = groups.of[group]
        for i in range(own.parts):
            copy_part(groups, own.begin + i, top + i)
        own.begin, own.places = top, own.parts
        top += own.parts
    groups.now[0].top = top
