"""A core that fell below k, or that breaks a limit, borrows a few people from larger groups near it: uniting it with one would widen all of
both. Whoever is lent is in two groups then, so what these have in common must leave enough to choose from."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from headgate.core.compiling import Records, empty_records, inner, loop, making, record
from headgate.grouping.sorting import sorted_order
from headgate.grouping.watch import STOP
from headgate.methods.blocks.draft import Draft
from headgate.methods.blocks.groups import keeps_all, may_go, part_of, put, room_for, take
from headgate.methods.blocks.losses import loss_with
from headgate.methods.blocks.placing import visit_halves, widen
from headgate.methods.sticky.uniting import gap_between, nearest_group

TRIED = 64  # groups that are looked at in vain before the best row so far is taken

LOAN = record(giver=np.int64, number=np.int64, taker=np.int64)  # one row of the item of that number


class Tally(NamedTuple):
    """Values of items, and how many rows of the borrowing group, and of one that may lend, have each; zeros in between."""

    value: NDArray[np.int64]  # items × readings: all sensitive attributes together, and each alone; numbers of their own in each
    here: NDArray[np.int64]
    there: NDArray[np.int64]
    total: NDArray[np.int64]  # by reading, of what both have in common
    largest: NDArray[np.int64]


def lend(draft: Draft, value: NDArray[np.int64], share: float) -> Records:
    """Lends rows; says from which group to which. `value`: items × readings, numbered through. `share`: the largest share that one value
    may have, in any reading, in what both groups have in common."""
    values, readings = int(value.max(initial=0)) + 1, value.shape[1]
    scratch = (np.zeros(size, dtype=np.int64) for size in (values, values, readings, readings))
    loans = empty_records(int(draft.groups.now[0].groups) * max(1, draft.k // 2), LOAN)
    return loans[: _lend(draft, share, Tally(value, *scratch), loans)] if readings else loans[:0]


@loop
def _lend(draft: Draft, share: float, tally: Tally, loans: Records) -> int:
    groups, many = draft.groups, 0
    rows = np.empty(groups.now[0].groups, dtype=np.int64)
    borrowing = np.zeros(len(rows), dtype=np.bool_)
    for group in range(len(rows)):
        rows[group] = groups.of[group].rows
        borrowing[group] = rows[group] > 0 and (rows[group] < draft.k or not keeps_all(groups, group))
    for group in sorted_order(-rows):  # the fewer are lacking, the sooner
        if borrowing[group] and 2 * rows[group] >= draft.k and draft.state[STOP] == 0:
            many += _borrow(draft, group, share, tally, borrowing, loans[many:])
    return many


@making
def _borrow(draft: Draft, group: int, share: float, tally: Tally, borrowing: NDArray[np.bool_], loans: Records) -> int:
    """Borrows rows until the group keeps everything; gives all back if that costs more than uniting it, or is not possible."""
    groups, own = draft.groups, draft.groups.of[group]
    most, many, spent = nearest_group(draft, group)[1], 0, 0.0
    while own.rows < draft.k or not keeps_all(groups, group):
        giver, number, cost = -1, np.int64(-1), np.inf
        if many < draft.k // 2:
            giver, number, cost = _cheapest_row(draft, group, share, tally, borrowing, most - spent)
        if giver < 0:
            for i in range(many - 1, -1, -1):
                take(groups, group, part_of(groups, group, loans[i].number), 1)
                put(groups, loans[i].giver, loans[i].number, 1)
            return 0
        take(groups, giver, part_of(groups, giver, number), 1)
        put(groups, group, number, 1)
        widen(draft, group, groups.items.item[number].cell)
        loans[many].giver, loans[many].number, loans[many].taker = giver, number, group
        spent += cost
        many += 1
    return many


@inner
def _cheapest_row(
    draft: Draft, group: int, share: float, tally: Tally, borrowing: NDArray[np.bool_], most: float
) -> tuple[int, int, float]:
    """The group that lends a row, the item of the row and what it costs: less than `most`; −1 without one."""
    groups, tree, visits, own = draft.groups, draft.tree, draft.visits, draft.groups.of[group]
    giver, number, least, tried = np.int64(-1), np.int64(-1), most, 0
    _count(draft, group, tally.value, tally.here, 1)
    visits[0].box, visits[0].gap = 0, 0.0
    height = 1
    while height > 0 and (giver < 0 or tried < TRIED):
        height -= 1
        box, gap = tree.box[visits[height].box], visits[height].gap
        if (own.rows + 1) * gap >= least:
            continue
        if box.left >= 0:
            visit_halves(visits, height, box.left, box.right, gap_between(draft, box.left, group), gap_between(draft, box.right, group))
            height += 2
            continue
        other = np.int64(box.group)
        while other >= 0:
            lender = groups.of[other]
            if lender.rows > draft.k and not borrowing[other]:
                tried += 1
                part, cost = _row_of(draft, group, other, share, tally, least)
                if part >= 0:
                    giver, number, least, tried = other, np.int64(groups.part[part].number), cost, 0
            other = np.int64(lender.beside)
    _count(draft, group, tally.value, tally.here, 0)
    return giver, number, least  # type: ignore[return-value]


@inner
def _row_of(draft: Draft, group: int, other: int, share: float, tally: Tally, most: float) -> tuple[int, float]:
    """The part of the other group of which one row costs least, and how much: less than `most`; −1 without one."""
    groups, own, lender = draft.groups, draft.groups.of[group], draft.groups.of[other]
    _count(draft, other, tally.value, tally.there, 1)
    tally.total[:], tally.largest[:] = 0, 0
    for part in range(own.begin, own.begin + own.parts):
        for reading in range(tally.value.shape[1]):
            value = tally.value[groups.part[part].number, reading]
            if tally.here[value] > 0:  # once per value: it is marked until the end
                both = min(tally.here[value], tally.there[value])
                tally.total[reading] += both
                tally.largest[reading] = max(tally.largest[reading], both)
                tally.here[value] = -tally.here[value]
    best, least, last, wider = np.int64(-1), most, np.int64(-1), 0.0
    for part in range(lender.begin, lender.begin + lender.parts):
        number, cell = groups.part[part].number, groups.part[part].cell
        if cell != last:
            last, wider = cell, loss_with(groups, group, cell)
        cost = (own.rows + 1) * wider - own.rows * own.loss
        if cost >= least:
            continue
        if not _leaves_a_choice(tally, number, share):
            continue
        if room_for(groups, group, np.int64(number), np.int64(1), np.int64(0)) > 0 and may_go(groups, other, part, np.int64(1)):
            best, least = np.int64(part), cost
    for part in range(own.begin, own.begin + own.parts):
        for reading in range(tally.value.shape[1]):
            value = tally.value[groups.part[part].number, reading]
            tally.here[value] = abs(tally.here[value])
    _count(draft, other, tally.value, tally.there, 0)
    return best, least  # type: ignore[return-value]


@inner
def _leaves_a_choice(tally: Tally, number: int, share: float) -> bool:
    """Once a row of this item is lent, has no value more than its share of what both groups have in common, in any reading?"""
    for reading in range(tally.value.shape[1]):
        value = tally.value[number, reading]
        here = -tally.here[value]
        more = 1 if tally.there[value] > here else 0
        if max(tally.largest[reading], here + more) > share * (tally.total[reading] + more):
            return False
    return True


@inner
def _count(draft: Draft, group: int, values: NDArray[np.int64], tally: NDArray[np.int64], keep: int) -> None:
    """Counts the rows of a group by value, or forgets them."""
    own = draft.groups.of[group]
    for part in range(own.begin, own.begin + own.parts):
        for reading in range(values.shape[1]):
            value = values[draft.groups.part[part].number, reading]
            tally[value] = tally[value] + draft.groups.part[part].rows if keep else 0
