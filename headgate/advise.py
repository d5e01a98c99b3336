"""What settings can this table carry? For a few (k, ε): the largest δ that is guaranteed, that is reached, and that nothing refutes.

The answer names the values that bind; they are data, for the steward's own terminal.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np

from headgate.advice.binding import binding_values
from headgate.advice.result import Setting, TableAdvice, Tried
from headgate.advice.rungs import delta_text, largest, rungs
from headgate.advice.search import search
from headgate.columns import Column, Table
from headgate.distance import Distance
from headgate.errors import InputRejected, RequirementNotMet
from headgate.published import publish_form
from headgate.tolerance import exact
from headgate.utility.queries import count_query_error
from headgate.xcolor.abstract_graph import LARGEST_GRAPH, similar_pairs
from headgate.xcolor.anonymize import anonymize
from headgate.xcolor.cliques import Cliques, cliques_of
from headgate.xcolor.feasibility import feasibility
from headgate.xcolor.limits import NeighbourhoodLimit, dissimilarity
from headgate.xcolor.partition import XColorSettings
from headgate.xcolor.recount import fullest_share

EPSILONS = ("0", "0.05", "0.1", "0.2")
SIZES = (5, 10, 20)
QUERIES, QUASI_DIMENSIONS, SENSITIVE_DIMENSIONS, SELECTIVITY = 1000, 3, 2, 0.1  # of count queries, as a policy has them by default

Trial = Callable[[int, str, str], Tried]  # k, ε and δ as a person writes them
Told = Callable[[int], None]


def fitting(sizes: Sequence[int], rows: int) -> tuple[int, ...]:
    """Those k of which at least one group can be made."""
    found = tuple(sorted({k for k in sizes if 2 <= k <= rows}))
    if not found:
        raise InputRejected(f"{rows} rows cannot make a group of any k that was asked for.", "Give smaller k, at least 2.")
    return found


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
) -> TableAdvice:
    """A map over k and ε for one projected table. `others`: limits that every partition must keep as well. `trial` groups the table in
    another way than `blocks` under these limits. `more`: δ that are tried too. `told` hears of settings as they are done."""
    ks = fitting(sizes, table.rows)
    columns, quasi = table.select(sensitive), table.select(table.quasi)
    trial = trial or trial_of(table, sensitive, seed, distance, others)
    known = [cliques_of(limit) for limit in others]
    settings: list[Setting] = []
    seen: tuple[int, list[Setting]] | None = None
    for epsilon in sorted({exact(text): str(text) for text in epsilons}.items()):
        limit = dissimilarity(columns, epsilon[1], "0", distance)
        pairs = similar_pairs(limit)[0] if len(limit.distinct) <= LARGEST_GRAPH else -1
        if seen is not None and seen[0] == pairs >= 0:  # a larger ε with as many pairs has the same ones: the same graph
            found = [replace(one, epsilon=float(epsilon[0])) for one in seen[1]]
            settings += found
            if told is not None:
                told(len(ks))
            continue
        cliques = [cliques_of(limit), *known]
        found = []
        for k in reversed(ks):  # large groups are made fastest, and where they come out small ones begin
            near = next((one.reached for one in reversed(found) if one.reached is not None), None)
            found.append(_setting(epsilon[1], k, (limit, *others), cliques, columns, quasi, trial, more, near))
            if told is not None:
                told(1)
        found.reverse()
        seen = (pairs, found)
        settings += found
    weights = np.array([(distance or Distance()).weights.get(column.name, column.weight) for column in columns], dtype=np.float64)
    shares = (weights / weights.sum()).tolist()
    return TableAdvice(
        tuple(sensitive), table.rows, tuple(zip(sensitive, shares, strict=True)), tuple(settings), binding_values(table, sensitive)
    )


def trial_of(
    table: Table, sensitive: Sequence[str], seed: int, distance: Distance | None = None, others: Sequence[NeighbourhoodLimit] = ()
) -> Trial:
    """`blocks` under (ε, δ) and the other limits."""

    def trial(k: int, epsilon: str, delta: str) -> Tried:
        limits = (dissimilarity(table.select(sensitive), epsilon, delta, distance), *others)
        found = anonymize(table, sensitive, XColorSettings(k, limits), seed)
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
    limits: Sequence[NeighbourhoodLimit],
    cliques: Sequence[Cliques],
    columns: Sequence[Column],
    quasi: Sequence[Column],
    trial: Trial,
    more: Sequence[Fraction],
    near: Fraction | None,
) -> Setting:
    """Bounds first; then only δ that nothing refutes are tried."""
    looked: dict[Fraction, Any] = {}

    def look(delta: Fraction) -> Any:
        if delta not in looked:
            looked[delta] = feasibility((limits[0].with_delta(delta), *limits[1:]), k, columns, quasi, cliques)
        return looked[delta]

    possible = largest(lambda delta: look(delta).certificate is None)
    guaranteed = None if possible is None else largest(lambda delta: bool(look(delta).guaranteed))
    above = Fraction(0) if possible is None else possible + Fraction(1, 100)
    certificate = look(above).certificate if above <= 1 else None
    allowed = [] if possible is None else [delta for delta in rungs(k, more) if delta <= possible]
    points = search(allowed, lambda delta: trial(k, epsilon, delta_text(delta)), near) if allowed else ()
    first = look(Fraction(0)).limits[0]
    return Setting(k, float(exact(epsilon)), guaranteed, possible, certificate, first.largest_degree, first.bottleneck, points)
