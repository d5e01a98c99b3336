"""How often each value occurs in each class: what every principle starts from."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from headgate.columns import Codes
from headgate.errors import InputRejected


@dataclass(frozen=True, eq=False)
class ClassCounts:
    """Class c holds `counts[i]` rows of value `codes[i]` for i in starts[c] … starts[c+1]; codes ascend, −1 (missing) first."""

    starts: NDArray[np.int64]
    codes: Codes
    counts: NDArray[np.int64]
    sizes: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.sizes)

    @property
    def owner(self) -> NDArray[np.int64]:
        """The class of each entry."""
        return np.repeat(np.arange(len(self), dtype=np.int64), np.diff(self.starts))

    def largest(self, flags: NDArray[np.bool_] | None = None) -> NDArray[np.int64]:
        """Largest count a class, over the flagged values (the last flag is for missing); 0 where none of them occurs."""
        counts = self.counts if flags is None else np.where(flags[self.codes], self.counts, 0)
        return np.asarray(np.maximum.reduceat(counts, self.starts[:-1]))


def class_counts(codes: Codes, classes: Codes) -> ClassCounts:
    """`classes` numbers the rows' classes 0, 1, 2 … without gaps; suppressed rows have been dropped before."""
    if len(codes) != len(classes):
        raise InputRejected(f"{len(classes)} class numbers for {len(codes)} rows.", "Give one class number a row.")
    sizes = np.bincount(classes).astype(np.int64) if len(classes) and classes.min() >= 0 else np.zeros(1, dtype=np.int64)
    if (sizes == 0).any():
        raise InputRejected("Classes must be numbered 0, 1, 2 … without gaps.", "Number them anew, without the suppressed rows.")
    base = int(codes.max(initial=-1)) + 2
    keys, counts = np.unique(classes.astype(np.int64) * base + codes + 1, return_counts=True)
    starts = np.searchsorted(keys, np.arange(len(sizes) + 1, dtype=np.int64) * base)
    return ClassCounts(starts.astype(np.int64), (keys % base - 1).astype(np.int32), counts.astype(np.int64), sizes)
