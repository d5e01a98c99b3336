"""Intersections: what a person's classes in several versions have in common (DEFINITIONS §11).

The intersection over versions V holds each value v min c_i(v) times, i in V, c_i(v) being the rows of value v in the class of version i. V
ranges over every single version, every pair, and all versions of the chain. Computed by distinct chain, so many chains at a time.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from headgate.core.columns import Codes
from headgate.core.compiling import inner, loop
from headgate.counting.class_counts import ClassCounts
from headgate.series.chains import ABSENT

ROOM = 2**22  # entries at a time


@dataclass(frozen=True, eq=False)
class Intersections:
    """Of some chains: each intersection that is not empty, to be read as a class, and the chain it belongs to; `owner` ascends. `empty`:
    chains with two classes, or more, that have nothing in common."""

    counts: ClassCounts
    owner: NDArray[np.int32]
    empty: NDArray[np.int32]


def intersections(chains: Codes, counts: ClassCounts, sensitive: NDArray[np.bool_]) -> Iterator[Intersections]:
    """The intersections of every chain, in the order of the chains. Where one is a single sensitive value, the rest of its chain are left
    out: no figure could be worse."""
    held = (chains != ABSENT).sum(axis=1)
    values = np.where(chains == ABSENT, 0, np.diff(counts.starts)[chains])
    # min(a, b) ≤ (a + b)/2 for a pair; each single version; and all together.
    most = (held - 1) * values.sum(axis=1) // 2 + held + values.sum(axis=1) + values.max(axis=1)
    sets = held + held * (held - 1) // 2 + (held > 2)
    first = 0
    before = np.concatenate([[0], np.cumsum(most)])
    while first < len(chains):
        end = max(first + 1, int(np.searchsorted(before, before[first] + ROOM, side="right")) - 1)
        room, many = int(before[end] - before[first]), int(sets[first:end].sum())
        starts, codes, rows, owner, empty = _intersect(chains[first:end], counts.starts, counts.codes, counts.counts, sensitive, many, room)
        sizes = np.add.reduceat(rows, starts[:-1])
        yield Intersections(ClassCounts(starts, codes, rows, sizes), owner + np.int32(first), empty + np.int32(first))
        first = end


@loop
def _intersect(
    chains: NDArray[np.int32],
    starts: NDArray[np.int64],
    codes: NDArray[np.int32],
    counts: NDArray[np.int64],
    sensitive: NDArray[np.bool_],
    sets: int,
    room: int,
) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int64], NDArray[np.int32], NDArray[np.int32]]:
    out_starts, owner = np.zeros(sets + 1, np.int64), np.empty(sets, np.int32)
    out_codes, out_counts = np.empty(room, np.int32), np.empty(room, np.int64)
    empty, held = np.zeros(len(chains), np.bool_), np.empty(chains.shape[1], np.int32)
    done, end = 0, 0
    for chain in range(len(chains)):
        versions = 0
        for group in chains[chain]:
            if group != ABSENT:
                held[versions] = group
                versions += 1
        worst = False
        for apart in range(versions - (versions < 3), -1, -1):  # all versions, then pairs so far apart, then single versions
            for first in range(1 if apart == versions else versions - apart):
                many, step = -1, 1 if apart == versions else max(apart, 1)
                for i in range(first, versions if apart == versions else first + apart + 1, step):
                    many = keep_shared(starts[held[i]], starts[held[i] + 1], codes, counts, many, end, out_codes, out_counts)
                if many == 0:
                    empty[chain] = True
                    continue
                worst = many == 1 and sensitive[out_codes[end]]
                end += many
                owner[done] = chain
                done += 1
                out_starts[done] = end
                if worst:
                    break
            if worst:
                break
    return out_starts[: done + 1], out_codes[:end], out_counts[:end], owner[:done], np.flatnonzero(empty).astype(np.int32)


@inner
def keep_shared(
    start: int,
    end: int,
    codes: NDArray[np.int32],
    counts: NDArray[np.int64],
    many: int,
    place: int,
    kept: NDArray[np.int32],
    kept_counts: NDArray[np.int64],
) -> int:
    """Of the `many` values that begin at `place`, keeps those that the class has too, as often as both have them; −1 stands for all values:
    the class's own are kept. Returns how many are kept."""
    if many < 0:
        for entry in range(start, end):
            kept[place + entry - start], kept_counts[place + entry - start] = codes[entry], counts[entry]
        return end - start
    left, entry = 0, start
    for i in range(place, place + many):
        while entry < end and codes[entry] < kept[i]:
            entry += 1
        if entry == end:
            break
        if codes[entry] == kept[i]:
            kept[place + left], kept_counts[place + left] = kept[i], min(kept_counts[i], counts[entry])
            left += 1
    return left
