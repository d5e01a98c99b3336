"""A number for each of many texts, the same for equal texts: whether any two of millions are equal shows without a table of them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from headgate.core.compiling import loop

START, PRIME = np.uint64(0xCBF29CE484222325), np.uint64(0x100000001B3)  # FNV-1a, 64 bits
SHIFT, MIX = np.uint64(32), np.uint64(0xD6E8FEB86659FD93)


@loop
def text_hashes(ends: NDArray[np.int32], letters: NDArray[np.uint8]) -> NDArray[np.uint64]:
    """Text i is `letters[ends[i]:ends[i + 1]]`."""
    hashes = np.empty(len(ends) - 1, np.uint64)
    for i in range(len(hashes)):
        value = START
        for place in range(ends[i], ends[i + 1]):
            value = (value ^ np.uint64(letters[place])) * PRIME
        value = (value ^ (value >> SHIFT)) * MIX  # so that the high bits, too, depend on the last letter
        hashes[i] = value ^ (value >> SHIFT)
    return hashes
