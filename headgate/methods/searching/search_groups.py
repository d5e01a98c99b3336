"""Groups that keep all limits, where groups of near people did not come out: a search from several beginnings.

The search looks at groups alone. Groups that are published alike must keep the limits together, too. Where they do not, people change
places with others, so that groups are published otherwise, and the search goes on; if that does not help, those groups become one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from headgate.core.columns import Codes
from headgate.grouping.axes import published_keys
from headgate.grouping.items import Itemized
from headgate.grouping.watch import STOP
from headgate.methods.searching.annealing import RANDOM, STEP, WORK, Cooling, resolve
from headgate.methods.searching.narrowing import narrow
from headgate.methods.searching.seats import Seats, centres, seated, similar_rows

MOST_FLAGS = 100_000_000  # rows × rows × limits: 100 MB
MOST_WORK = 52_000_000  # rows looked at from all beginnings together: less than a second
USUAL = 250  # rows of a table; in more rows each look takes longer
BEGINNINGS = 100
HOT, COLD = 1.0, 0.15  # temperatures between which everything is decided
WARM = 0.3  # for groups that are nearly good
SLOWER = (30_000, 200_000, 2_500_000)  # steps from the first three beginnings, the next three, and all others
LEAST_STEPS = 40  # for each row
FAR_OFF = 4  # groups so many times larger than k on average are no beginning
SPARE = 3  # groups may grow by this many times k
KICKS, UNIONS = 10, 10  # rounds in which groups that are published alike are made different; then, are united
STAGES, TRIES_PER_ROW, MOST_TRIES = 5, 2_000, 1_000_000  # of exchanges that lose less


def search_groups(
    itemized: Itemized, k: int, begun: Codes, sizes: Sequence[int], ways: int | None, seed: int, state: NDArray[np.int64]
) -> Codes | None:
    """Groups that keep all limits, in both readings; None if none were found. `begun` is the first beginning; others have groups of some of
    the `sizes`, or of other ones. `ways`: in no more ways can the quasi-identifiers be published."""
    rows, kinds = len(itemized.item), len(itemized.items.limits.of)
    if kinds == 0 or rows * rows * kinds > MOST_FLAGS:
        return None
    order = np.lexsort((begun, itemized.item))  # what is drawn must not depend on the order in which the rows came
    look = _Look.at(replace(itemized, item=itemized.item[order]), k, seed)
    for groups, steps, heat in _beginnings(look, begun[order], sizes, ways):
        found = look.from_here(groups, steps, heat, state)
        if found is not None:
            of_rows = np.empty(rows, dtype=np.int32)
            of_rows[order] = look.narrowed(found, state)
            return of_rows
        if look.tally[WORK] >= look.most or state[STOP]:
            break
    return None


@dataclass(frozen=True, eq=False)
class _Look:
    itemized: Itemized
    k: int
    near: NDArray[np.uint8]
    centre: NDArray[np.bool_]
    cell: NDArray[np.int64]  # of each row
    tally: NDArray[np.int64]
    draw: np.random.Generator

    @classmethod
    def at(cls, itemized: Itemized, k: int, seed: int) -> _Look:
        items, item, draw = itemized.items, itemized.item, np.random.default_rng([seed, len(itemized.item)])
        tally = np.zeros(2, dtype=np.int64)
        tally[RANDOM] = draw.integers(1, 2**62)
        cell = items.item.cell[item].astype(np.int64)
        return cls(itemized, k, similar_rows(items.limits, item), centres(items.limits, item), cell, tally, draw)

    def from_here(self, groups: NDArray[np.int64], steps: int, heat: float, state: NDArray[np.int64]) -> NDArray[np.int64] | None:
        for turn in range(KICKS + UNIONS):
            seats = self.seats(groups)
            cooling = Cooling(self.affordable(steps, len(seats.size)), heat, COLD)
            if not resolve(seats, self.k, cooling, self.tally, self.most, state):
                return None
            twins = self.twins(seats.group)
            if not twins:
                return seats.group
            groups = self.kicked(seats.group, twins) if turn < KICKS else united(seats.group, twins)
            steps, heat = SLOWER[0], WARM
        return None

    @property
    def most(self) -> int:
        return int(MOST_WORK * min(1.0, USUAL / len(self.cell)))

    def affordable(self, steps: int, groups: int) -> int:
        """So many steps, or more if there are many rows; but no more than what may still be looked at: a search must come to cool down."""
        rows = len(self.cell)
        each = STEP + 2 * rows * len(self.near) / groups
        return int(max(1, min(max(steps, LEAST_STEPS * rows), (self.most - self.tally[WORK]) / each)))

    def narrowed(self, groups: NDArray[np.int64], state: NDArray[np.int64]) -> NDArray[np.int64]:
        """The same with less loss, in stages: the last one after which groups that are published alike still keep the limits together."""
        tries = min(MOST_TRIES, TRIES_PER_ROW * len(groups)) // STAGES
        for _ in range(STAGES):
            seats = self.seats(groups)
            narrow(seats, self.itemized.items.axes, self.cell, self.k, tries, self.tally, state)
            if self.twins(seats.group):
                break
            groups = seats.group
        return groups

    def seats(self, groups: NDArray[np.int64]) -> Seats:
        return seated(self.near, self.centre, self.itemized.items.limits.allowed, groups, SPARE * self.k)

    def twins(self, groups: NDArray[np.int64]) -> list[NDArray[np.int64]]:
        """Groups that are published alike and do not keep the limits together."""
        order = np.argsort(groups, kind="stable")
        bounds = np.concatenate([[0], np.cumsum(np.bincount(groups))]).astype(np.int64)
        keys, _ = published_keys(self.itemized.items.axes, self.cell[order], bounds)
        _, of, many = np.unique(keys, return_inverse=True, return_counts=True)
        classes = [np.flatnonzero(of == one) for one in np.flatnonzero(many > 1)]
        return [alike for alike in classes if not self.keep(np.flatnonzero(np.isin(groups, alike)))]

    def keep(self, rows: NDArray[np.int64]) -> bool:
        """Whether these rows keep the limits as one group."""
        allowed = self.itemized.items.limits.allowed[:, len(rows)]
        near = self.near[np.ix_(np.arange(len(allowed)), rows, rows)].sum(axis=2, dtype=np.int64)
        return not ((near > allowed[:, None]) & self.centre[:, rows]).any()

    def kicked(self, groups: NDArray[np.int64], twins: list[NDArray[np.int64]]) -> NDArray[np.int64]:
        """Somebody of all but one of the groups that are published alike changes places with somebody of another group."""
        groups = groups.copy()
        for group in [group for alike in twins for group in alike[1:]]:
            if len(inside := np.flatnonzero(groups == group)) < len(groups):
                one, two = self.draw.choice(inside), self.draw.choice(np.flatnonzero(groups != group))
                groups[one], groups[two] = groups[two], groups[one]
        return groups


def united(groups: NDArray[np.int64], twins: list[NDArray[np.int64]]) -> NDArray[np.int64]:
    """Groups that are published alike as one; numbered without gaps."""
    groups = groups.copy()
    for alike in twins:
        groups[np.isin(groups, alike)] = alike[0]
    return np.unique(groups, return_inverse=True)[1].astype(np.int64)


def _beginnings(look: _Look, begun: Codes, sizes: Sequence[int], ways: int | None) -> Iterator[tuple[NDArray[np.int64], int, float]]:
    """Groups to begin with, steps, and a temperature."""
    rows, k = len(begun), look.k
    grouped = np.bincount(begun)
    if grouped.min() >= k and len(grouped) * FAR_OFF * k >= rows:
        yield begun.astype(np.int64), SLOWER[0], WARM
    most = min(rows // k, rows if ways is None else ways)
    least = min(most, max(1, rows // (2 * k - 1)))
    usual = list(dict.fromkeys(min(most, rows // size) for size in sizes))
    for number in range(BEGINNINGS):
        turn = number % (len(usual) + 1)
        count = usual[turn] if turn < len(usual) else int(look.draw.integers(least, most + 1))
        yield _dealt(look, count), SLOWER[min(number // (len(usual) + 1), len(SLOWER) - 1)], HOT


def _dealt(look: _Look, count: int) -> NDArray[np.int64]:
    """Rows by falling number of similar ones, equal ones by chance, dealt to the groups in turn."""
    degree = look.near.sum(axis=(0, 2), dtype=np.int64)
    order = np.lexsort((look.draw.random(len(degree)), -degree))
    groups = np.empty(len(degree), dtype=np.int64)
    groups[order] = np.arange(len(degree)) % count
    return groups
