"""Equal keys, whole numbers of any size, found by hashing: open addressing over slots that hold where a key first stands; −1 is free."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from headgate.core.compiling import copied, loop

LARGE = 22  # bits of the number of slots, from which a table of them only doubles: it may be what takes most memory
_GOLDEN = 0x9E3779B97F4A7C15 - 2**64  # 2^64/φ: multiplication by it spreads keys over the high bits (Knuth, vol. 3, §6.4)


@copied
def hashed(key: int, bits: int) -> int:
    return np.int64(np.uint64(key * _GOLDEN) >> np.uint64(64 - bits))  # type: ignore[return-value]


@copied
def slot_of(keys: NDArray[np.int64], slots: NDArray[np.int32], key: int, bits: int) -> int:
    """The slot of a key, or the free slot where it belongs."""
    slot = hashed(key, bits)
    while slots[slot] >= 0 and keys[slots[slot]] != key:
        slot = (slot + 1) & (len(slots) - 1)
    return int(slot)


@loop
def numbered(keys: NDArray[np.int64]) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int64]]:
    """Equal keys get one number, 0, 1, 2 … as they first occur; also the first place of each, and how often it occurs. The table of
    slots grows with the distinct keys, so that a few of them stay in the cache."""
    bits, count = 10, 0
    slots = np.full(1 << bits, -1, np.int32)
    first = np.empty(1 << bits, np.int32)
    place = np.empty(len(keys), np.int32)
    for i in range(len(keys)):
        slot = slot_of(keys, slots, keys[i], bits)
        if slots[slot] >= 0:
            place[i] = place[slots[slot]]
            continue
        slots[slot] = i
        first[count] = i
        place[i] = count
        count += 1
        if 2 * count == len(slots):
            bits += 2 if bits < LARGE else 1
            known = first
            slots = np.full(1 << bits, -1, np.int32)
            first = np.empty(1 << (bits - 1), np.int32)
            for number in range(count):
                first[number] = known[number]
                slots[slot_of(keys, slots, keys[known[number]], bits)] = known[number]
    sizes = np.zeros(count, np.int64)
    for own in place:
        sizes[own] += 1
    return place, first[:count].copy(), sizes
