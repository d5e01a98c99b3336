"""Simulated months of the census, for `benchmarks.series_sticky`: who is there in each version, with which value."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

import headgate as hg
from benchmarks.census import adults
from headgate.core.columns import Codes, Table
from headgate.grouping.limits import dissimilarity
from headgate.methods.settings import Settings
from headgate.series.above_promise import linkability_by_person
from headgate.series.published_versions import Version, VersionTable
from headgate.series.series_risk import series_risk

QUASI = ["age", "sex", "marital", "race"]
VERSIONS, LEAVE, COME, K, DELTA, SHARE, SEED = 12, 0.02, 0.02, 10, "0.6", 0.4, 3

Groups = NDArray[np.int64]  # a label per person present, −1 for nobody's


@dataclass
class World:
    name: str  # of the sensitive attribute
    table: Table
    there: list[NDArray[np.int64]]
    own: list[NDArray[np.int32]]  # of everybody, in each version
    place: NDArray[np.float64]  # everybody's quasi-identifiers, each from 0 to 1


@dataclass
class Past:
    """The versions that were published."""

    everybody: int
    versions: list[Version] = field(default_factory=list)

    def before(self, people: NDArray[np.int64]) -> Codes:
        """The group of each of these people in each version, oldest first, −1 for none."""
        out = np.full((len(people), max(1, len(self.versions))), -1, dtype=np.int32)
        group = np.empty(self.everybody, dtype=np.int32)
        for number, version in enumerate(self.versions):
            group[:] = -1
            group[version.people] = version.tables[0].groups[0]
            out[:, number] = group[people]
        return out


@dataclass
class NewVersion:
    """A version that is not published yet."""

    world: World
    people: NDArray[np.int64]
    own: NDArray[np.int32]
    past: Past

    @cached_property
    def table(self) -> Table:
        table = self.world.table.take(self.people)
        return replace(table, columns={**table.columns, self.world.name: replace(table[self.world.name], codes=self.own[self.people])})

    @cached_property
    def settings(self) -> Settings:
        return Settings(K, (dissimilarity(self.table.select([self.world.name]), "0", DELTA),))

    def version(self, groups: Codes) -> Version:
        there = groups >= 0
        numbers = np.unique(groups[there], return_inverse=True)[1].astype(np.int32)
        column = self.table[self.world.name].take(there)
        return Version(self.people[there].astype(np.int32), [VersionTable.in_order([numbers], {self.world.name: column})])

    def linkability(self, groups: Codes) -> NDArray[np.float64]:
        """Of each person who is there, with this version and all before it."""
        risk = series_risk([*self.past.versions, self.version(groups)])
        return linkability_by_person(risk, self.past.everybody)[self.people]

    def without(self, gone: NDArray[np.bool_]) -> NewVersion:
        return NewVersion(self.world, self.people[~gone], self.own, self.past)


Way = Callable[[NewVersion], Groups]


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
