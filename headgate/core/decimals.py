"""Numbers as whole multiples of a power of ten, so that their differences are those of the decimals that were written.

10000000.3 − 10000000.2 is 0.1. As doubles both have lost digits, and they differ by 0.1000000015. Differences of whole numbers lose
nothing.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

LARGEST = 2.0**52  # the difference of two whole numbers up to this is exact, whatever their signs
PLACES = 12  # decimals after the point; more of them are noise, far below the tolerance of any comparison


def in_units(numbers: NDArray[np.float64]) -> tuple[NDArray[np.float64], float]:
    """The numbers in units, and how many units make 1. If the decimals have too many digits, they stay as they are, in units of 1."""
    largest = float(np.abs(numbers).max(initial=0.0))
    for places in range(PLACES + 1):
        size = 10.0**places
        if not largest * size <= LARGEST:
            break
        units = np.rint(numbers * size)
        if (units / size == numbers).all():
            return units, size
    return numbers, 1.0
