"""Who lives together, as numbers: the texts of a household column are the key to people, and end here."""

from __future__ import annotations

import numpy as np

from headgate.core.columns import Codes, Column, Kind


def household_column(name: str, codes: Codes) -> Column:
    """`codes` number the households, −1 where it is not known: such a row is a household of its own."""
    numbered = codes.astype(np.int32, copy=True)
    missing = np.flatnonzero(numbered < 0)
    numbered[missing] = int(numbered.max(initial=-1)) + 1 + np.arange(len(missing), dtype=np.int32)
    numbers = np.arange(int(numbered.max(initial=-1)) + 1)
    return Column(name, Kind.INTEGER, numbered, numbers, np.ones(len(numbers) + 1, dtype=bool), (0.0, float(max(len(numbers) - 1, 0))))
