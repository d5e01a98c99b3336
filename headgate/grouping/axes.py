"""Quasi-identifiers as axes along which rows are cut, and what generalizing a group along them loses (DEFINITIONS §4, loss(G)).

An axis puts every row at a whole position; missing cells come last. Three shapes: SPAN (numbers, ordinals: a stretch of a line),
TREE (hierarchies, calendars: the lowest node over the stretch; leaves are laid out so that every node is a stretch) and FLAT
(categories without hierarchy: the number of different values).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from headgate.core.columns import Table, check_quasi
from headgate.core.compiling import Records, empty_records, inner, joined, loop, record, starts_of
from headgate.core.kinds.kind_rules import FLAT as FLAT
from headgate.core.kinds.kind_rules import SPAN as SPAN
from headgate.core.kinds.kind_rules import TREE as TREE

AXIS = record(
    form=np.int64,
    count=np.int64,  # positions; the number after the last stands for a missing cell
    first=np.int64,  # where its positions begin in `at`
    height=np.int64,  # TREE: levels above the leaves
    nodes=np.int64,  # TREE: where its nodes begin in `level`: level × position
)
POSITION = record(
    place=np.float64,  # SPAN: share of the domain at which the position lies
    sign=np.int64,  # FLAT: a random number by which a set of values is known
)
NODE = record(node=np.int64, share=np.float64)  # the node over a position, and the share of the domain under it


class Axes(NamedTuple):
    """All quasi-identifiers of one table."""

    position: NDArray[np.int32]  # rows × axes
    of: Records  # an AXIS each
    at: Records  # a POSITION each, of all axes; one more on each axis for missing cells
    level: Records  # a NODE each


def axes_of(table: Table) -> Axes:
    """One axis a quasi-identifier, in their order."""
    columns = table.select(table.quasi)
    for column in columns:
        check_quasi(column)
    positions, shapes, places, heights, nodes, shares = [], [], [], [], [], []
    for column in columns:
        size = len(column.values)
        rank, place, height = np.arange(size), np.zeros(size + 1), 0
        node: NDArray[Any] = np.empty(0)
        share: NDArray[Any] = np.empty(0)
        shape = column.kind.rules.shape(column)
        if shape == TREE:
            rank, node, share = column.kind.rules.tree(column)
            height = len(node) - 1
        elif shape == SPAN:
            place[:-1] = column.kind.rules.shares_of_line(column)
        positions.append(np.append(rank, size)[column.codes])
        shapes.append(shape)
        places.append(place)
        heights.append(height)
        nodes.append(node.ravel())
        shares.append(share.ravel())
    of = empty_records(len(columns), AXIS)
    of.form, of.count, of.height = shapes, [len(column.values) for column in columns], heights
    of.first, of.nodes = starts_of(places)[:-1], starts_of(nodes)[:-1]
    at, level = empty_records(sum(map(len, places)), POSITION), empty_records(sum(map(len, nodes)), NODE)
    at.place, at.sign = joined(places, np.float64), np.random.default_rng(0).integers(-(2**62), 2**62, len(at))
    level.node, level.share = joined(nodes, np.int64), joined(shares, np.float64)
    position = np.ascontiguousarray(np.stack(positions, axis=1).astype(np.int32)) if columns else np.empty((table.rows, 0), np.int32)
    return Axes(position, of, at, level)


@inner
def stretch_loss(axes: Axes, axis: int, low: int, high: int, different: int) -> float:
    """The loss of one axis in a group that spans low … high. On a FLAT axis, `different` is the number of different values in the group."""
    if low == high:
        return 0.0
    own = axes.of[axis]
    if own.form == FLAT:
        return different / (own.count + 1.0 if high == own.count else float(own.count))
    if high == own.count:  # missing and present together: the whole domain
        return 1.0
    if own.form == SPAN:
        return float(axes.at[own.first + high].place - axes.at[own.first + low].place)
    for level in range(1, own.height):
        base = own.nodes + level * own.count
        if axes.level[base + low].node == axes.level[base + high].node:
            return float(axes.level[base + low].share)
    return 1.0


@inner
def _mixed(key: int, part: int) -> int:
    """One step of splitmix64 (Steele, Lea, Flood). On unsigned words: shifts of signed ones make small negative parts collide."""
    word = (np.uint64(key) ^ (np.uint64(part) * np.uint64(0x9E3779B97F4A7C15))) + np.uint64(0x9E3779B97F4A7C15)
    word = (word ^ (word >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    word = (word ^ (word >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.int64(word ^ (word >> np.uint64(31)))  # type: ignore[return-value]


@inner
def published_key(axes: Axes, rows: NDArray[np.int64], seen: NDArray[np.int64], clock: NDArray[np.int64]) -> tuple[int, float]:
    """A number that says what is published of a group, and its loss(G). Groups that are published with equal quasi-identifiers have equal
    numbers; should two others ever share one of the 2^64, they are measured as one class too, which is the stricter way."""
    key, total = np.int64(1), 0.0
    clock[0] += 1
    now = clock[0]
    for axis in range(len(axes.of)):
        start, flat = axes.of[axis].first, axes.of[axis].form == FLAT
        low = high = np.int64(axes.position[rows[0], axis])
        different, sign = np.int64(0), np.int64(0)
        for row in rows:
            p = np.int64(axes.position[row, axis])
            low, high = min(low, p), max(high, p)
            if flat and seen[start + p] != now:
                seen[start + p] = now
                different += 1
                sign += axes.at[start + p].sign
        total += stretch_loss(axes, axis, low, high, different)
        key = key_with(axes, axis, key, low, high, different, sign)
    return key, total  # type: ignore[return-value]


@inner
def key_with(axes: Axes, axis: int, key: int, low: int, high: int, different: int, sign: int) -> int:
    """The key of what is published on the axes so far, and on this one: of a group that spans low … high there. Where the axis is FLAT,
    `different` counts its values and `sign` sums their signs."""
    own = axes.of[axis]
    one, two = np.int64(low), np.int64(high)
    if own.form == FLAT:
        one, two = np.int64(different), np.int64(sign)
    elif low != high and high == own.count:
        one, two = np.int64(-1), np.int64(-1)
    elif low != high and own.form == TREE:
        one, two = np.int64(-1), np.int64(-1)
        for level in range(1, own.height):
            base = own.nodes + level * own.count
            if axes.level[base + low].node == axes.level[base + high].node:
                one, two = np.int64(-1 - level), np.int64(axes.level[base + low].node)
                break
    return _mixed(_mixed(key, one), two)  # type: ignore[no-any-return]


@loop
def published_keys(axes: Axes, order: NDArray[np.int64], bounds: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Key and loss of every group; group g is order[bounds[g] : bounds[g+1]]."""
    groups = len(bounds) - 1
    keys, losses = np.zeros(groups, dtype=np.int64), np.zeros(groups)
    seen = np.full(len(axes.at) + 1, -1, dtype=np.int64)
    clock = np.zeros(1, dtype=np.int64)
    for g in range(groups):
        keys[g], losses[g] = published_key(axes, order[bounds[g] : bounds[g + 1]], seen, clock)
    return keys, losses
