"""Rows in groups while a search moves them: who is in which group, and by how many similar rows each group exceeds its limits."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from headgate.core.compiling import inner, loop
from headgate.grouping.nearness import Nearness, similar

NOBODY = np.int64(-1)


class Seats(NamedTuple):
    near: NDArray[np.uint8]  # limits × rows × rows: 1 where two rows are similar
    centre: NDArray[np.bool_]  # limits × rows
    allowed: NDArray[np.int64]  # limits × sizes
    member: NDArray[np.int64]  # groups × places
    size: NDArray[np.int64]  # of each group
    group: NDArray[np.int64]  # of each row
    place: NDArray[np.int64]  # of each row in its group
    inside: NDArray[np.int64]  # limits × rows: similar rows in the row's group, itself included
    over: NDArray[np.int64]  # of each group: similar rows too many, summed over its rows and the limits


@loop
def similar_rows(limits: Nearness, item: NDArray[np.int32]) -> NDArray[np.uint8]:
    """For each limit, which rows are similar."""
    rows, kinds = len(item), limits.value.shape[1]
    near = np.zeros((kinds, rows, rows), dtype=np.uint8)
    for l in range(kinds):  # noqa: E741
        for i in range(rows):
            a = limits.value[item[i], l]
            for j in range(i + 1):
                if similar(limits, l, a, limits.value[item[j], l]):
                    near[l, i, j] = near[l, j, i] = 1
    return near


def centres(limits: Nearness, item: NDArray[np.int32]) -> NDArray[np.bool_]:
    """For each limit, which rows can be harmed."""
    return np.ascontiguousarray(limits.own.centre[limits.of.start + limits.value[item]].T)


def seated(near: NDArray[np.uint8], centre: NDArray[np.bool_], allowed: NDArray[np.int64], groups: NDArray[np.int64], spare: int) -> Seats:
    """`groups`: the group of each row. Each group has room for `spare` rows more than the largest has."""
    kinds, rows = centre.shape
    size = np.bincount(groups).astype(np.int64)
    seats = Seats(
        near,
        centre,
        allowed,
        member=np.zeros((len(size), min(rows, int(size.max()) + spare)), dtype=np.int64),
        size=np.zeros_like(size),
        group=groups.astype(np.int64),
        place=np.zeros(rows, dtype=np.int64),
        inside=np.zeros((kinds, rows), dtype=np.int64),
        over=np.zeros(len(size), dtype=np.int64),
    )
    _seat_all(seats)
    return seats


@loop
def _seat_all(seats: Seats) -> None:
    for row in range(len(seats.group)):
        _sit(seats, row, seats.group[row])
    for g in range(len(seats.size)):
        seats.over[g] = change_over(seats, g, NOBODY, NOBODY, np.int64(2**62))


@inner
def _sit(seats: Seats, row: int, g: int) -> None:
    """The row joins a group; everybody's counts follow."""
    for l in range(len(seats.near)):  # noqa: E741
        own = np.int64(1)
        for i in range(seats.size[g]):
            other = seats.member[g, i]
            own += seats.near[l, row, other]
            seats.inside[l, other] += seats.near[l, row, other]
        seats.inside[l, row] = own
    seats.member[g, seats.size[g]] = row
    seats.group[row], seats.place[row] = g, seats.size[g]
    seats.size[g] += 1


@inner
def _leave(seats: Seats, row: int) -> None:
    g, last = seats.group[row], seats.size[seats.group[row]] - 1
    moved = seats.member[g, last]
    seats.member[g, seats.place[row]] = moved
    seats.place[moved] = seats.place[row]
    seats.size[g] = last
    for l in range(len(seats.near)):  # noqa: E741
        for i in range(last):
            other = seats.member[g, i]
            seats.inside[l, other] -= seats.near[l, row, other]


@inner
def change_over(seats: Seats, g: int, leaving: int, joining: int, most: int) -> int:
    """By how many similar rows a group exceeds its limits once one row has left it and another has joined it (NOBODY: none). Where that is
    above `most`, any number above it."""
    size, total = seats.size[g], np.int64(0)
    size += (np.int64(1) if joining >= 0 else np.int64(0)) - (np.int64(1) if leaving >= 0 else np.int64(0))
    for l in range(len(seats.near)):  # noqa: E741
        cap, own = seats.allowed[l, size], np.int64(1)
        for i in range(seats.size[g]):
            row = seats.member[g, i]
            if row == leaving:
                continue
            near = seats.inside[l, row]
            if leaving >= 0:
                near -= seats.near[l, leaving, row]
            if joining >= 0:
                near += seats.near[l, joining, row]
                own += seats.near[l, joining, row]
            if near > cap and seats.centre[l, row]:
                total += near - cap
                if total > most:
                    return int(total)
        if joining >= 0 and own > cap and seats.centre[l, joining]:
            total += own - cap
    return int(total)


@inner
def move(seats: Seats, row: int, g: int) -> None:
    """The row goes to another group. By how much the two then exceed their limits is for the caller to note."""
    _leave(seats, row)
    _sit(seats, row, g)


@inner
def swap(seats: Seats, row: int, other: int) -> None:
    """Two rows of different groups change places."""
    home, away = seats.group[row], seats.group[other]
    _leave(seats, row)
    _leave(seats, other)
    _sit(seats, row, away)
    _sit(seats, other, home)
