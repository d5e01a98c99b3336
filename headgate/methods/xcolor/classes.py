"""The classes of a coloring: who sits where, and how many similar rows each row and each value has in a class."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from headgate.core.compiling import loop, making
from headgate.grouping.nearness import RANGE, Nearness, similar
from headgate.grouping.neighbour_counts import PAIRS, near_rows

FEW = 64  # so many classes, or fewer, are large: what a value finds in them is worth keeping
MOST_CROWDS = 25_000_000  # counts kept at once: 100 MB


class Classes(NamedTuple):
    group: NDArray[np.int64]  # of each row
    member: NDArray[np.int64]  # classes × places
    place: NDArray[np.int64]  # of each row among the members of its class
    size: NDArray[np.int64]
    inside: NDArray[np.int64]  # rows × limits: similar rows in the row's own class, itself included


class Crowds(NamedTuple):
    """The number of rows similar to a value in every class, for the values that were needed last and fit into the memory."""

    rows: NDArray[np.int32]  # slots × classes
    slot: NDArray[np.int64]  # from START, of each distinct value; −1 without
    limit: NDArray[np.int64]  # of each slot; −1 while it is free
    row: NDArray[np.int64]  # of each slot, a row that has its value
    following: NDArray[np.int64]  # one number: the slot to be used next
    near: NDArray[np.bool_]  # scratch as long as the longest list of distinct values
    joining: NDArray[np.int64]  # scratch for the members of any class, and for the slots: similar to who comes
    leaving: NDArray[np.int64]  # and to who goes


def empty_crowds(limits: Nearness, classes: int, largest: int) -> Crowds:
    """`largest`: members of the largest class."""
    values = int(limits.of.values.sum())
    slots = max(1, min(values, MOST_CROWDS // classes))
    return Crowds(
        rows=np.empty((slots, classes), dtype=np.int32),
        slot=np.full(values, -1, dtype=np.int64),
        limit=np.full(slots, -1, dtype=np.int64),
        row=np.zeros(slots, dtype=np.int64),
        following=np.zeros(1, dtype=np.int64),
        near=np.zeros(int(limits.of.values.max(initial=0)), dtype=np.bool_),
        joining=np.zeros(max(slots, largest), dtype=np.int64),
        leaving=np.zeros(max(slots, largest), dtype=np.int64),
    )


@loop
def edge(limits: Nearness, l: int, row: int, other: int) -> int:  # noqa: E741
    """1 if the rows are joined in the abstract graph of limit l, else 0."""
    return 1 if similar(limits, l, limits.value[row, l], limits.value[other, l]) else 0


@making
def near_members(limits: Nearness, l: int, row: int, others: NDArray[np.int64], near: NDArray[np.int64]) -> int:  # noqa: E741
    """near[i] = 1 where others[i] is similar to the row; how many are. Arrays taken out of `limits` before a loop cost it nothing."""
    value, form = limits.value, limits.of[l].form
    a, near_rows = value[row, l], 0
    if form <= RANGE:
        own = limits.own[limits.of[l].start + a]
        first, last = own.first, own.last
        for i in range(len(others)):
            near[i] = 1 if first <= value[others[i], l] <= last else 0
            near_rows += near[i]
    else:
        for i in range(len(others)):
            near[i] = 1 if similar(limits, l, a, value[others[i], l]) else 0
            near_rows += near[i]
    return near_rows


@loop
def seat(limits: Nearness, groups: NDArray[np.int32], count: int) -> Classes:
    rows, kinds = limits.value.shape
    group = groups.astype(np.int64)
    size = np.zeros(count, dtype=np.int64)
    for row in range(rows):
        size[group[row]] += 1
    member = np.zeros((count, size.max()), dtype=np.int64)
    place = np.empty(rows, dtype=np.int64)
    size[:] = 0
    for row in range(rows):
        g = group[row]
        member[g, size[g]] = row
        place[row] = size[g]
        size[g] += 1
    inside = np.ones((rows, kinds), dtype=np.int64)
    alone = np.ones(member.shape[1], dtype=np.int64)
    value, own = limits.value, limits.own
    for l in range(kinds):  # noqa: E741
        start, window = limits.of[l].start, limits.of[l].form <= RANGE
        for g in range(count):
            members = member[g, : size[g]]
            if window and len(members) <= PAIRS:
                for i in range(len(members)):
                    first, last = own[start + value[members[i], l]].first, own[start + value[members[i], l]].last
                    for j in range(len(members)):
                        if i != j and first <= value[members[j], l] <= last:
                            inside[members[i], l] += 1
            else:
                near = near_rows(limits, l, value[members, l].astype(np.int64), alone[: len(members)])
                for i in range(len(members)):
                    inside[members[i], l] = near[i]
    return Classes(group, member, place, size, inside)


@loop
def violates(limits: Nearness, classes: Classes, row: int) -> bool:
    """Definition 13: 𝒟_V(v) ≥ t + 1, with the t of the class's own size, under any limit that protects the row."""
    size = classes.size[classes.group[row]]
    for l in range(limits.value.shape[1]):  # noqa: E741
        centre = limits.own[limits.of[l].start + limits.value[row, l]].centre
        if centre and classes.inside[row, l] > limits.allowed[l, size]:
            return True
    return False


