"""The largest linkability over any set of versions (beyond DEFINITIONS §11, which looks at single versions, pairs, and all together).

Intersecting more versions can lower linkability, so somebody who has only some of the versions may be more certain than who has them all,
and a new version may lower the figure of all together. Over every set of versions, no new version lowers it. Not all sets have to be tried:
among those that leave value v at least t times, the set of all versions in which v occurs at least t times leaves the fewest other values,
and v no less often. So there is one set to try for each v and each number of times that v occurs.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from headgate.core.columns import Codes
from headgate.core.compiling import inner, loop
from headgate.counting.class_counts import ClassCounts
from headgate.series.chains import ABSENT, entry_of
from headgate.series.intersections import keep_shared

FEW = 3  # versions: singles, pairs and all of them are all sets


def any_linkability(chains: Codes, counts: ClassCounts, sensitive: NDArray[np.bool_], least: NDArray[np.float64]) -> NDArray[np.float64]:
    """By chain, the largest share of a sensitive value in what any set of its versions has in common; `least` is the largest over single
    versions, pairs, and all together."""
    return np.asarray(_any(chains, counts.starts, counts.codes, counts.counts, sensitive, least))


@loop
def _any(
    chains: NDArray[np.int32],
    starts: NDArray[np.int64],
    codes: NDArray[np.int32],
    counts: NDArray[np.int64],
    sensitive: NDArray[np.bool_],
    least: NDArray[np.float64],
) -> NDArray[np.float64]:
    largest, room = least.copy(), 0
    for group in range(len(starts) - 1):
        room = max(room, starts[group + 1] - starts[group])
    held, times = np.empty(chains.shape[1], np.int32), np.empty(chains.shape[1], np.int64)
    kept, kept_counts = np.empty(room, np.int32), np.empty(room, np.int64)
    shared, shared_counts = np.empty(room, np.int32), np.empty(room, np.int64)
    for chain in range(len(chains)):
        versions = 0
        for group in chains[chain]:
            if group != ABSENT:
                held[versions] = group
                versions += 1
        if versions <= FEW or largest[chain] >= 1.0:
            continue
        times[:versions] = 1
        everywhere = _common(held, times, 1, versions, starts, codes, counts, shared, shared_counts)
        remaining = shared_counts[:everywhere].sum()
        for i in range(versions):
            for entry in range(starts[held[i]], starts[held[i] + 1]):
                value, often = codes[entry], counts[entry]
                if not sensitive[value]:
                    continue
                place = entry_of(value, 0, everywhere, shared)
                others = remaining - (shared_counts[place] if place >= 0 else 0)
                if often <= largest[chain] * (often + others):
                    continue  # even if nothing is left but what is in all versions
                for j in range(versions):
                    at = entry_of(value, starts[held[j]], starts[held[j] + 1], codes)
                    times[j] = counts[at] if at >= 0 else 0
                many = _common(held, times, often, versions, starts, codes, counts, kept, kept_counts)
                place = entry_of(value, 0, many, kept)
                largest[chain] = max(largest[chain], kept_counts[place] / kept_counts[:many].sum())
    return largest


@inner
def _common(
    held: NDArray[np.int32],
    times: NDArray[np.int64],
    often: int,
    versions: int,
    starts: NDArray[np.int64],
    codes: NDArray[np.int32],
    counts: NDArray[np.int64],
    kept: NDArray[np.int32],
    kept_counts: NDArray[np.int64],
) -> int:
    """What those versions have in common whose `times` are at least `often`; returns how many values are kept."""
    many = -1
    for i in range(versions):
        if times[i] >= often:
            many = keep_shared(starts[held[i]], starts[held[i] + 1], codes, counts, many, np.int64(0), kept, kept_counts)
    return many
