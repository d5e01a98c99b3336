"""Algorithm 2, lines 4–11: while a row has too many similar ones in its class, it changes places with one of another class.

The rows are chosen in the paper's two steps: the violation whose departure loses least, then the exchangeable row whose exchange with
it loses least; ties go to the lowest row. A violation with nobody to exchange with waits until the others are done, and is asked again
if there have been exchanges since: with those classes only that have changed, unless its own has.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from headgate.core.compiling import copied, inner, loop
from headgate.grouping.axes import FLAT, Axes
from headgate.grouping.nearness import Nearness
from headgate.grouping.watch import DONE, STOP
from headgate.methods.xcolor.class_boxes import UNIT, Boxes, empty_boxes, find_positions, mark_positions, measure_class, replaced_loss
from headgate.methods.xcolor.classes import Classes, Crowds, crowd_of, edge, empty_crowds, put, similar_in, violates
from headgate.methods.xcolor.queues import BUCKETS, NOBODY, Queues, empty_queues, file_row, first_row, least_departure, set_key


class PartnerSearch(NamedTuple):
    """What has been tried, and scratch space for the search of a partner."""

    waiting: NDArray[np.bool_]  # rows that found nobody
    searched_at: NDArray[np.int64]  # exchanges made when the row last found nobody; −1: never
    changed: NDArray[np.int64]  # exchanges made when the class last changed
    open: NDArray[np.bool_]  # classes that the leaving row may go to
    crowd: NDArray[np.int32]  # limits × classes: rows similar to the leaving one
    looked: NDArray[np.int64]  # when `held` was last found for the class
    occupied: NDArray[np.bool_]  # classes × axes: a member has the leaving row's position
    own: NDArray[np.bool_]  # axes: a member of the leaving row's class has the other's position
    tally: NDArray[np.int64]  # violations now, exchanges made, pairs of a row and a class looked at for exchanges of three


VIOLATIONS, EXCHANGES, LOOKED = 0, 1, 2  # places in `tally`


class Exchange(NamedTuple):
    """All that exchanging works on."""

    axes: Axes
    limits: Nearness
    classes: Classes
    boxes: Boxes
    crowds: Crowds
    queues: Queues
    search: PartnerSearch


def prepare(axes: Axes, limits: Nearness, classes: Classes) -> Exchange:
    count, (rows, kinds), wide = len(classes.size), limits.value.shape, len(axes.of)
    search = PartnerSearch(
        waiting=np.zeros(rows, dtype=np.bool_),
        searched_at=np.full(rows, -1, dtype=np.int64),
        changed=np.zeros(count, dtype=np.int64),
        open=np.zeros(count, dtype=np.bool_),
        crowd=np.zeros((kinds, count), dtype=np.int32),
        looked=np.zeros(count, dtype=np.int64),
        occupied=np.zeros((count, wide), dtype=np.bool_),
        own=np.zeros(wide, dtype=np.bool_),
        tally=np.zeros(3, dtype=np.int64),
    )
    queues = empty_queues(rows, max(1, wide) * int(UNIT))
    return Exchange(
        axes, limits, classes, empty_boxes(axes, rows, count), empty_crowds(limits, count, classes.member.shape[1]), queues, search
    )


@loop
def measure_all(exchange: Exchange) -> None:
    """Line 4, and every class's loss and departures."""
    for g in range(len(exchange.classes.size)):
        renew_class(exchange, g)


@loop
def exchange_pairs(exchange: Exchange, state: NDArray[np.int64], first: int) -> None:
    """Lines 5–11. `first`: violations there were before any exchange."""
    queues, search = exchange.queues, exchange.search
    begun = search.tally[EXCHANGES]
    while not state[STOP]:
        state[DONE] = max(0, first - search.tally[VIOLATIONS])
        leaving = first_row(queues)  # line 6
        if leaving < 0:
            if search.tally[EXCHANGES] == begun:
                return
            begun = search.tally[EXCHANGES]
            ask_again(exchange)
            continue
        partner = -1 if _like_found_nobody(exchange, leaving) else _partner(exchange, leaving)  # lines 7–9
        if partner < 0:
            search.waiting[leaving] = True
            search.searched_at[leaving] = search.tally[EXCHANGES]
            set_key(queues, leaving, NOBODY)
        else:
            swap(exchange, leaving, partner)  # lines 10–11


@inner
def _like_found_nobody(exchange: Exchange, leaving: int) -> bool:
    """Whether a member with the same values has been tried in vain since the last exchange. Possible partners depend only on values and
    classes."""
    limits, classes, search = exchange.limits, exchange.classes, exchange.search
    home = classes.group[leaving]
    for i in range(classes.size[home]):
        other = classes.member[home, i]
        if search.waiting[other] and search.searched_at[other] == search.tally[EXCHANGES]:
            same = True
            for l in range(limits.value.shape[1]):  # noqa: E741
                same = same and limits.value[other, l] == limits.value[leaving, l]
            if same:
                return True
    return False


@inner
def ask_again(exchange: Exchange) -> None:
    for row in range(len(exchange.search.waiting)):
        if exchange.search.waiting[row]:
            exchange.search.waiting[row] = False
            if violates(exchange.limits, exchange.classes, row):
                set_key(exchange.queues, row, exchange.boxes.departure[row])


