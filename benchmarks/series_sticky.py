"""Three ways to keep a series of versions safe, on simulated months of the census, beside grouping every month anew.

Adults of the census; in each of 12 versions 2 % leave, 2 % come, and a share of the others change the sensitive attribute, to the value of
somebody drawn at random. Quasi-identifiers: age, sex, marital status, race. Groups of at least 10, δ = 0.6 at ε = 0: at most 4 of 10 alike.
Whoever's series linkability would be above the promise is left out of the new version, and what is left is measured again, until nobody is
above it.

- `fresh`: every version is grouped as if it were the only one. What the others cost is told against it.
- `keep groups`: who was published together stays together; k0 is the least size of the first groups. New people join the group that holds
  their value and where it costs least, rather one that is too small or has lost this value; or (`new ones near`) they form groups of their
  own if that costs too much. What is left of a group, if below k, is published together with another, for this version.
- `keep buckets`: m-invariance's idea without invented people. A bucket is a set of values; a person stays in one, and all groups of a
  bucket hold each of its values. Inside a bucket, people are grouped anew by quasi-identifiers in each version.
- `hold regions`: the first version's cuts stay where they are, at least k0 people to a region, and whoever falls into a region is in its
  group. A region is cut again once it has doubled.

`python -m benchmarks.series_sticky blocks education 58000 0.8 0.05`: method, attribute, people, promise, share that changes.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

import headgate as hg
from benchmarks.census import adults
from headgate.core.columns import Table
from headgate.grouping.items import items_of
from headgate.grouping.limits import dissimilarity
from headgate.methods.anonymize import anonymize
from headgate.methods.choice import choose
from headgate.methods.partition import counted_partition
from headgate.methods.settings import Settings
from headgate.series.published_versions import Version, VersionTable
from headgate.series.series_risk import series_risk

QUASI = ["age", "sex", "marital", "race"]
VERSIONS, LEAVE, COME, K, DELTA, SHARE, SEED = 12, 0.02, 0.02, 10, "0.6", 0.4, 3
WANTED = 0.1  # of the loss of one row: what it is worth to replace a value that has gone, twice that to fill a small group
ROUNDS = 12  # of leaving out and measuring again

Groups = NDArray[np.int64]  # a label per person present, −1 for nobody's


@dataclass
class World:
    """Who is there in each version, with which value."""

    name: str  # of the sensitive attribute
    table: Table
    there: list[NDArray[np.int64]]
    own: list[NDArray[np.int32]]  # of everybody, in each version
    place: NDArray[np.float64]  # everybody's quasi-identifiers, each from 0 to 1


def world(name: str, people: int, change: float) -> World:
    draw, frame = np.random.default_rng(SEED), adults()
    frame = frame.iloc[draw.permutation(len(frame))[: round(people * (1 + COME * VERSIONS))]].reset_index(drop=True)
    table = hg.table(frame, QUASI, [name])
    values, present, reserve = table[name].codes.copy(), np.arange(people), people
    there, own = [present], [values.copy()]
    for _ in range(VERSIONS - 1):
        stay = present[draw.random(len(present)) >= LEAVE]
        changing = stay[draw.random(len(stay)) < change]
        values[changing] = table[name].codes[draw.integers(0, len(frame), len(changing))]
        new = np.arange(reserve, min(len(frame), reserve + round(COME * people)))
        reserve += len(new)
        present = np.concatenate([stay, new])
        there.append(present)
        own.append(values.copy())
    place = np.stack([table[name].codes / max(1, len(table[name].values) - 1) for name in QUASI], axis=1)
    return World(name, table, there, own, place)


@dataclass
class Past:
    """What the published versions hold: for each person the values that all groups of the person have, as bits."""

    shared: NDArray[np.int64]
    versions: list[Version] = field(default_factory=list)
    last: tuple[NDArray[np.int64], NDArray[np.int32], int] | None = None  # people of the last version, their values, how many values

    def counts_of(self, core: NDArray[np.int64], many: int) -> NDArray[np.int64]:
        """How often each core had each value in the last version."""
        assert self.last is not None
        people, values, size = self.last
        return np.bincount(core[people] * size + values, minlength=many * size).reshape(-1, size)


Way = Callable[[World, Past, NDArray[np.int64], NDArray[np.int32]], Groups]


def bits(values: NDArray[np.int32]) -> NDArray[np.int64]:
    return np.left_shift(np.int64(1), values.astype(np.int64))


def table_of(world: World, people: NDArray[np.int64], own: NDArray[np.int32]) -> Table:
    table = world.table.take(people)
    return replace(table, columns={**table.columns, world.name: replace(table[world.name], codes=own[people])})


def fresh(method: str, k: int = K) -> Way:
    def way(world: World, past: Past, people: NDArray[np.int64], own: NDArray[np.int32]) -> Groups:
        table = table_of(world, people, own)
        limit = dissimilarity(table.select([world.name]), "0", DELTA)
        chosen = choose("xcolor", "blocks") if method == "blocks" else choose(method)
        return anonymize(chosen, table, (world.name,), Settings(k, (limit,)), 0).groups.astype(np.int64)

    return way


def histogram(world: World, labels: Groups, values: NDArray[np.int32], many: int) -> NDArray[np.int64]:
    size = len(world.table[world.name].values)
    return np.bincount(labels * size + values, minlength=many * size).reshape(-1, size)


@dataclass
class Extents:
    """What each group spans: ends of the numbers, and which values of the categories are present. `growth` is the loss of a row, times the
    quasi-identifiers, once another extent is added."""

    low: NDArray[np.float64]
    high: NDArray[np.float64]
    present: list[NDArray[np.bool_]]

    @classmethod
    def of(cls, world: World, labels: Groups, people: NDArray[np.int64], many: int) -> Extents:
        low, high = (np.full(many, end) for end in (np.inf, -np.inf))
        np.minimum.at(low, labels, world.place[people, 0])
        np.maximum.at(high, labels, world.place[people, 0])
        present = [np.zeros((many, len(world.table[name].values)), dtype=np.bool_) for name in QUASI[1:]]
        for flags, name in zip(present, QUASI[1:], strict=True):
            flags[labels, world.table[name].codes[people]] = True
        return cls(low, high, present)

    def growth(self, other: Extents, at: int) -> NDArray[np.float64]:
        """By group, what adding group `at` of the other costs."""
        with np.errstate(invalid="ignore"):
            both = np.maximum(self.high, other.high[at]) - np.minimum(self.low, other.low[at])
            loss, alone = both, np.where(np.isfinite(self.high), self.high - self.low, 0.0)
        for flags, others in zip(self.present, other.present, strict=True):
            loss = loss + _share(flags | others[at])
            alone = alone + _share(flags)
        return loss - alone

    def add(self, group: int, other: Extents, at: int) -> None:
        self.low[group], self.high[group] = min(self.low[group], other.low[at]), max(self.high[group], other.high[at])
        for flags, others in zip(self.present, other.present, strict=True):
            flags[group] |= others[at]


def _share(flags: NDArray[np.bool_]) -> NDArray[np.float64]:
    many = flags.sum(axis=1)
    return np.where(many > 1, many / flags.shape[1], 0.0)


def joined(world: World, labels: Groups, people: NDArray[np.int64]) -> Groups:
    """Groups below k join the group for which that costs least."""
    labels, many = labels.copy(), int(labels.max()) + 1
    kept = labels >= 0
    extents, sizes = Extents.of(world, labels[kept], people[kept], many), np.bincount(labels[kept], minlength=many)
    while True:
        small = np.flatnonzero((sizes > 0) & (sizes < K))
        if len(small) == 0 or np.count_nonzero(sizes) < 2:
            return labels
        group = int(small[sizes[small].argmin()])
        cost = np.where(sizes > 0, extents.growth(extents, group) * sizes, np.inf)
        cost[group] = np.inf
        into = int(cost.argmin())
        labels[labels == group] = into
        extents.add(into, extents, group)
        sizes[into], sizes[group] = sizes[into] + sizes[group], 0


def keep_groups(method: str, k0: int, near: float = np.inf) -> Way:
    """People who came together are a core, and cores are never divided. Small cores are published together, not united for ever."""
    begin, core = fresh(method, k0), np.empty(0, dtype=np.int64)

    def way(world: World, past: Past, people: NDArray[np.int64], own: NDArray[np.int32]) -> Groups:
        nonlocal core
        if not past.versions:
            core = np.full(world.table.rows, -1)
            core[people] = begin(world, past, people, own)
            return core[people]
        values, known, many = own[people], core[people] >= 0, int(core.max()) + 1
        now = histogram(world, core[people[known]], values[known], many)
        before = past.counts_of(core, many)
        extents = Extents.of(world, core[people[known]], people[known], many)
        coming = people[~known]
        single = Extents.of(world, np.arange(len(coming)), coming, len(coming))
        for i, person in enumerate(coming.tolist()):
            value, sizes = own[person], now.sum(axis=1)
            fits = (sizes > 0) & (now[:, value] + 1 <= SHARE * (sizes + 1) + 1e-9) & ((now[:, value] > 0) | (before[:, value] > 0))
            wanted = (now[:, value] < before[:, value]) + 2.0 * (sizes < K)
            cost = np.where(fits, extents.growth(single, i) * (sizes + 1) - WANTED * wanted, np.inf)
            best = int(cost.argmin())
            if cost[best] <= near:
                core[person] = best
                now[best, value] += 1
                extents.add(best, single, i)
        apart = coming[core[coming] < 0]  # they form cores of their own
        if len(apart) >= K:
            core[apart] = fresh(method)(world, past, apart, own) + many
        return joined(world, core[people], people)

    return way


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

    def way(world: World, past: Past, people: NDArray[np.int64], own: NDArray[np.int32]) -> Groups:
        values = own[people]
        if not past.versions:
            bucket_of.clear()
        frequent = np.argsort(-np.bincount(world.own[0][world.there[0]], minlength=len(world.table[world.name].values)))
        base = frequent[:common]
        rare = [int(value) for value in frequent[common:]]
        new = [i for i, person in enumerate(people.tolist()) if person not in bucket_of]
        sizes = {value: int(np.count_nonzero(values == value)) for value in rare}
        # groups of a rare bucket need its value once, and the common ones too: it takes as many people of these as fill its groups
        draw = np.random.default_rng(SEED + len(past.versions))
        for i in draw.permutation(new):
            value, person = int(values[i]), int(people[i])
            if value in sizes:
                bucket_of[person] = value
        if not past.versions:
            others = [i for i in draw.permutation(new) if int(values[i]) not in sizes]
            wanted = [(value, 4 * K * max(1, sizes[value] // 4) if sizes[value] else 0) for value in rare]
            weights = np.array([*(many for _, many in wanted), 0], dtype=np.float64)
            weights[-1] = max(0.0, len(others) - weights.sum())
            labels = [*rare, -1]
            for i, pick in zip(others, draw.choice(len(labels), len(others), p=weights / weights.sum()), strict=True):
                bucket_of[int(people[i])] = labels[pick]
        else:
            for i in new:
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

    def way(world: World, past: Past, people: NDArray[np.int64], own: NDArray[np.int32]) -> Groups:
        values = own[people]
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
        return joined(world, out, people)

    return way


@dataclass
class Month:
    told: float  # share of people whose value the groups of the past lack: no grouping can help
    share_above: float  # of people, before anybody is left out
    worst: float
    left_out: float
    loss: float


def run(world: World, way: Way, promise: float, sticky: bool) -> list[Month]:
    everybody = world.table.rows
    past = Past(np.full(everybody, -1))
    months = []
    for people_there, own in zip(world.there, world.own, strict=True):
        told = (bits(own[people_there]) & past.shared[people_there]) == 0  # the groups of the past lack the value of today
        people = people_there[~told] if sticky else people_there
        labels = way(world, past, people, own)
        above = None
        for _ in range(ROUNDS):
            people, labels = people[labels >= 0], labels[labels >= 0]
            version, linkability = measured(world, past, people, labels, own)
            over = linkability > promise + 1e-9
            above = (
                above if above is not None else float(over.mean()) if not sticky else float((over.sum() + told.sum()) / len(people_there))
            )
            if not sticky or not over.any():
                break
            labels = np.where(over, -1, labels)
            labels = joined(world, labels, people)
        months.append(publish(world, past, people, labels, own, version, len(people_there), float(told.mean()), above or 0.0, linkability))
    return months


def measured(
    world: World, past: Past, people: NDArray[np.int64], labels: Groups, own: NDArray[np.int32]
) -> tuple[Version, NDArray[np.float64]]:
    groups = np.unique(labels, return_inverse=True)[1].astype(np.int32)
    column = table_of(world, people, own)[world.name]
    version = Version(people.astype(np.int32), [VersionTable.in_order([groups], {world.name: column})])
    (measure,) = series_risk([*past.versions, version]).measures
    figures = np.zeros(world.table.rows)
    figures[measure.people] = measure.by_person(measure.linkability)
    return version, figures[people]


def publish(
    world: World,
    past: Past,
    people: NDArray[np.int64],
    labels: Groups,
    own: NDArray[np.int32],
    version: Version,
    present: int,
    told: float,
    above: float,
    linkability: NDArray[np.float64],
) -> Month:
    counts = histogram(world, labels, own[people], int(labels.max()) + 1)
    held = (counts > 0) @ (np.int64(1) << np.arange(counts.shape[1], dtype=np.int64))
    past.shared[people] &= held[labels]
    past.last = people, own[people], counts.shape[1]
    past.versions.append(version)
    table = table_of(world, people, own)
    limit = dissimilarity(table.select([world.name]), "0", DELTA)
    groups = np.unique(labels, return_inverse=True)[1].astype(np.int32)
    loss = counted_partition(items_of(table, (limit,)), Settings(K, (limit,)), groups).loss
    return Month(told, above, float(linkability.max()), 1 - len(people) / present, loss)


def main(arguments: Sequence[str]) -> None:
    method, name, people, promise, change = arguments[0], arguments[1], int(arguments[2]), float(arguments[3]), float(arguments[4])
    made = world(name, people, change)
    ways: dict[str, tuple[Way, bool]] = {
        "fresh": (fresh(method), False),
        "fresh, who is above left out": (fresh(method), True),
        **{f"keep groups, k0 = {k0}": (keep_groups(method, k0), True) for k0 in (10, 15, 25, 50)},
        "keep groups, k0 = 10, new ones near": (keep_groups(method, 10, 0.5), True),
        **{f"hold regions, k0 = {k0}": (hold_regions(k0), True) for k0 in (15, 50, 100)},
    }
    if name == "education":  # with many values no group holds all that are common
        ways |= {f"keep buckets, {common} common values": (keep_buckets(common), True) for common in (4, 6, 8)}
    for title, (way, sticky) in ways.items():
        start = time.perf_counter()
        months = run(made, way, promise, sticky)
        print(f"{title} ({time.perf_counter() - start:.0f} s)", flush=True)
        for figure, figures in (
            ("told by groups of the past, %", [100 * month.told for month in months]),
            ("above the promise if nobody is left out, %", [100 * month.share_above for month in months]),
            ("left out, of all who are there, %", [100 * month.left_out for month in months]),
            ("largest linkability that is published", [month.worst for month in months]),
            ("loss, %", [100 * month.loss for month in months]),
        ):
            print(f"  {figure:42}", " ".join(f"{number:6.2f}" for number in figures), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
