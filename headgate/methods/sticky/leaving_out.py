"""Who would be above the promise of a series is left out of the new version (DEFINITIONS §11), and what is left is measured again."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from headgate.core.columns import Codes, Table
from headgate.core.errors import InputRejected
from headgate.grouping.watch import Watch
from headgate.methods.method import Method
from headgate.methods.partition import Partition
from headgate.methods.settings import Settings
from headgate.methods.sticky.settling import Settling
from headgate.series.above_promise import above

MORE_ROUNDS = 8  # once too many are left out, to tell how many more it would have to be

Measure = Callable[[Sequence[Codes]], NDArray[np.float64]]


@dataclass(frozen=True, eq=False)
class NewTable:
    """One table of the new version, as `keep_groups` or `anonymize` grouped it."""

    method: Method
    table: Table
    sensitive: Sequence[str]
    settings: Settings
    partition: Partition


@dataclass(frozen=True, eq=False)
class LeftOut:
    """A partition for each table, in which nobody is above the promise. `rows`: who is in none of them."""

    partitions: tuple[Partition, ...]
    rows: NDArray[np.bool_]
    rounds: int


@dataclass(frozen=True)
class TooMany:
    """At least so many rows would have to be suppressed, and no more than `allowed` may be; or nobody would be left."""

    rows: int
    allowed: int
    of: int  # rows of the version


def leave_out(
    tables: Sequence[NewTable], measure: Measure, required: Any, share: Fraction, seed: int, watch: Watch | None = None
) -> LeftOut | TooMany:
    """Leaves out whoever is above the promise, in all tables of the version, until nobody is above it. Groups that then are below k or
    break a limit are united with those near them.

    `measure` takes the groups of all tables, −1 for who is left out, and gives the series linkability of each row's person, as
    `linkability_by_person` does with the published versions and this one. `required` is the largest linkability that is allowed, `share`
    the largest share of rows that may be suppressed in all. The tables have the same rows in the same order."""
    watched = watch or Watch()
    settlings = [Settling.of(new.method, new.table, new.sensitive, new.settings, required, seed, watched) for new in tables]
    rows = len(tables[0].partition.groups)
    if any(len(new.partition.groups) != rows for new in tables):
        raise InputRejected("The tables of a version differ in rows.", "Give a group for every row of the version, −1 for who is left out.")
    groups = [new.partition.groups for new in tables]
    turns = [settling.turns(of) for settling, of in zip(settlings, groups, strict=True)]
    out, allowed, rounds, beyond = np.zeros(rows, dtype=np.bool_), int(share * rows), 0, 0
    while beyond <= MORE_ROUNDS:
        groups, out = _without(settlings, groups, turns, out)
        if out.all():
            break  # of nobody nothing can be measured
        over = out | above(measure(groups), required)
        beyond += int(over.sum()) > allowed
        if (over == out).all():
            break
        out, rounds = over, rounds + 1
    if out.sum() > allowed or out.all():
        return TooMany(int(out.sum()), allowed, rows)
    return LeftOut(tuple(settling.counted(of) for settling, of in zip(settlings, groups, strict=True)), out, rounds)


def _without(
    settlings: Sequence[Settling], groups: Sequence[Codes], turns: Sequence[NDArray[np.int64]], out: NDArray[np.bool_]
) -> tuple[list[Codes], NDArray[np.bool_]]:
    """The groups without who is left out, mended; and who is left out then: who has no place in one table is in no other."""
    while True:
        now = [
            settling.settled(np.where(out, -1, of).astype(np.int32), turn) if (out & (of >= 0)).any() else of
            for settling, of, turn in zip(settlings, groups, turns, strict=True)
        ]
        nowhere = np.logical_or.reduce([of < 0 for of in now])
        if (nowhere == out).all():
            return now, out
        groups, out = now, nowhere
