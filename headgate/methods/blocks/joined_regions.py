"""Regions of a table, grouped by themselves, become one draft again."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from headgate.core.compiling import empty_records, unset_records
from headgate.grouping.items import Items
from headgate.methods.blocks.draft import LEFT, VISIT, Aside, Draft, Groups, empty_groups
from headgate.methods.blocks.region import Grouped, items_inside
from headgate.methods.blocks.tree import BOX, STRETCH, Tree


def together(items: Items, regions: Sequence[NDArray[np.int64]], made: Sequence[Grouped], k: int, state: NDArray[np.int64]) -> Draft:
    """All of them, under common boxes. `regions` are the cells of each in numbers of the whole, `made` the groups of each."""
    tree, begins = _under_a_root(made)
    groups = _all_groups(items, regions, made, begins, k)
    return Draft(groups, tree, _all_aside(items, regions, made), empty_records(len(tree.box) + 2, VISIT), k, state)


def _under_a_root(made: Sequence[Grouped]) -> tuple[Tree, list[int]]:
    """One tree of all, and where the boxes of each region begin in it. Regions that follow each other come from one cut, so the boxes above
    them hold as many of these on the left as on the right, and lie apart nearly as if they had been cut."""
    above = len(made) - 1
    begins = (above + np.cumsum([0, *(len(own.tree.box) for own in made)])).tolist()
    offsets = np.cumsum([0, *(len(own.tree.order) for own in made)])
    box, span = empty_records(begins[-1], BOX), empty_records((begins[-1], made[0].tree.span.shape[1]), STRETCH)
    firsts = np.cumsum([0, *(len(own.of) for own in made)])
    order = np.concatenate([own.tree.order + first for own, first in zip(made, firsts, strict=False)])
    for own, begin, offset, first in zip(made, begins, offsets, firsts, strict=False):
        mine = box[begin : begin + len(own.tree.box)]
        mine[:], span[begin : begin + len(own.tree.box)] = own.tree.box, own.tree.span
        mine.start += offset
        mine.stop += offset
        for numbers, by in ((mine.left, begin), (mine.right, begin), (mine.parent, begin), (mine.group, first)):
            _renumber(numbers, by)
    free = iter(range(above))

    def over(first: int, end: int, parent: int) -> int:
        """The box over the regions first … end − 1."""
        if end - first == 1:
            box[begins[first]].parent = parent
            return int(begins[first])
        at, middle = next(free), (first + end) // 2
        own = box[at]
        own.parent, own.group, own.start, own.stop = parent, -1, offsets[first], offsets[end]
        own.left, own.right = over(first, middle, at), over(middle, end, at)
        span[at].low = np.minimum(span[own.left].low, span[own.right].low)
        span[at].high = np.maximum(span[own.left].high, span[own.right].high)
        return at

    over(0, len(made), -1)
    return Tree(order, box, span), begins


def _all_groups(items: Items, regions: Sequence[NDArray[np.int64]], made: Sequence[Grouped], begins: Sequence[int], k: int) -> Groups:
    """All groups and room for as many more; two places for every row, and two more for each region, for all may be in use."""
    many, rows = sum(len(own.of) for own in made), int(items.cell.rows.sum())
    whole = empty_groups(items, max(many, min(rows // k, 2 * many)), 2 * rows + 2 * len(made))
    first = top = 0
    for cells, own, begin in zip(regions, made, begins, strict=False):
        groups, places = slice(first, first + len(own.of)), slice(top, top + len(own.part))
        whole.of[groups], whole.span[groups], whole.crowd[places] = own.of, own.span, own.crowd
        inside, part = items_inside(items, cells), whole.part[places]
        used = _in_use(own)
        part[used] = own.part[used]
        part.number[used], part.cell[used] = inside[own.part.number[used]], cells[own.part.cell[used]]
        moved = whole.of[groups]
        moved.begin += top
        _renumber(moved.beside, first)
        _renumber(moved.leaf, begin)
        first, top = groups.stop, places.stop
    whole.now[0].groups, whole.now[0].top = first, top
    return whole


def _in_use(own: Grouped) -> NDArray[np.bool_]:
    """Which places hold a part: the others hold anything."""
    edges = np.zeros(len(own.part) + 1, dtype=np.int64)
    held = own.of[own.of.parts > 0]
    np.add.at(edges, held.begin, 1)
    np.add.at(edges, held.begin + held.parts, -1)
    return np.asarray(np.cumsum(edges[:-1]) > 0)


def _all_aside(items: Items, regions: Sequence[NDArray[np.int64]], made: Sequence[Grouped]) -> Aside:
    """What found no place in any region, and room for all items."""
    left, place, many = unset_records(len(items.item), LEFT), np.full(len(items.item), -1, dtype=np.int64), 0
    for cells, own in zip(regions, made, strict=True):
        mine = left[many : many + len(own.left)]
        mine[:] = own.left
        mine.number = items_inside(items, cells)[own.left.number]
        many += len(own.left)
    place[left.number[:many]] = np.arange(many)
    return Aside(left, place, np.array([many], dtype=np.int64))


def _renumber(numbers: NDArray[np.int64], by: int) -> None:
    """Numbers of boxes or groups in the whole; −1 stays none."""
    numbers[numbers >= 0] += by