@loop
def crowd_of(limits: Nearness, classes: Classes, crowds: Crowds, l: int, row: int) -> int:  # noqa: E741
    """The slot that holds how many rows of each class are similar to the row under limit l, itself included in its own."""
    start, a = limits.of[l].start, limits.value[row, l]
    if crowds.slot[start + a] >= 0:
        return int(crowds.slot[start + a])
    s = crowds.following[0]
    crowds.following[0] = (s + 1) % len(crowds.limit)
    former = crowds.limit[s]
    if former >= 0:
        crowds.slot[limits.of[former].start + limits.value[crowds.row[s], former]] = -1
    crowds.slot[start + a], crowds.limit[s], crowds.row[s] = s, l, row
    for b in range(limits.of[l].values):
        crowds.near[b] = similar(limits, l, a, b)
    for g in range(len(classes.size)):
        crowds.rows[s, g] = 0
    for other in range(len(classes.group)):
        if crowds.near[limits.value[other, l]]:
            crowds.rows[s, classes.group[other]] += 1
    return int(s)


@loop
def similar_in(limits: Nearness, classes: Classes, crowds: Crowds, l: int, row: int, g: int) -> int:  # noqa: E741
    """𝒟_V(v) for the members of class g, the row itself included if it is one."""
    slot = crowds.slot[limits.of[l].start + limits.value[row, l]]
    if slot < 0 and len(classes.size) <= FEW:
        slot = crowd_of(limits, classes, crowds, l, row)
    if slot >= 0:
        return int(crowds.rows[slot, g])
    return int(near_members(limits, l, row, classes.member[g, : classes.size[g]], crowds.joining))


@loop
def put(limits: Nearness, classes: Classes, crowds: Crowds, row: int, left: int, home: int, spot: int) -> None:
    """The row takes the place that `left` has in the class `home`; everyone's counts follow. `left` is out of every class then."""
    members, joining, leaving = classes.member[home, : classes.size[home]], crowds.joining, crowds.leaving
    inside, rows, limit = classes.inside, crowds.rows, crowds.limit
    used = len(limit) if limit[-1] >= 0 else crowds.following[0]
    for l in range(limits.value.shape[1]):  # noqa: E741
        near_rows = near_members(limits, l, row, members, joining)
        near_members(limits, l, left, members, leaving)
        near_rows -= joining[spot]
        joining[spot] = leaving[spot] = 0
        for i in range(len(members)):
            inside[members[i], l] += joining[i] - leaving[i]
        inside[row, l] = 1 + near_rows
        near_members(limits, l, row, crowds.row[:used], joining)
        near_members(limits, l, left, crowds.row[:used], leaving)
        for s in range(used):
            if limit[s] == l:
                rows[s, home] += joining[s] - leaving[s]
    classes.member[home, spot] = row
    classes.group[row], classes.place[row] = home, spot
