"""Sets as bits, 64 to a word."""

from __future__ import annotations

import numpy as np

from headgate.core.compiling import loop


@loop
def population(x: np.uint64) -> np.uint64:
    """The number of bits that are set, by halving."""
    x = x - ((x >> np.uint64(1)) & np.uint64(0x5555555555555555))
    x = (x & np.uint64(0x3333333333333333)) + ((x >> np.uint64(2)) & np.uint64(0x3333333333333333))
    x = (x + (x >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return (x * np.uint64(0x0101010101010101)) >> np.uint64(56)


@loop
def lowest(word: int) -> int:
    """The place of the lowest bit that is set; at least one bit must be set."""
    place = 0
    while not word >> place & 1:
        place += 1
    return place
