"""The heaviest clique among few values, by branch and bound on sets of bits."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from headgate.core.compiling import loop
from headgate.core.distance import DistanceLayout
from headgate.counting.value_boxes import close

FEW = 62  # the most values: their bits fit into one word


@loop
def heaviest_clique(
    layout: DistanceLayout, codes: NDArray[np.int32], weight: NDArray[np.int64], reach: float, least: int, steps: NDArray[np.int64]
) -> NDArray[np.int64]:
    """The places of the values of a clique that is heavier than `least`; empty if there is none, or if the steps do not suffice.

    As in Östergård, `most[i]` bounds every clique of the values from i on, and therefore every search that has reached i."""
    size = len(weight)
    beside = np.zeros(size, np.int64)
    for i in range(size):
        for j in range(size):
            if i != j and close(layout, codes, i, j, reach):
                beside[i] |= np.int64(1) << j
    best, chosen, most = least, np.int64(0), np.zeros(size + 1, np.int64)
    open_, members, weighs = np.zeros(size + 1, np.int64), np.zeros(size + 1, np.int64), np.zeros(size + 1, np.int64)
    for first in range(size - 1, -1, -1):
        depth = 0
        open_[0] = beside[first] & ~((np.int64(1) << (first + 1)) - 1)
        members[0], weighs[0] = np.int64(1) << first, weight[first]
        while depth >= 0 and steps[0] > 0:
            steps[0] -= 1
            if weighs[depth] > best:
                best, chosen = weighs[depth], members[depth]
            rest, nearest = np.int64(0), size
            for i in range(size - 1, -1, -1):
                if open_[depth] >> i & 1:
                    rest += weight[i]
                    nearest = i
            if weighs[depth] + min(rest, most[nearest]) <= best:
                depth -= 1
                continue
            open_[depth] &= ~(np.int64(1) << nearest)
            open_[depth + 1] = open_[depth] & beside[nearest]
            members[depth + 1] = members[depth] | np.int64(1) << nearest
            weighs[depth + 1] = weighs[depth] + weight[nearest]
            depth += 1
        most[first] = min(best, most[first + 1] + weight[first])
    return np.flatnonzero(chosen >> np.arange(size) & 1)