@inner
def swap(exchange: Exchange, leaving: int, partner: int) -> None:
    limits, classes, crowds, search = exchange.limits, exchange.classes, exchange.crowds, exchange.search
    home, away = classes.group[leaving], classes.group[partner]
    spot, other_spot = classes.place[leaving], classes.place[partner]
    forget_class(exchange, home)
    forget_class(exchange, away)
    put(limits, classes, crowds, partner, leaving, home, spot)
    put(limits, classes, crowds, leaving, partner, away, other_spot)
    search.tally[EXCHANGES] += 1
    renew_class(exchange, home)
    renew_class(exchange, away)


@inner
def forget_class(exchange: Exchange, g: int) -> None:
    """Takes the class's violations out of the queue, before its members change."""
    classes = exchange.classes
    for i in range(classes.size[g]):
        row = classes.member[g, i]
        if violates(exchange.limits, classes, row):
            exchange.search.tally[VIOLATIONS] -= 1
            set_key(exchange.queues, row, NOBODY)


@inner
def renew_class(exchange: Exchange, g: int) -> None:
    """Loss, departures and violations of a class whose members have changed."""
    classes, boxes, search = exchange.classes, exchange.boxes, exchange.search
    measure_class(exchange.axes, boxes, g, classes.member[g, : classes.size[g]])
    search.changed[g] = search.tally[EXCHANGES]
    for i in range(classes.size[g]):
        row = classes.member[g, i]
        file_row(exchange.queues, row, boxes.departure[row])
        if violates(exchange.limits, classes, row):
            search.tally[VIOLATIONS] += 1
            if not search.waiting[row]:
                set_key(exchange.queues, row, boxes.departure[row])


@loop
def open_classes(exchange: Exchange, leaving: int, since: int) -> bool:
    """The classes movable for the row (Definition 13) that have changed after `since`. Is there one?"""
    limits, classes, search = exchange.limits, exchange.classes, exchange.search
    home = classes.group[leaving]
    for l in range(len(search.crowd)):  # noqa: E741
        slot = crowd_of(limits, classes, exchange.crowds, l, leaving)
        for g in range(len(classes.size)):
            search.crowd[l, g] = exchange.crowds.rows[slot, g]
    any_open = False
    for g in range(len(classes.size)):
        search.open[g] = g != home and search.changed[g] > since
        for l in range(len(search.crowd)):  # noqa: E741
            centre = limits.own[limits.of[l].start + limits.value[leaving, l]].centre
            if centre and search.crowd[l, g] >= limits.allowed[l, classes.size[g]]:
                search.open[g] = False
        any_open = any_open or search.open[g]
    return any_open


@copied
def _loss_change(exchange: Exchange, leaving: int, row: int, mark: int, least: int) -> int:
    """loss(V ∖ {v} ∪ {v'}) + loss(V' ∪ {v} ∖ {v'}) − loss(V) − loss(V'), or anything above `least` if it is above it."""
    axes, classes, boxes, search = exchange.axes, exchange.classes, exchange.boxes, exchange.search
    home, g = classes.group[leaving], classes.group[row]
    for axis in range(len(axes.of)):
        if axes.of[axis].form == FLAT:
            search.own[axis] = boxes.seen[axes.of[axis].first + axes.position[row, axis]] == mark
    change = replaced_loss(axes, boxes, home, leaving, row, search.own) - boxes.loss[home]
    if change + boxes.departure[row] > least:
        return int(NOBODY)
    if search.looked[g] != mark:
        search.looked[g] = mark
        find_positions(axes, leaving, classes.member[g, : classes.size[g]], search.occupied[g])
    return int(change + replaced_loss(axes, boxes, g, row, leaving, search.occupied[g]) - boxes.loss[g])


@copied
def _exchangeable(exchange: Exchange, leaving: int, row: int) -> bool:
    """Definition 15 (ii): the exchange lowers the number of monochromatic edges, Λ by Definition 14, summed over the limits."""
    limits, classes, search = exchange.limits, exchange.classes, exchange.search
    home, g = classes.group[leaving], classes.group[row]
    total = 0
    for l in range(len(search.crowd)):  # noqa: E741
        joined = edge(limits, l, leaving, row)
        total += int(search.crowd[l, g]) - (int(classes.inside[leaving, l]) - 1)  # Λ(V → V')
        total += similar_in(limits, classes, exchange.crowds, l, row, home) - joined  # Λ(V' ∪ {v} → V ∖ {v})
        total -= int(classes.inside[row, l]) - 1 + joined
    return total < 0


@inner
def _partner(exchange: Exchange, leaving: int) -> int:
    """The exchangeable row whose exchange with the leaving one loses least; −1 without one. Rows whose departure from their own
    class cannot make up for the loss found so far are not looked at."""
    axes, classes, boxes, queues, search = exchange.axes, exchange.classes, exchange.boxes, exchange.queues, exchange.search
    home = classes.group[leaving]
    since = search.searched_at[leaving] if search.changed[home] <= search.searched_at[leaving] else -1
    if not open_classes(exchange, leaving, since):
        return -1
    mark = mark_positions(axes, boxes, classes.member[home, : classes.size[home]])
    partner, least = -1, NOBODY
    for b in range(BUCKETS):
        if boxes.departure[leaving] + least_departure(queues, b) > least:
            break
        row = queues.head[b]
        while row >= 0:
            g = classes.group[row]
            if search.open[g] and boxes.departure[leaving] + boxes.departure[row] <= least:
                change = _loss_change(exchange, leaving, row, mark, least)
                if (change < least or (change == least and row < partner)) and _exchangeable(exchange, leaving, row):
                    partner, least = row, change
            row = queues.after[row]
    return partner
