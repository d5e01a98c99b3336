"""Two other ways to keep a series safe, against which `sticky` is measured by `benchmarks.series_sticky`.

- `keep_buckets`: m-invariance's idea without invented people. A bucket is a set of values; a person stays in one, and all groups of a
  bucket hold each of its values. Inside a bucket, people are grouped anew by quasi-identifiers in each version.
- `hold_regions`: the first version's cuts stay where they are, at least k0 people to a region, and whoever falls into a region is in its
  group. A region is cut again once it has doubled.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from benchmarks.sticky_world import SEED, SHARE, Groups, K, NewVersion, Way, World


def bits(values: NDArray[np.int32]) -> NDArray[np.int64]:
    return np.left_shift(np.int64(1), values.astype(np.int64))


def cut(
    world: World, people: NDArray[np.int64], rows: NDArray[np.int64], fine: Callable[[NDArray[np.int64]], bool]
) -> list[NDArray[np.int64]]:
    """Median cuts as long as both sides are fine."""
    where = world.place[people[rows]]
    for axis in np.argsort(-np.ptp(where, axis=0), kind="stable"):
        line = where[:, axis]
        for at in (np.median(line), np.nextafter(np.median(line), -1)):
            left, right = rows[line <= at], rows[line > at]
            if len(left) >= K and len(right) >= K and fine(left) and fine(right):
                return cut(world, people, left, fine) + cut(world, people, right, fine)
    return [rows]


def keep_buckets(common: int) -> Way:
    """The most frequent values are in every bucket; each other value has a bucket of its own, with these."""
    bucket_of: dict[int, int] = {}

    def way(new: NewVersion) -> Groups:
        world, past, people = new.world, new.past, new.people
        values = new.own[people]
        if not past.versions:
            bucket_of.clear()
        frequent = np.argsort(-np.bincount(world.own[0][world.there[0]], minlength=len(world.table[world.name].values)))
        base = frequent[:common]
        rare = [int(value) for value in frequent[common:]]
        coming = [i for i, person in enumerate(people.tolist()) if person not in bucket_of]
        sizes = {value: int(np.count_nonzero(values == value)) for value in rare}
        # groups of a rare bucket need its value once, and the common ones too: it takes as many people of these as fill its groups
        draw = np.random.default_rng(SEED + len(past.versions))
        for i in draw.permutation(coming):
            value, person = int(values[i]), int(people[i])
            if value in sizes:
                bucket_of[person] = value
        if not past.versions:
            others = [i for i in draw.permutation(coming) if int(values[i]) not in sizes]
            wanted = [(value, 4 * K * max(1, sizes[value] // 4) if sizes[value] else 0) for value in rare]
            weights = np.array([*(many for _, many in wanted), 0], dtype=np.float64)
            weights[-1] = max(0.0, len(others) - weights.sum())
            labels = [*rare, -1]
            for i, pick in zip(others, draw.choice(len(labels), len(others), p=weights / weights.sum()), strict=True):
                bucket_of[int(people[i])] = labels[pick]
        else:
            for i in coming:
                bucket_of.setdefault(int(people[i]), -1)
        bucket = np.array([bucket_of[int(person)] for person in people])
        out, number = np.full(len(people), -1, dtype=np.int64), 0
        for one in np.unique(bucket):
            needed = bits(base.astype(np.int32)).sum() | (0 if one < 0 else np.int64(1) << np.int64(one))
            rows = np.flatnonzero((bucket == one) & ((bits(values) & needed) != 0))

            def fine(some: NDArray[np.int64], needed: int = int(needed)) -> bool:
                counts = np.bincount(values[some])
                return int(np.bitwise_or.reduce(bits(values[some]))) & needed == needed and counts.max() <= SHARE * len(some)

            if len(rows) >= K and fine(rows):
                for part in cut(world, people, rows, fine):
                    out[part] = number
                    number += 1
        return out

    return way


def hold_regions(k0: int) -> Way:
    """Regions are boxes of a tree of cuts: (axis, at, left, right), or a label."""
    tree: list[tuple[int, float, int, int] | None] = []
    begun: dict[int, int] = {}  # people in each region when it was made

    def grow(world: World, people: NDArray[np.int64], values: NDArray[np.int32], rows: NDArray[np.int64], least: int) -> int:
        node = len(tree)
        tree.append(None)
        begun[node] = len(rows)
        where = world.place[people[rows]]
        for axis in np.argsort(-np.ptp(where, axis=0), kind="stable"):
            line = where[:, axis]
            for at in (np.median(line), np.nextafter(np.median(line), -1)):
                sides = rows[line <= at], rows[line > at]
                if all(len(side) >= least and np.bincount(values[side]).max() <= SHARE * len(side) for side in sides):
                    tree[node] = (int(axis), float(at), 0, 0)
                    ends = [grow(world, people, values, side, least) for side in sides]
                    tree[node] = (int(axis), float(at), *ends)
                    return node
        return node

    def way(new: NewVersion) -> Groups:
        world, past, people = new.world, new.past, new.people
        values = new.own[people]
        if not past.versions:
            tree.clear()
            grow(world, people, values, np.arange(len(people)), k0)
        out = np.zeros(len(people), dtype=np.int64)
        moving = np.arange(len(people))
        while len(moving):
            inside = [(i, tree[out[i]]) for i in moving]
            moving = np.array([i for i, cell in inside if cell is not None], dtype=np.int64)
            for i, cell in inside:
                if cell is not None:
                    axis, at, left, right = cell
                    out[i] = left if world.place[people[i], axis] <= at else right
        for label, many in zip(*np.unique(out, return_counts=True), strict=True):
            if many >= 2 * begun[label]:
                rows = np.flatnonzero(out == label)
                node = grow(world, people, values, rows, k0)
                if tree[node] is None:
                    begun[label] = int(many)
                    continue
                tree[label] = tree[node]
                for i in rows:
                    while (cell := tree[out[i]]) is not None:
                        out[i] = cell[2] if world.place[people[i], cell[0]] <= cell[1] else cell[3]
        return out

    return way
