"""Where a promised δ is out of reach and may be lowered: the largest δ that the method reaches (DEFINITIONS §4), never less unsaid."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from headgate.core.columns import Codes, Table
from headgate.grouping.limits import DISSIMILARITY, NeighbourhoodLimit
from headgate.grouping.recount import main_limit
from headgate.methods.partition import Partition
from headgate.methods.settings import Settings

Group = Callable[[Table, Settings], Partition]
CHEAP = 20_000  # rows times values of δ: up to this all of them are tried


def relax(table: Table, settings: Settings, refused: Partition, group: Group) -> Partition:
    """The partition of the largest δ, down to the floor. A group of s rows has δ = 1 − j/(s−1), so between two such fractions nothing
    changes. Success is not monotone in δ, and groups made for one δ may reach another: what was reached counts, whatever was tried."""
    main = main_limit(settings.limits)
    if main is None or main.delta is None or main.name != DISSIMILARITY:  # what one attribute alone is promised is not relaxed
        return refused
    search = _Search(table, settings, main, group)
    search.see(refused)
    search.down(main.delta)
    if search.best is None:
        return refused
    every = fractions_between(search.reached, main.delta, table.rows - 1, CHEAP // max(table.rows, 1))
    search.each(every) if every is not None else search.halve()
    return replace(search.best, certificate=refused.certificate)


@dataclass
class _Search:
    """`reached` is the δ of `best`, and `above` the smallest δ beyond it that was tried in vain."""

    table: Table
    settings: Settings
    main: NeighbourhoodLimit
    group: Group
    best: Partition | None = None
    reached: Fraction = Fraction(-1)
    above: Fraction = Fraction(1)

    def see(self, partition: Partition) -> bool:
        """Keeps what is better than the best: every other requirement is met, and δ is not below the floor."""
        delta = delta_of(partition, self.main.name, self.settings.k)
        if delta is None or delta < self.settings.infeasible.amount or delta <= self.reached:
            return False
        at = float(delta)
        self.best = replace(partition, reached=True, broken=(), rows_over=0, delta_reached=at, delta_asked=at)
        self.reached = delta
        return True

    def attempt(self, delta: Fraction) -> bool:
        limits = tuple(limit.with_delta(delta) if limit is self.main else limit for limit in self.settings.limits)
        return self.see(self.group(self.table, replace(self.settings, limits=limits))) and self.reached >= delta

    def down(self, asked: Fraction) -> None:
        """Until something is reached: the values of δ at which a group of k may have one more similar row."""
        self.above = asked
        for delta in falling_deltas(asked, self.settings.infeasible.amount, self.settings.k):
            if self.reached >= delta or self.attempt(delta):
                return
            self.above = delta

    def each(self, falling: tuple[Fraction, ...]) -> None:
        for delta in falling:
            if delta <= self.reached or self.attempt(delta):
                return

    def halve(self) -> None:
        """Between what was reached and what was not, until no group of a size that occurs has a δ in between."""
        while (delta := self._between()) is not None:
            if not self.attempt(delta):
                self.above = delta

    def _between(self) -> Fraction | None:
        groups: Codes = np.zeros(0, dtype=np.int32) if self.best is None else self.best.groups
        largest = max(int(np.bincount(groups[groups >= 0]).max(initial=0)), 2 * self.settings.k) - 1
        middle = ((self.reached + self.above) / 2).limit_denominator(largest)
        if self.reached < middle < self.above:
            return middle
        simplest = simplest_between(self.reached, self.above)
        return simplest if simplest is not None and simplest.denominator <= largest else None


def delta_of(partition: Partition, main: str, k: int) -> Fraction | None:
    """The δ that its groups have, if δ is all that they may lack."""
    if partition.risk is None or partition.smallest < k or not partition.count or set(partition.broken) - {main}:
        return None
    return 1 - Fraction(partition.risk).limit_denominator(max(len(partition.groups), 1))


def falling_deltas(delta: Fraction, floor: Fraction, k: int) -> tuple[Fraction, ...]:
    """The values of δ below the required one at which a group of k may have one more similar row, and the floor itself."""
    steps = [1 - Fraction(j, k - 1) for j in range(k)] if k > 1 else []
    return tuple(sorted({step for step in [*steps, floor] if floor <= step < delta}, reverse=True))


def fractions_between(low: Fraction, high: Fraction, largest: int, most: int) -> tuple[Fraction, ...] | None:
    """All fractions between two numbers with denominators up to the largest, falling; None if there are more than `most`."""
    found: set[Fraction] = set()
    for denominator in range(1, largest + 1):
        first, last = math.floor(low * denominator) + 1, math.ceil(high * denominator) - 1
        found.update(Fraction(number, denominator) for number in range(first, last + 1))
        if len(found) > most:
            return None
    return tuple(sorted(found, reverse=True))


def simplest_between(low: Fraction, high: Fraction) -> Fraction | None:
    """The fraction with the smallest denominator strictly between two numbers from 0 up."""
    if low >= high:
        return None
    whole = math.floor(low) + 1
    if whole < high:
        return Fraction(whole)
    rest, base = low - (whole - 1), whole - 1
    if rest == 0:  # between a whole number and the next: 1/n with the smallest n
        return base + Fraction(1, math.floor(1 / (high - base)) + 1)
    inner = simplest_between(1 / (high - base), 1 / rest)
    return None if inner is None else base + 1 / inner
