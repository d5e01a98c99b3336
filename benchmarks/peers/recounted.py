"""One measure for all: what groups lose, counted again from the numbers of the groups alone."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from headgate.grouping.items import Itemized
from headgate.grouping.recount import recount


def loss_of(table: Itemized, groups: NDArray[np.int32], k: int = 1) -> float:
    """NCP, a suppressed row (group −1) counting 1. Groups of fewer than k rows are refused: a loss with a smaller k is no comparison."""
    kept = groups >= 0
    numbered = np.full(len(groups), -1, dtype=np.int32)
    numbered[kept] = np.unique(groups[kept], return_inverse=True)[1]  # without gaps
    counted = recount(table, (), numbered)
    if kept.any() and counted.smallest < k:
        raise ValueError(f"A group has {counted.smallest} rows, and k is {k}.")
    return float((counted.loss * kept.sum() + (~kept).sum()) / len(groups))
