"""The lattice: one node for every choice of a level for each quasi-identifier, and a table rolled up to a node, in compiled loops."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from headgate.core.compiling import inner, loop, making
from headgate.core.errors import InputRejected
from headgate.core.hashing import hashed
from headgate.core.published_form.levels import Levels

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
    """What can be distinguished at a node: units with the same nodes and the same sensitive values form one entry. `unit` is any of
    them."""

    unit: NDArray[np.int64]
    weight: NDArray[np.int64]


def lattice_of(levels: Sequence[Levels]) -> Lattice:
    nodes = math.prod(len(column) for column in levels)
    if nodes > LARGEST_LATTICE:
        raise InputRejected(
            f"The lattice has {nodes} nodes, more than {LARGEST_LATTICE}.", "Give hierarchies fewer levels, or fewer quasi-identifiers."
        )
    most = max(len(column) for column in levels)
    offset, size = np.zeros((len(levels), most), dtype=np.int64), np.ones((len(levels), most), dtype=np.int64)
    start = 0
    for a, column in enumerate(levels):
        for level in range(len(column)):
            offset[a, level], size[a, level] = start, len(column.texts[level])
            start += column.nodes.shape[1]
    part = np.concatenate([column.nodes.ravel() for column in levels])
    return Lattice(np.array([len(column) for column in levels], dtype=np.int64), part, offset, size)


class Active(NamedTuple):
    """The quasi-identifiers that have several nodes at a level, and how a key is made of them: the mixed-radix number of its nodes."""

    attribute: NDArray[np.int64]
    start: NDArray[np.int64]  # in `part`
    stride: NDArray[np.int64]
    keys: float  # how many there can be


@loop
def group(
    lattice: Lattice, code: NDArray[np.int32], level: NDArray[np.int64], entries: Entries
) -> tuple[NDArray[np.int32], NDArray[np.int64], NDArray[np.int64]]:
    """The group of each entry at a node, numbered as met; of each group its rows and its first entry.

    Where all keys fit into a small table they are its places, else they are hashed; where they do not even fit into 62 bits they wrap, and
    equal keys are compared node by node."""
    active = _active(lattice, level)
    keys = _keys(lattice.part, code, active, entries.unit)
    if active.keys <= 4 * len(keys) + ROOM:
        groups, firsts = _placed(keys, np.int64(active.keys))
    else:
        groups, firsts = _hashed(lattice.part, code, active, entries.unit, keys)
    sizes = np.zeros(len(firsts), np.int64)
    for i in range(len(groups)):
        sizes[groups[i]] += entries.weight[i]
    return groups, sizes, firsts


@making
def _active(lattice: Lattice, level: NDArray[np.int64]) -> Active:
    width = len(level)
    attribute, start, stride = np.empty(width, np.int64), np.empty(width, np.int64), np.empty(width, np.int64)
    count, keys, span = 0, 1.0, np.int64(1)
    for a in range(width):
        nodes = lattice.size[a, level[a]]
        if nodes > 1:
            attribute[count], start[count], stride[count] = a, lattice.offset[a, level[a]], span
            count += 1
            keys *= nodes
            span = span * (nodes if keys < LARGEST_KEY else nodes | 1)
    return Active(attribute[:count], start[:count], stride[:count], keys)


@making
def _keys(part: NDArray[np.int32], code: NDArray[np.int32], active: Active, unit: NDArray[np.int64]) -> NDArray[np.int64]:
    keys = np.zeros(len(unit), np.int64)
    for i in range(len(unit)):
        key, row = np.int64(0), unit[i]
        for j in range(len(active.attribute)):
            key += part[active.start[j] + code[row, active.attribute[j]]] * active.stride[j]
        keys[i] = key
    return keys


@making
def _placed(keys: NDArray[np.int64], room: int) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    groups, firsts, count = np.empty(len(keys), np.int32), np.empty(len(keys), np.int64), 0
    table = np.full(room, -1, np.int32)
    for i in range(len(keys)):
        number = table[keys[i]]
        if number < 0:
            number = count
            table[keys[i]] = number
            firsts[number] = i
            count += 1
        groups[i] = number
    return groups, firsts[:count]


@making
def _hashed(
    part: NDArray[np.int32], code: NDArray[np.int32], active: Active, unit: NDArray[np.int64], keys: NDArray[np.int64]
) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    groups, firsts, count = np.empty(len(keys), np.int32), np.empty(len(keys), np.int64), 0
    packed, bits = active.keys < LARGEST_KEY, 4
    while (1 << bits) < 2 * len(keys):
        bits += 1
    table, mask = np.full(1 << bits, -1, np.int32), (1 << bits) - 1
    for i in range(len(keys)):
        slot = hashed(keys[i], bits)
        while True:
            number = table[slot]
            if number < 0:
                number = count
                table[slot] = number
                firsts[number] = i
                count += 1
                break
            other = firsts[number]
            if keys[other] == keys[i] and (packed or _same_nodes(part, code, active, unit[other], unit[i])):
                break
            slot = (slot + 1) & mask
        groups[i] = number
    return groups, firsts[:count]


@inner
def _same_nodes(part: NDArray[np.int32], code: NDArray[np.int32], active: Active, row: int, other: int) -> bool:
    for j in range(len(active.attribute)):
        a, start = active.attribute[j], active.start[j]
        if part[start + code[row, a]] != part[start + code[other, a]]:
            return False
    return True


@loop
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
