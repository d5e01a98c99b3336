"""Exchanges of three rows in a cycle, the paper's future work (§VIII), for the violations that no exchange of two rows resolves.

v₁ moves from V₁ to V₂, v₂ from V₂ to V₃ and v₃ from V₃ to V₁, if v₁ is no violation in V₂ without v₂ and the three moves together
lower the number of monochromatic edges. Of all such pairs (v₂, v₃) the one that loses least is taken; ties go to the lowest rows.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from headgate.core.compiling import inner, loop, making
from headgate.grouping.watch import STOP
from headgate.methods.xcolor.class_boxes import find_positions, replaced_loss
from headgate.methods.xcolor.classes import crowd_of, edge, put, similar_in, violates
from headgate.methods.xcolor.exchanges import (
    EXCHANGES,
    LOOKED,
    VIOLATIONS,
    Exchange,
    ask_again,
    exchange_pairs,
    forget_class,
    renew_class,
)
from headgate.methods.xcolor.queues import BUCKETS, NOBODY, least_departure

MOST_PAIRS = 4_000_000_000  # of a row and a class, over all violations there are: beyond it exchanging three would not end soon
WAY_BACK, MEMBER = 50, 50  # what a search does for every row beforehand, and for every v₃ it tries, in such pairs
LOOKS = 400_000_000  # pairs of a row and a class that are looked at before giving up: some seconds


class Ways(NamedTuple):
    """Λ around v₁, whichever rows go with it."""

    forth: NDArray[np.int64]  # of each class, Λ(V₁ → V₂) before v₂ leaves
    back: NDArray[np.int64]  # of each row, Λ(V₃ → V₁ ∖ {v₁})
    deepest: NDArray[np.int64]  # of each class, the least `back` of its rows
    change: NDArray[np.int64]  # scratch: of each class, Λ of v₁ to V₂ and v₂ to it, and its least way back


class Others(NamedTuple):
    """v₂ and v₃ for v₁, −1 without them, and what is lost by the exchange."""

    second: int
    third: int
    lost: int


@loop
def exchange_triples(exchange: Exchange, state: NDArray[np.int64], first: int) -> None:
    """Exchanges of three, and of two again after each, until neither is left. A violation without one waits until the others are done.

    `first`: violations there were before any exchange. Nothing is tried where there are too many for the size of the table, or where the
    counts of every value in every class cannot be held."""
    search, crowds = exchange.search, exchange.crowds
    few = len(exchange.classes.size) < 3
    if few or search.tally[VIOLATIONS] * len(exchange.classes.group) * len(exchange.classes.size) > MOST_PAIRS:
        return
    tired = np.zeros(len(exchange.classes.group), dtype=np.bool_)
    begun = search.tally[EXCHANGES]
    while len(crowds.limit) == len(crowds.slot) and search.tally[LOOKED] < LOOKS and not state[STOP]:
        leaving = _least_departure(exchange, tired)
        if leaving < 0:
            if search.tally[EXCHANGES] == begun:
                return
            begun = search.tally[EXCHANGES]
            tired[:] = False
            continue
        search.tally[LOOKED] += WAY_BACK * len(tired)
        others = _others(exchange, leaving, state)
        if others.second < 0:
            tired[leaving] = True
            continue
        _turn(exchange, leaving, others.second, others.third)
        ask_again(exchange)
        exchange_pairs(exchange, state, first)


@inner
def _least_departure(exchange: Exchange, tired: NDArray[np.bool_]) -> int:
    """Algorithm 2, line 6, among the violations that have not been tried yet; −1 if there is none."""
    chosen, departure = -1, exchange.boxes.departure
    for row in range(len(tired)):
        if not tired[row] and (chosen < 0 or departure[row] < departure[chosen]) and violates(exchange.limits, exchange.classes, row):
            chosen = row
    return chosen


@making
def _others(exchange: Exchange, leaving: int, state: NDArray[np.int64]) -> Others:
    classes, queues, departure = exchange.classes, exchange.queues, exchange.boxes.departure
    home, lowest = classes.group[leaving], departure.min()
    ways = _ways(exchange, leaving)
    best = Others(-1, -1, int(NOBODY))
    for b in range(BUCKETS):
        done = state[STOP] or exchange.search.tally[LOOKED] >= LOOKS
        if done or departure[leaving] + lowest + least_departure(queues, b) > best.lost:
            break
        row = queues.head[b]
        while row >= 0:
            bound = departure[leaving] + departure[row]
            if classes.group[row] != home and bound + lowest <= best.lost and _movable(exchange, leaving, row):
                best = _with_third(exchange, ways, leaving, row, best)
            row = queues.after[row]
    return best


@making
def _ways(exchange: Exchange, leaving: int) -> Ways:
    """And in `search.crowd` the rows of each class that are similar to v₁."""
    limits, classes, crowds, crowd = exchange.limits, exchange.classes, exchange.crowds, exchange.search.crowd
    rows, count, kinds = len(classes.group), len(classes.size), limits.value.shape[1]
    home = classes.group[leaving]
    forth, back = np.zeros(count, dtype=np.int64), np.zeros(rows, dtype=np.int64)
    for l in range(kinds):  # noqa: E741
        slot = crowd_of(limits, classes, crowds, l, leaving)
        for g in range(count):
            crowd[l, g] = crowds.rows[slot, g]
            forth[g] += crowds.rows[slot, g] - classes.inside[leaving, l] + 1
    deepest = np.full(count, NOBODY)
    for row in range(rows):
        for l in range(kinds):  # noqa: E741
            back[row] += similar_in(limits, classes, crowds, l, row, home) - edge(limits, l, leaving, row) - classes.inside[row, l] + 1
        deepest[classes.group[row]] = min(deepest[classes.group[row]], back[row])
    deepest[home] = NOBODY
    return Ways(forth, back, deepest, np.empty(count, dtype=np.int64))


@inner
def _with_third(exchange: Exchange, ways: Ways, leaving: int, row: int, best: Others) -> Others:
    """The best v₃ for v₁ and this v₂, where it beats what was found so far."""
    limits, classes, search, departure = exchange.limits, exchange.classes, exchange.search, exchange.boxes.departure
    count, kinds, bound = len(classes.size), limits.value.shape[1], departure[leaving] + departure[row]
    second, third, least = best
    search.tally[LOOKED] += count
    _add_moves(exchange, ways, leaving, row)
    for g in range(count):
        if ways.change[g] >= kinds or g == classes.group[row]:
            continue
        search.tally[LOOKED] += MEMBER * classes.size[g]
        for i in range(classes.size[g]):
            other = classes.member[g, i]
            if bound + departure[other] > least:
                continue
            total = ways.change[g] - ways.deepest[g] + ways.back[other]
            for l in range(kinds):  # noqa: E741
                total -= edge(limits, l, row, other)
            if total < 0:
                lost = _loss_change(exchange, leaving, row, other)
                if lost < least or (lost == least and (row < second or (row == second and other < third))):
                    second, third, least = row, other, lost
    return Others(second, third, least)


@inner
def _add_moves(exchange: Exchange, ways: Ways, leaving: int, row: int) -> None:
    """change[g]: Λ of v₁ and v₂ to V₂ and g, and the least that a row of g can add to it by going on to V₁."""
    change, forth = ways.change, ways.forth[exchange.classes.group[row]]
    for g in range(len(change)):
        change[g] = forth + ways.deepest[g]
    for l in range(exchange.limits.value.shape[1]):  # noqa: E741
        slot = crowd_of(exchange.limits, exchange.classes, exchange.crowds, l, row)
        own = edge(exchange.limits, l, leaving, row) + exchange.classes.inside[row, l] - 1
        for g in range(len(change)):
            change[g] += exchange.crowds.rows[slot, g] - own


@inner
def _movable(exchange: Exchange, leaving: int, row: int) -> bool:
    """Definition 13 for the class of the row, without it."""
    limits, classes = exchange.limits, exchange.classes
    g = classes.group[row]
    for l in range(limits.value.shape[1]):  # noqa: E741
        centre = limits.own[limits.of[l].start + limits.value[leaving, l]].centre
        similar = exchange.search.crowd[l, g] - edge(limits, l, leaving, row)
        if centre and similar >= limits.allowed[l, classes.size[g]]:
            return False
    return True


@inner
def _loss_change(exchange: Exchange, first: int, second: int, third: int) -> int:
    change = 0
    for leaving, joining in ((first, third), (second, first), (third, second)):
        g = exchange.classes.group[leaving]
        find_positions(exchange.axes, joining, exchange.classes.member[g, : exchange.classes.size[g]], exchange.search.own)
        change += replaced_loss(exchange.axes, exchange.boxes, g, leaving, joining, exchange.search.own) - exchange.boxes.loss[g]
    return change


@inner
def _turn(exchange: Exchange, first: int, second: int, third: int) -> None:
    limits, classes, crowds = exchange.limits, exchange.classes, exchange.crowds
    g1, g2, g3 = classes.group[first], classes.group[second], classes.group[third]
    p1, p2, p3 = classes.place[first], classes.place[second], classes.place[third]
    for g in (g1, g2, g3):
        forget_class(exchange, g)
    put(limits, classes, crowds, third, first, g1, p1)
    put(limits, classes, crowds, first, second, g2, p2)
    put(limits, classes, crowds, second, third, g3, p3)
    exchange.search.tally[EXCHANGES] += 1
    for g in (g1, g2, g3):
        renew_class(exchange, g)
