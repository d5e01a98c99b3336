"""The lattice: one node for every choice of a level for each quasi-identifier, and a table rolled up to a node, in compiled loops."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numba
import numpy as np
from numpy.typing import NDArray

from headgate.core.errors import InputRejected
from headgate.core.levels import Levels

LARGEST_LATTICE = 1_000_000
LARGEST_KEY = 2**62
ROOM = 1024  # a table of all keys may always have as many places


class Lattice(NamedTuple):
    """Flat arrays for the loops; `heights` are the numbers of levels."""

    heights: NDArray[np.int64]
    part: NDArray[np.int32]  # from offset[attribute, level]: the node of each code, missing last
    offset: NDArray[np.int64]
    size: NDArray[np.int64]  # attribute × level: nodes


class Entries(NamedTuple):
    """What is left to tell apart at a node: units with the same nodes and the same sensitive values are one. `unit` is any of them."""

    unit: NDArray[np.int64]
    weight: NDArray[np.int64]


def lattice_of(levels: Sequence[Levels]) -> Lattice:
    nodes = math.prod(len(one) for one in levels)
    if nodes > LARGEST_LATTICE:
        raise InputRejected(
            f"The lattice has {nodes} nodes, more than {LARGEST_LATTICE}.", "Give hierarchies fewer levels, or fewer quasi-identifiers."
        )
    most = max(len(one) for one in levels)
    offset, size = np.zeros((len(levels), most), dtype=np.int64), np.ones((len(levels), most), dtype=np.int64)
    start = 0
    for a, one in enumerate(levels):
        for level in range(len(one)):
            offset[a, level], size[a, level] = start, len(one.texts[level])
            start += one.nodes.shape[1]
    part = np.concatenate([one.nodes.ravel() for one in levels])
    return Lattice(np.array([len(one) for one in levels], dtype=np.int64), part, offset, size)


@numba.njit(cache=True, nogil=True)
def group(
    lattice: Lattice, code: NDArray[np.int32], level: NDArray[np.int64], entries: Entries
) -> tuple[NDArray[np.int32], NDArray[np.int64], NDArray[np.int64]]:
    """The group of each entry at a node, numbered as met; of each group its rows and its first entry.

    A key is the mixed-radix number of the entry's nodes. Where all keys fit into a small table they are its places, else they are hashed;
    where they do not even fit into 62 bits they wrap, and equal keys are compared node by node."""
    part, many, width = lattice.part, len(entries.unit), len(level)
    unit, weight = entries.unit, entries.weight
    attribute, start, stride = np.empty(width, np.int64), np.empty(width, np.int64), np.empty(width, np.int64)
    active, room, span, packed = 0, 1.0, np.int64(1), True
    for a in range(width):
        nodes = lattice.size[a, level[a]]
        if nodes > 1:
            attribute[active], start[active], stride[active] = a, lattice.offset[a, level[a]], span
            active += 1
            room *= nodes
            packed = room < LARGEST_KEY
            span = span * (nodes if packed else nodes | 1)
    keys = np.zeros(many, np.int64)
    for i in range(many):
        key, row = np.int64(0), unit[i]
        for j in range(active):
            key += part[start[j] + code[row, attribute[j]]] * stride[j]
        keys[i] = key
    groups, firsts, sizes, found = np.empty(many, np.int32), np.empty(many, np.int64), np.zeros(many, np.int64), 0
    if room <= 4 * many + ROOM:
        table = np.full(np.int64(room), -1, np.int32)
        for i in range(many):
            number = table[keys[i]]
            if number < 0:
                number = found
                table[keys[i]] = number
                firsts[number] = i
                found += 1
            groups[i] = number
            sizes[number] += weight[i]
        return groups, sizes[:found], firsts[:found]
    bits = 4
    while (1 << bits) < 2 * many:
        bits += 1
    table, mask, shift = np.full(1 << bits, -1, np.int32), (1 << bits) - 1, np.uint64(64 - bits)
    for i in range(many):
        # Knuth, The Art of Computer Programming 3, 6.4
        slot = np.int64((np.uint64(keys[i]) * np.uint64(0x9E3779B97F4A7C15)) >> shift)
        while True:
            number = table[slot]
            if number < 0:
                number = found
                table[slot] = number
                firsts[number] = i
                found += 1
                break
            other = firsts[number]
            if keys[other] == keys[i]:
                same = True
                if not packed:
                    for j in range(active):
                        at = start[j]
                        same = same and part[at + code[unit[other], attribute[j]]] == part[at + code[unit[i], attribute[j]]]
                if same:
                    break
            slot = (slot + 1) & mask
        groups[i] = number
        sizes[number] += weight[i]
    return groups, sizes[:found], firsts[:found]


@numba.njit(cache=True, nogil=True)
def in_groups(
    groups: NDArray[np.int32], many: int, entries: Entries, joint: NDArray[np.int64], kinds: int
) -> tuple[Entries, NDArray[np.int64]]:
    """The entries group by group, those of a group with the same sensitive values made one, and where each group begins."""
    bounds = np.zeros(many + 1, np.int64)
    for number in groups:
        bounds[number + 1] += 1
    for g in range(many):
        bounds[g + 1] += bounds[g]
    free = bounds[:-1].copy()
    order = np.empty(len(groups), np.int64)
    for i in range(len(groups)):
        order[free[groups[i]]] = i
        free[groups[i]] += 1
    unit, weight = np.empty(len(groups), np.int64), np.empty(len(groups), np.int64)
    seen, out = np.full(kinds, -1, np.int64), np.int64(0)
    for g in range(many):
        first, last = bounds[g], bounds[g + 1]
        bounds[g] = out
        for place in range(first, last):
            i = order[place]
            value = joint[entries.unit[i]]
            if seen[value] < bounds[g]:
                seen[value] = out
                unit[out], weight[out] = entries.unit[i], 0
                out += 1
            weight[seen[value]] += entries.weight[i]
    bounds[many] = out
    return Entries(unit[:out].copy(), weight[:out].copy()), bounds
