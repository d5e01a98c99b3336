"""Which settings this table supports. For a few (k, ε): the largest δ that is guaranteed, that is reached, and that nothing refutes.

The answer names the values that bind; they are data, for the steward's own terminal.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np

from headgate.advice.binding import binding_values
from headgate.advice.delta_search import BELOW, Ahead, look_ahead, search
from headgate.advice.prospect import Prospect
from headgate.advice.result import Setting, TableAdvice, Tried, TriedDelta
from headgate.advice.rungs import delta_text
from headgate.advice.side_by_side import side_by_side
from headgate.bounds.cliques import cliques_of
from headgate.core.columns import Column, Table
from headgate.core.distance import Distance
from headgate.core.errors import InputRejected
from headgate.core.tolerance import exact
from headgate.grouping.abstract_graph import LARGEST_GRAPH, similar_pairs
from headgate.grouping.limits import NeighbourhoodLimit, dissimilarity, household_limits

EPSILONS = ("0", "0.05", "0.1", "0.2")
SIZES = (5, 10, 20)

Trial = Callable[[int, str, str], Tried]  # k, ε and δ as a person writes them
Scouting = Callable[[int, str, str], float | None]  # likewise, what a sample of rows loses; None: not reached
Announce = Callable[[int], None]  # how many more settings are done


@dataclass(frozen=True, eq=False)
class Sweep:
    """Which settings are tried, and how. `trial` groups the table under a setting and the `others`, limits that every partition must keep
    as well; `scout` groups a sample of it. `more`: δ that are tried too. `closely`: those ε at which smaller δ are tried as well, every ε
    unless some are named."""

    trial: Trial
    sizes: Sequence[int] = SIZES
    epsilons: Sequence[Any] = EPSILONS
    others: Sequence[NeighbourhoodLimit] = ()
    more: Sequence[Fraction] = ()
    scout: Scouting | None = None
    closely: Sequence[Any] | None = None

    def below(self, epsilons: Sequence[str], alone: bool) -> Sequence[Fraction]:
        """How far below the largest δ the frontier is tried; only once where δ = 0 is known already."""
        if self.closely is not None and {exact(text) for text in self.closely}.isdisjoint(map(exact, epsilons)):
            return ()
        return BELOW[:1] if alone else BELOW


@dataclass(frozen=True, eq=False)
class Graph:
    """The ε at which the same pairs of values are similar, and the limit over them."""

    epsilons: list[str]
    limit: NeighbourhoodLimit


def advise(
    table: Table,
    sensitive: Sequence[str],
    sweep: Sweep,
    distance: Distance | None = None,
    announce: Announce | None = None,
    stopping: threading.Event | None = None,
) -> TableAdvice:
    """A map over k and ε for one projected table. `announce` is called as settings are done, from several threads. `stopping` is the event
    that ends the runs of `sweep.trial`."""
    stopping = stopping or threading.Event()
    columns, quasi = table.select(sensitive), table.select(table.quasi)
    sizes = fitting(sweep.sizes, table.rows)
    known = [cliques_of(limit) for limit in sweep.others]
    together = {k: (*sweep.others, *household_limits(table, k)) for k in sizes}
    known += [cliques_of(limit) for limit in household_limits(table, sizes[0])]  # the same households for every k
    graphs = _graphs(columns, sweep.epsilons, distance)
    alone: dict[int, Tried] = {}

    def along(graph: Graph) -> list[Setting]:
        cliques, settings = [cliques_of(graph.limit), *known], list[Setting]()
        for k in reversed(sizes):  # large groups are made fastest, and smaller ones start where they ended
            near = next((setting.reached for setting in reversed(settings) if setting.reached is not None), None)
            prospect = Prospect(k, graph.limit, together[k], columns, quasi, cliques)
            settings.append(_setting(graph, prospect, sweep, near, alone.get(k)))
            if announce is not None:
                announce(len(graph.epsilons))
        return [replace(setting, epsilon=float(exact(text))) for text in graph.epsilons for setting in reversed(settings)]

    if sweep.scout is not None:  # at δ = 0 every ε gives the same result
        first = graphs[0].epsilons[0]
        alone |= dict(zip(sizes, side_by_side(lambda k: sweep.trial(k, first, "0"), sizes, stopping), strict=True))
    settings = tuple(setting for searched in side_by_side(along, graphs, stopping) for setting in searched)
    weights = np.array([(distance or Distance()).weights.get(column.name, column.weight) for column in columns], dtype=np.float64)
    shares = (weights / weights.sum()).tolist()
    return TableAdvice(tuple(sensitive), table.rows, tuple(zip(sensitive, shares, strict=True)), settings, binding_values(table, sensitive))


def fitting(sizes: Sequence[int], rows: int) -> tuple[int, ...]:
    """The k for which at least one group can be made."""
    possible = tuple(sorted({k for k in sizes if 2 <= k <= rows}))
    if not possible:
        raise InputRejected(f"{rows} rows cannot make a group of any of the k given.", "Give smaller k, at least 2.")
    return possible


def _graphs(columns: Sequence[Column], epsilons: Sequence[Any], distance: Distance | None) -> list[Graph]:
    """The graphs for ascending ε. If a larger ε has the same number of similar pairs, the pairs are the same."""
    graphs: list[Graph] = []
    pairs = -1
    for _, text in sorted({exact(text): str(text) for text in epsilons}.items()):
        limit, fewer = dissimilarity(columns, text, "0", distance), pairs
        pairs = similar_pairs(limit)[0] if len(limit.distinct) <= LARGEST_GRAPH else -1
        if graphs and pairs >= 0 and pairs == fewer:
            graphs[-1].epsilons.append(text)
        else:
            graphs.append(Graph([text], limit))
    return graphs


def _setting(graph: Graph, prospect: Prospect, sweep: Sweep, near: Fraction | None, alone: Tried | None) -> Setting:
    """Bounds first; then a sample where there is one; then only δ that nothing refutes are tried. `alone`: the result of k by itself."""
    k, epsilon, allowed = prospect.k, graph.epsilons[0], prospect.open_rungs(sweep.more)
    ahead = Ahead(None, None)
    points: tuple[TriedDelta, ...] = ()
    if sweep.scout is not None and alone is not None and alone.reached and allowed:
        ahead = _scouted(sweep.scout, k, epsilon, allowed, alone, near)
        points = (TriedDelta(Fraction(0), alone),)
        near = ahead.worth
        allowed = [] if near is None else [delta for delta in allowed if 0 < delta <= near]
    if allowed:
        below = sweep.below(graph.epsilons, bool(points))
        points = (*search(allowed, lambda delta: sweep.trial(k, epsilon, delta_text(delta)), near, below), *points)
    first = prospect.at(Fraction(0)).limits[0]
    degree, bottleneck = first.largest_degree, first.bottleneck
    setting = Setting(k, float(exact(epsilon)), prospect.guaranteed, prospect.possible, prospect.certificate, degree, bottleneck, points)
    larger = ahead.largest is not None and (setting.reached is None or ahead.largest > setting.reached)
    return replace(setting, in_sample=ahead.largest) if larger else setting


def _scouted(scout: Scouting, k: int, epsilon: str, allowed: Sequence[Fraction], alone: Tried, near: Fraction | None) -> Ahead:
    return look_ahead(allowed, lambda delta: scout(k, epsilon, delta_text(delta)), alone.loss or 0.0, near)
