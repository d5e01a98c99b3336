"""What settings can this table carry? For a few (k, ε): the largest δ that is guaranteed, that is reached, and that nothing refutes.

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
from headgate.advice.result import Point, Setting, TableAdvice, Tried
from headgate.advice.rungs import delta_text, largest, rungs
from headgate.advice.side_by_side import side_by_side
from headgate.bounds.cliques import Cliques, cliques_of
from headgate.bounds.feasibility import Feasibility, feasibility
from headgate.core.columns import Column, Table
from headgate.core.distance import Distance
from headgate.core.errors import InputRejected, RequirementNotMet
from headgate.core.published import publish_form
from headgate.core.tolerance import exact
from headgate.grouping.abstract_graph import LARGEST_GRAPH, similar_pairs
from headgate.grouping.limits import NeighbourhoodLimit, dissimilarity
from headgate.grouping.recount import fullest_share
from headgate.grouping.watch import Watch
from headgate.methods.anonymize import anonymize
from headgate.methods.choice import choose
from headgate.methods.settings import Settings
from headgate.utility.queries import count_query_error

EPSILONS = ("0", "0.05", "0.1", "0.2")
SIZES = (5, 10, 20)
QUERIES, QUASI_DIMENSIONS, SENSITIVE_DIMENSIONS, SELECTIVITY = 1000, 3, 2, 0.1  # of count queries, as a policy has them by default

Trial = Callable[[int, str, str], Tried]  # k, ε and δ as a person writes them
Scouting = Callable[[int, str, str], float | None]  # likewise, what a sample of rows loses; None: not reached
Told = Callable[[int], None]


def fitting(sizes: Sequence[int], rows: int) -> tuple[int, ...]:
    """Those k of which at least one group can be made."""
    found = tuple(sorted({k for k in sizes if 2 <= k <= rows}))
    if not found:
        raise InputRejected(f"{rows} rows cannot make a group of any k that was asked for.", "Give smaller k, at least 2.")
    return found


@dataclass(frozen=True, eq=False)
class Asked:
    """How settings are tried. `others`: limits that every partition must keep as well. `trial` groups the table under these limits, `scout`
    a sample of it. `more`: δ that are tried too. `closely`: those ε at which smaller δ are tried as well."""

    sizes: tuple[int, ...]
    trial: Trial
    scout: Scouting | None
    others: tuple[NeighbourhoodLimit, ...]
    more: tuple[Fraction, ...]
    closely: frozenset[Fraction] | None

    def below(self, close: bool, alone: bool) -> Sequence[Fraction]:
        """How far under the largest δ the frontier is looked at; where δ = 0 is known already, once."""
        return () if not close else BELOW[:1] if alone else BELOW


def advise(
    table: Table,
    sensitive: Sequence[str],
    seed: int,
    distance: Distance | None = None,
    sizes: Sequence[int] = SIZES,
    epsilons: Sequence[Any] = EPSILONS,
    others: Sequence[NeighbourhoodLimit] = (),
    trial: Trial | None = None,
    more: Sequence[Fraction] = (),
    told: Told | None = None,
    scout: Scouting | None = None,
    closely: Sequence[Any] | None = None,
    stopping: threading.Event | None = None,
) -> TableAdvice:
    """A map over k and ε for one projected table, as `Asked` says; `closely` is every ε unless some are named. `told` hears of settings as
    they are done, from several threads. `stopping` is the event that ends the runs of `trial`."""
    stopping = stopping or threading.Event()
    columns, quasi = table.select(sensitive), table.select(table.quasi)
    asked = Asked(
        fitting(sizes, table.rows),
        trial or trial_of(table, sensitive, seed, distance, others, stopping),
        scout,
        tuple(others),
        tuple(more),
        None if closely is None else frozenset(exact(text) for text in closely),
    )
    known = [cliques_of(limit) for limit in others]
    rising = [text for _, text in sorted({exact(text): str(text) for text in epsilons}.items())]
    graphs = [dissimilarity(columns, text, "0", distance) for text in rising]
    pairs = [similar_pairs(one)[0] if len(one.distinct) <= LARGEST_GRAPH else -1 for one in graphs]
    # a larger ε with as many pairs has the same ones: the same graph
    first = [i for i in range(len(rising)) if i == 0 or pairs[i] < 0 or pairs[i] != pairs[i - 1]]

    alone: dict[int, Tried] = {}

    def along(place: int) -> list[Setting]:
        here = [i for i in range(place, len(rising)) if place == max(one for one in first if one <= i)]
        close = asked.closely is None or any(exact(rising[i]) in asked.closely for i in here)
        limit, cliques = graphs[place], [cliques_of(graphs[place]), *known]
        found: list[Setting] = []
        for k in reversed(asked.sizes):  # large groups are made fastest, and where they come out small ones begin
            near = next((one.reached for one in reversed(found) if one.reached is not None), None)
            found.append(_setting(rising[place], k, limit, cliques, columns, quasi, asked, near, close, alone.get(k)))
            if told is not None:
                told(len(here))
        return [replace(one, epsilon=float(exact(rising[i]))) for i in here for one in reversed(found)]

    if asked.scout is not None:  # at δ = 0 every ε is alike
        alone |= dict(zip(asked.sizes, side_by_side(lambda k: asked.trial(k, rising[0], "0"), asked.sizes, stopping), strict=True))
    settings = tuple(one for found in side_by_side(along, first, stopping) for one in found)
    weights = np.array([(distance or Distance()).weights.get(column.name, column.weight) for column in columns], dtype=np.float64)
    shares = (weights / weights.sum()).tolist()
    return TableAdvice(tuple(sensitive), table.rows, tuple(zip(sensitive, shares, strict=True)), settings, binding_values(table, sensitive))


def trial_of(
    table: Table,
    sensitive: Sequence[str],
    seed: int,
    distance: Distance | None = None,
    others: Sequence[NeighbourhoodLimit] = (),
    stopping: threading.Event | None = None,
) -> Trial:
    """`blocks` under (ε, δ) and the other limits."""

    def trial(k: int, epsilon: str, delta: str) -> Tried:
        limits = (dissimilarity(table.select(sensitive), epsilon, delta, distance), *others)
        found = anonymize(choose("xcolor"), table, sensitive, Settings(k, limits), seed, Watch(stopping=stopping))
        if not found.reached:
            return Tried(False, reason=found.remedy())
        published = publish_form(table, found.groups, "table", sensitive)
        mean, median = None, None
        try:
            errors = count_query_error(table, published, QUASI_DIMENSIONS, SENSITIVE_DIMENSIONS, SELECTIVITY, QUERIES, seed)
            mean, median = errors.mean, errors.median
        except RequirementNotMet:
            mean = None  # nothing to count
        shares = fullest_share(table.select(sensitive), found.groups)
        return Tried(True, (), "", found.delta_reached, found.loss, mean, median, shares, found.count, table.rows)

    return trial


def _setting(
    epsilon: str,
    k: int,
    limit: NeighbourhoodLimit,
    cliques: Sequence[Cliques],
    columns: Sequence[Column],
    quasi: Sequence[Column],
    asked: Asked,
    near: Fraction | None,
    close: bool,
    alone: Tried | None,
) -> Setting:
    """Bounds first; then a sample where there is one; then only δ that nothing refutes are tried. `alone`: what came of k by itself."""
    looked: dict[Fraction, Feasibility] = {}

    def look(delta: Fraction) -> Feasibility:
        if delta not in looked:
            looked[delta] = feasibility((limit.with_delta(delta), *asked.others), k, columns, quasi, cliques)
        return looked[delta]

    possible = largest(lambda delta: look(delta).certificate is None)
    guaranteed = None if possible is None else largest(lambda delta: look(delta).guaranteed)
    above = Fraction(0) if possible is None else possible + Fraction(1, 100)
    certificate = look(above).certificate if above <= 1 else None
    allowed = [] if possible is None else [delta for delta in rungs(k, asked.more) if delta <= possible]
    ahead = Ahead(None, None)
    points: tuple[Point, ...] = ()
    if asked.scout is not None and alone is not None and alone.reached and allowed:
        scout = asked.scout
        ahead = look_ahead(allowed, lambda delta: scout(k, epsilon, delta_text(delta)), alone.loss or 0.0, near)
        points = (Point(Fraction(0), alone),)
        near = ahead.worth
        allowed = [delta for delta in allowed if near is not None and 0 < delta <= near]
    if allowed:
        tried = search(allowed, lambda delta: asked.trial(k, epsilon, delta_text(delta)), near, asked.below(close, bool(points)))
        points = (*tried, *points)
    first = look(Fraction(0)).limits[0]
    found = Setting(k, float(exact(epsilon)), guaranteed, possible, certificate, first.largest_degree, first.bottleneck, points)
    larger = ahead.largest is not None and (found.reached is None or ahead.largest > found.reached)
    return replace(found, in_sample=ahead.largest) if larger else found
