"""Every partition of a small table, and the one that loses least (DEFINITIONS §4: what is feasible is found).

A part of the table is so many rows of each item, written as one number (mixed radix). For each part it is known whether it is a group that
keeps all limits; the least loss of a part follows from that of smaller ones. Rows that nothing tells apart are counted, so tables of
many equal rows are small, too.

Groups that are published alike are one class. That class keeps the limits by itself, and is published like its groups, so it may as well
be one group: only partitions into groups of different forms are looked at. Where the least loss has two of one form, the partitions are
gone through one by one, those that cannot lose less left out.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from headgate.core.columns import Codes
from headgate.core.compiling import inner, loop, making
from headgate.grouping.axes import Axes, published_key
from headgate.grouping.items import Itemized, Items, groups_of_rows
from headgate.grouping.nearness import Nearness, similar

MOST_PARTS = 60_000  # of a table: how many there are of as many rows or fewer of each item
MOST_PAIRS = 5_000_000  # of a part and a part of it: 14 different rows, a twentieth of a second
MOST_STEPS = 20_000_000  # where partitions are gone through one by one
NEVER = np.inf


class Parts(NamedTuple):
    """All parts of a table. Part p has p // stride[i] % (rows[i] + 1) rows of item i."""

    rows: NDArray[np.int64]  # of each item, in the whole table
    stride: NDArray[np.int64]
    loss: NDArray[np.float64]  # of each part as one group, times its rows; NEVER if it may not be one
    key: NDArray[np.int64]  # what is published of it
    least: NDArray[np.float64]  # of all ways to group it, forms aside; NEVER if there is none


def every_part(items: Items, k: int) -> Parts | None:
    """None if the table is too large to look at every part."""
    count = items.rows.astype(np.int64)
    sizes = count.astype(float) + 1
    if np.log(sizes).sum() > np.log(MOST_PARTS) or (sizes * (sizes + 1) / 2).prod() > MOST_PAIRS:
        return None
    stride = np.concatenate([[1], np.cumprod(count + 1)[:-1]]).astype(np.int64)
    cell = items.item.cell.astype(np.int64)
    loss, key = _groups(items.axes, items.limits, cell, count, stride, k)
    return Parts(count, stride, loss, key, _least_losses(count, stride, loss))


def least_lossy(itemized: Itemized, parts: Parts) -> Codes | None:
    """The groups of all rows that lose least; None if no partition keeps the limits."""
    whole = int((parts.rows * parts.stride).sum())
    chosen = _by_least(parts, whole)
    if len(chosen) and len(set(parts.key[chosen].tolist())) < len(chosen):
        chosen = _one_by_one(parts, whole)
    return None if len(chosen) == 0 else _groups_of_rows(itemized, parts, chosen)


def largest_parts(itemized: Itemized, parts: Parts, order: NDArray[np.int64], most: int) -> Iterator[NDArray[np.int64]]:
    """The rows of parts that can be grouped (but for groups that are published alike), those with the most rows first, of these the ones
    that lose least. No more than `most` rows are left out. Of rows that nothing tells apart, the first in `order` stay."""
    item = itemized.item
    rows = np.arange(len(parts.least))[:, None] // parts.stride % (parts.rows + 1)
    left_out = len(item) - rows.sum(axis=1)
    possible = np.flatnonzero((parts.least < NEVER) & (left_out <= most) & (left_out < len(item)))
    by_item = np.lexsort((order, item))
    place = np.arange(len(item)) - np.searchsorted(item[by_item], item[by_item])
    for part in possible[np.lexsort((parts.least[possible], left_out[possible]))]:
        yield np.sort(by_item[place < rows[part][item[by_item]]])


def _groups_of_rows(itemized: Itemized, parts: Parts, chosen: NDArray[np.int64]) -> Codes:
    rows = chosen[None, :] // parts.stride[:, None] % (parts.rows[:, None] + 1)
    start = np.arange(len(parts.rows), dtype=np.int64) * len(chosen)
    group = np.tile(np.arange(len(chosen), dtype=np.int64), len(parts.rows))
    return np.asarray(groups_of_rows(itemized.item, start, group, rows.ravel()))


