"""Series linkability, candidates and risk (DEFINITIONS §11; after m-invariance, Xiao and Tao 2007).

Whoever knows that somebody is in several versions intersects the person's classes. What is left is read as a class: the largest share of a
sensitive value is the *series linkability*, the least number of distinct values the *series candidates* (m of m-invariance if all classes
hold the same values once each), and the share of ε-neighbours the *series risk*. Linkability is not monotone in the versions that are
compared: the largest over single versions, pairs and all versions counts.

If a class of a person lacks one of the person's own values, or two classes have nothing in common, comparing them tells that the person's
value changed: linkability 1 and candidates 1.

The classes of every figure are distinct chains of groups, not people: `chain[p]` is that of people[p].
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from headgate.core.columns import Codes
from headgate.core.distance import Distance
from headgate.counting.figure import Bound, Capped, Figure
from headgate.principles.dissimilarity import asked_epsilon, measure_classes
from headgate.series.any_versions import any_linkability
from headgate.series.chains import Chains, Compared, changed, comparisons, distinct_chains, not_shared
from headgate.series.intersections import intersections
from headgate.series.published_versions import Version, check_versions


@dataclass(frozen=True, eq=False)
class SeriesMeasure:
    """Of a table's steady attributes together, or of one of them, over the versions that publish them."""

    names: tuple[str, ...]
    versions: tuple[int, ...]
    people: NDArray[np.int64]
    several: int  # people in more than one of these versions
    chain: tuple[NDArray[np.int32], ...]
    linkability: Figure
    linkability_any: Figure  # over any set of versions, not only single ones, pairs and all
    linkability_all: Figure  # whether values are sensitive or not
    candidates: Capped
    risk: Figure | None  # None if no ε was given
    changed: int  # people whose own value is known to have changed
    told: int  # people of whom the classes tell that it changed

    def by_person(self, figure: Figure) -> NDArray[np.float64]:
        """Each person's figure, in the worse reading of "class"."""
        worse = np.minimum if figure.bound is Bound.AT_LEAST else np.maximum
        return np.asarray(worse.reduce([figures[chain] for figures, chain in zip(figure.per_class, self.chain, strict=True)]))


@dataclass(frozen=True, eq=False)
class SeriesRisk:
    """What the versions tell together."""

    measures: tuple[SeriesMeasure, ...]

    @property
    def linkability(self) -> float:
        return max(measure.linkability.value for measure in self.measures)

    @property
    def linkability_any(self) -> float:
        return max(measure.linkability_any.value for measure in self.measures)

    @property
    def candidates(self) -> float:
        """Infinite if no class holds a sensitive value."""
        return min(float(figures.min()) for measure in self.measures for figures in measure.candidates.per_class)

    @property
    def risk(self) -> float | None:
        risks = [measure.risk.value for measure in self.measures if measure.risk is not None]
        return max(risks) if risks else None

    @property
    def told(self) -> int:
        return max(measure.told for measure in self.measures)


@dataclass(frozen=True, eq=False)
class _ByChain:
    """The figures of the distinct chains of one reading, and how many people have each."""

    chain: NDArray[np.int32]
    people: NDArray[np.int64]
    linkability: NDArray[np.float64]
    linkability_any: NDArray[np.float64]
    linkability_all: NDArray[np.float64]
    candidates: NDArray[np.float64]
    risk: NDArray[np.float64]
    told: int


def series_risk(versions: Sequence[Version], distance: Distance | None = None, epsilon: Any = None) -> SeriesRisk:
    """The figures of a series; with `epsilon`, also series risk under `distance`. The order of the versions does not matter."""
    check_versions(versions)
    bound = None if epsilon is None else asked_epsilon(epsilon)
    return SeriesRisk(tuple(measure(compared, distance, bound) for compared in comparisons(versions)))


def measure(compared: Compared, distance: Distance | None = None, epsilon: float | None = None) -> SeriesMeasure:
    readings = [_by_chain(compared, chains, distance or Distance(), epsilon) for chains in compared.readings]
    people = tuple(reading.people for reading in readings)

    def at_most(name: str, figures: Sequence[NDArray[np.float64]]) -> Figure:
        return Figure(name, Bound.AT_MOST, tuple(figures), people)

    return SeriesMeasure(
        compared.names,
        compared.versions,
        compared.people,
        int(compared.several.sum()),
        tuple(reading.chain for reading in readings),
        at_most("series linkability", [reading.linkability for reading in readings]),
        at_most("series linkability over any versions", [reading.linkability_any for reading in readings]),
        at_most("series linkability of any value", [reading.linkability_all for reading in readings]),
        Capped("series candidates", Bound.AT_LEAST, tuple(reading.candidates for reading in readings), people, len(compared.distinct)),
        None if epsilon is None else at_most("series risk", [reading.risk for reading in readings]),
        int(changed(compared).sum()),
        max(reading.told for reading in readings),
    )


def _by_chain(compared: Compared, chains: Chains, distance: Distance, epsilon: float | None) -> _ByChain:
    told = not_shared(compared, chains)
    rows, lacking, place = distinct_chains(chains, told)
    linkability, linkability_all, candidates, risk = _worst_intersections(compared, rows, chains, distance, epsilon, lacking)
    people = np.bincount(place)
    linkability_any = np.where(lacking, 1.0, any_linkability(rows, chains.counts, compared.sensitive, linkability))
    number = int(people[lacking].sum())
    return _ByChain(place, people, linkability, linkability_any, linkability_all, candidates, risk, number)


def _worst_intersections(
    compared: Compared, rows: Codes, chains: Chains, distance: Distance, epsilon: float | None, lacking: NDArray[np.bool_]
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """By distinct chain: linkability over sensitive and over all values, candidates and risk. Chains with nothing in common are added to
    `lacking`."""
    near = None if epsilon is None else distance.around(compared.columns, compared.distinct, epsilon)
    linkability, linkability_all, risk = (np.zeros(len(rows)) for _ in range(3))
    candidates = np.full(len(rows), np.inf)
    for part in intersections(rows, chains.counts, compared.sensitive):
        counts, owner, firsts = part.counts, *_runs(part.owner)
        lacking[part.empty] = True
        largest, values = counts.largest(compared.sensitive), np.diff(counts.starts)
        for figures, shares in ((linkability, largest / counts.sizes), (linkability_all, counts.largest() / counts.sizes)):
            figures[owner] = np.maximum.reduceat(shares, firsts)
        candidates[owner] = np.minimum.reduceat(values, firsts)
        if near is not None:
            composite, codes, reach = near
            risk[owner] = np.maximum.reduceat(measure_classes(counts, compared.sensitive, composite.layout, codes, reach).risk, firsts)
    for figures in (linkability, linkability_all, risk):
        figures[lacking] = 1.0
    candidates[lacking] = 1.0
    concerned = np.append(chains.counts.concerned(compared.sensitive), False)[rows].any(axis=1)  # the last stands for absent
    return linkability, linkability_all, np.where(concerned, candidates, np.inf), risk


def _runs(owner: NDArray[np.int32]) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Each owner, and where its intersections begin; each has at least a single version's."""
    firsts = np.flatnonzero(np.diff(owner, prepend=-1))
    return owner[firsts], firsts
