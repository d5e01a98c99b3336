"""A search for groups that keep all limits, whatever they lose: two rows change places, or one moves to another group, drawn by chance.

A step that leaves more similar rows too many is made, too, with a chance that falls while the search cools down (simulated annealing,
Kirkpatrick, Gelatt and Vecchi 1983; for colorings Johnson et al. 1991). Steps are counted, never timed, and chance is drawn from the
seed: the same seed gives the same groups.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from headgate.core.compiling import inner, loop
from headgate.grouping.watch import STOP
from headgate.methods.searching.seats import NOBODY, Seats, change_over, move, swap

MOVING = 0.3  # chance that a row moves alone, where its group is larger than k
CROWDED = 0.5  # chance that the row is one of a group that exceeds a limit
STEP = 12  # what a step costs beside looking at rows, in rows
WORK, RANDOM = 0, 1  # places in `tally`: rows looked at, and a state of chance


class Cooling(NamedTuple):
    """From one temperature to another in so many steps. At temperature t, a step to d more is made with a chance of exp(−d/t)."""

    steps: int
    hot: float
    cold: float


@loop
def resolve(seats: Seats, k: int, cooling: Cooling, tally: NDArray[np.int64], most: int, state: NDArray[np.int64]) -> bool:
    """Whether all limits are kept in the end. `most`: rows that may be looked at, in all."""
    rows, groups = len(seats.group), len(seats.size)
    crowded, place, many = np.empty(groups, dtype=np.int64), np.full(groups, NOBODY), np.zeros(1, dtype=np.int64)
    for g in range(groups):
        _note(seats, crowded, place, many, g)
    heat = cooling.hot
    cooler = (cooling.cold / cooling.hot) ** (1.0 / cooling.steps)
    for _ in range(cooling.steps):
        if many[0] == 0 or tally[WORK] >= most or state[STOP] != 0:
            break
        heat *= cooler
        row = np.int64(chance(tally) * rows)
        if chance(tally) < CROWDED:
            home = crowded[np.int64(chance(tally) * many[0])]
            row = seats.member[home, np.int64(chance(tally) * seats.size[home])]
        other = np.int64(chance(tally) * rows)
        home, away = seats.group[row], seats.group[other]
        if home == away:
            continue
        if seats.size[home] > k and seats.size[away] < seats.member.shape[1] and chance(tally) < MOVING:
            other = NOBODY
        tally[WORK] += STEP + (seats.size[home] + seats.size[away]) * len(seats.near)
        before = seats.over[home] + seats.over[away]
        limit = before + np.int64(min(1e9, -heat * np.log(chance(tally))))
        here = change_over(seats, home, row, other, limit)
        there = change_over(seats, away, other, row, limit - here)
        if here + there > limit:
            continue
        if other < 0:
            move(seats, row, away)
        else:
            swap(seats, row, other)
        seats.over[home], seats.over[away] = here, there
        _note(seats, crowded, place, many, home)
        _note(seats, crowded, place, many, away)
    return bool(many[0] == 0)


@inner
def chance(tally: NDArray[np.int64]) -> float:
    """A number between 0 and 1 (xorshift, Marsaglia 2003)."""
    word = np.uint64(tally[RANDOM])
    word ^= word << np.uint64(13)
    word ^= word >> np.uint64(7)
    word ^= word << np.uint64(17)
    tally[RANDOM] = np.int64(word)
    return (np.float64(word >> np.uint64(12)) + 0.5) / 4503599627370496.0


@inner
def _note(seats: Seats, crowded: NDArray[np.int64], place: NDArray[np.int64], many: NDArray[np.int64], g: int) -> None:
    """Keeps the list of groups that exceed a limit."""
    if seats.over[g] > 0 and place[g] < 0:
        crowded[many[0]], place[g] = g, many[0]
        many[0] += 1
    elif seats.over[g] == 0 and place[g] >= 0:
        many[0] -= 1
        last = crowded[many[0]]
        crowded[place[g]], place[last] = last, place[g]
        place[g] = NOBODY