@loop
def _groups(
    axes: Axes, limits: Nearness, cell: NDArray[np.int64], count: NDArray[np.int64], stride: NDArray[np.int64], k: int
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """The loss and the key of each part that is a group."""
    many, kinds = len(count), limits.value.shape[1]
    parts = stride[-1] * (count[-1] + 1)
    loss, key = np.full(parts, NEVER), np.zeros(parts, dtype=np.int64)
    near = np.zeros((kinds, many, many), dtype=np.int64)
    for l in range(kinds):  # noqa: E741
        for i in range(many):
            for j in range(many):
                near[l, i, j] = similar(limits, l, limits.value[i, l], limits.value[j, l])
    rows, cells = np.zeros(many, dtype=np.int64), np.empty(many, dtype=np.int64)
    seen, clock = np.full(len(axes.at) + 1, -1, dtype=np.int64), np.zeros(1, dtype=np.int64)
    for part in range(1, parts):
        size, different = 0, 0
        for i in range(many):
            rows[i] = part // stride[i] % (count[i] + 1)
            size += rows[i]
            if rows[i] > 0:
                cells[different] = cell[i]
                different += 1
        if size >= k and _keeps_all(limits, near, rows, size):
            key[part], lost = published_key(axes, cells[:different], seen, clock)
            loss[part] = size * lost
    return loss, key


@inner
def _keeps_all(limits: Nearness, near: NDArray[np.int64], rows: NDArray[np.int64], size: int) -> bool:
    for l in range(len(near)):  # noqa: E741
        for i in range(len(rows)):
            if rows[i] > 0 and limits.own[limits.of[l].start + limits.value[i, l]].centre:
                total = 0
                for j in range(len(rows)):
                    total += near[l, i, j] * rows[j]
                if total > limits.allowed[l, size]:
                    return False
    return True


@loop
def _least_losses(count: NDArray[np.int64], stride: NDArray[np.int64], loss: NDArray[np.float64]) -> NDArray[np.float64]:
    """Of each part, the least loss of its groupings: one group holds a row of its first item, and the rest is a smaller part."""
    least = np.full(len(loss), NEVER)
    least[0] = 0.0
    have, taken = np.zeros(len(count), dtype=np.int64), np.zeros(len(count), dtype=np.int64)
    for part in range(1, len(loss)):
        first = _begin(count, stride, part, have, taken)
        group = stride[first]
        while group > 0:
            if loss[group] + least[part - group] < least[part]:
                least[part] = loss[group] + least[part - group]
            group = _next(stride, have, taken, first, group)
    return least


@inner
def _begin(count: NDArray[np.int64], stride: NDArray[np.int64], part: int, have: NDArray[np.int64], taken: NDArray[np.int64]) -> int:
    """Writes down the rows of a part, and the first group to be looked at: one row of its first item, which is returned."""
    first = -1
    for i in range(len(count)):
        have[i] = part // stride[i] % (count[i] + 1)
        taken[i] = 0
        if first < 0 and have[i] > 0:
            first = i
    taken[first] = 1
    return first


@inner
def _next(stride: NDArray[np.int64], have: NDArray[np.int64], taken: NDArray[np.int64], first: int, group: int) -> int:
    """The next group of a part that has a row of its first item; 0 after the last."""
    for i in range(first, len(have)):
        if taken[i] < have[i]:
            taken[i] += 1
            return group + stride[i]  # type: ignore[no-any-return]
        back = taken[i] - (1 if i == first else 0)
        group -= back * stride[i]
        taken[i] -= back
    return 0


@loop
def _by_least(parts: Parts, whole: int) -> NDArray[np.int64]:
    """Groups of the whole that lose least, forms aside; none if there are none."""
    have, taken = np.zeros(len(parts.rows), dtype=np.int64), np.zeros(len(parts.rows), dtype=np.int64)
    chosen, many, left = np.zeros(parts.rows.sum(), dtype=np.int64), 0, whole
    while left > 0 and parts.least[left] < NEVER:
        first = _begin(parts.rows, parts.stride, left, have, taken)
        group = parts.stride[first]
        while parts.loss[group] + parts.least[left - group] > parts.least[left]:
            group = _next(parts.stride, have, taken, first, group)
        chosen[many] = group
        many += 1
        left -= group
    return chosen[:many]


@making
def _may_follow(parts: Parts, chosen: NDArray[np.int64], depth: int, group: int) -> bool:
    """Whether no group chosen before is published like this one."""
    if parts.loss[group] == NEVER:
        return False
    for i in range(depth):  # noqa: SIM110 - compiled
        if parts.key[chosen[i]] == parts.key[group]:
            return False
    return True


@loop
def _one_by_one(parts: Parts, whole: int) -> NDArray[np.int64]:
    """Groups of different forms that lose least; none if there are none, or none was found in time."""
    many, deepest = len(parts.rows), int(parts.rows.sum()) + 1
    have, taken = np.zeros((deepest, many), dtype=np.int64), np.zeros((deepest, many), dtype=np.int64)
    first, group = np.zeros(deepest, dtype=np.int64), np.zeros(deepest, dtype=np.int64)
    left, lost = np.zeros(deepest, dtype=np.int64), np.zeros(deepest)
    best, least, chosen = NEVER, np.zeros(0, dtype=np.int64), np.zeros(deepest, dtype=np.int64)
    depth, steps = 0, 0
    left[0] = whole
    first[0] = _begin(parts.rows, parts.stride, whole, have[0], taken[0])
    group[0] = parts.stride[first[0]]
    while depth >= 0 and steps < MOST_STEPS:
        steps += 1
        own = group[depth]
        if own == 0:
            depth -= 1
            continue
        group[depth] = _next(parts.stride, have[depth], taken[depth], first[depth], own)
        rest = left[depth] - own
        loses = lost[depth] + parts.loss[own]
        if loses + parts.least[rest] >= best or not _may_follow(parts, chosen, depth, own):
            continue
        chosen[depth] = own
        if rest == 0:
            best, least = loses, chosen[: depth + 1].copy()
            continue
        depth += 1
        left[depth], lost[depth] = rest, loses
        first[depth] = _begin(parts.rows, parts.stride, rest, have[depth], taken[depth])
        group[depth] = parts.stride[first[depth]]
    return least
