"""What settings can this table carry? For a few (k, ε): the largest δ that is guaranteed, that is reached, and that nothing refutes.

The answer names the values that bind; they are data, for the steward's own terminal.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np

from headgate.columns import Table
from headgate.distance import Distance
from headgate.errors import InputRejected
from headgate.tolerance import exact
from headgate.xcolor.abstract_graph import LARGEST_GRAPH, similar_pairs
from headgate.xcolor.anonymize import anonymize
from headgate.xcolor.certificates import EVERY, Certificate, refute
from headgate.xcolor.limits import NeighbourhoodLimit, dissimilarity, linkability
from headgate.xcolor.partition import Partition, Variant, XColorSettings
from headgate.xcolor.recount import fullest_share

EPSILONS = ("0", "0.05", "0.1", "0.2")
SIZES = (5, 10, 20)
PATIENCE = 1  # larger δ that may fail before the search for one that is reached ends
BINDING = 3  # values named an attribute


@dataclass(frozen=True)
class Setting:
    """One (k, ε) and the δ it can carry, in steps of 1/(k−1).

    `guaranteed`: Lemma 2 promises success (None: for no δ). `reached`: the largest δ for which `blocks` found a partition. `possible`: the
    largest δ that no certificate refutes; between the two nobody knows. `linkability`: the largest share of a sensitive value in a
    group of the partition found, `loss` its NCP."""

    k: int
    epsilon: float
    guaranteed: float | None
    reached: float | None
    possible: float | None  # None: not even δ = 0
    certificate: Certificate | None  # of the smallest δ that is refuted
    linkability: float | None
    loss: float | None
    largest_degree: int | None  # Θ; None where the graph is too large to count
    bottleneck: float | None  # (1 − 1/k)·δ = 1 − 2Θ/n: the trade between k and δ (Inequality 4, guidance only)


@dataclass(frozen=True)
class BindingValue:
    """A sensitive value that many rows have: what limits linkability and δ. `value` is data."""

    attribute: str
    value: Any
    rows: int
    share: float


@dataclass(frozen=True)
class TableAdvice:
    """Advice on one projected table."""

    sensitive: tuple[str, ...]
    rows: int
    epsilon_means: tuple[tuple[str, float], ...]  # attribute, and the share of the table's weight that it holds
    settings: tuple[Setting, ...]
    binding: tuple[BindingValue, ...]

    def to_json(self) -> dict[str, Any]:
        """Plain values, data among them: not for logs."""
        settings = [
            {
                "k": one.k,
                "epsilon": one.epsilon,
                "guaranteed": one.guaranteed,
                "reached": one.reached,
                "possible": one.possible,
                "refuted_by": None if one.certificate is None else one.certificate.sentence(),
                "linkability": one.linkability,
                "ncp": one.loss,
                "largest_degree": one.largest_degree,
                "bottleneck": one.bottleneck,
            }
            for one in self.settings
        ]
        binding = [{"attribute": one.attribute, "value": _plain(one.value), "rows": one.rows, "share": one.share} for one in self.binding]
        return {
            "sensitive": list(self.sensitive),
            "rows": self.rows,
            "weights": dict(self.epsilon_means),
            "settings": settings,
            "binding": binding,
        }


def advise(
    table: Table,
    sensitive: Sequence[str],
    seed: int,
    distance: Distance | None = None,
    sizes: Sequence[int] = SIZES,
    epsilons: Sequence[Any] = EPSILONS,
    linkable: Any = None,
) -> TableAdvice:
    """A map over k and ε for one projected table. `linkable`: a linkability that every partition must keep as well."""
    fitting = [k for k in sizes if 2 <= k <= table.rows]
    if not fitting:
        raise InputRejected(f"{table.rows} rows cannot make a group of any k that was asked for.", "Give smaller k, at least 2.")
    columns = table.select(sensitive)
    others = [linkability(column, linkable) for column in columns] if linkable is not None and exact(linkable) < 1 else []
    settings: list[Setting] = []
    seen: tuple[int, list[Setting]] | None = None
    for epsilon in sorted(epsilons, key=exact):
        limit = dissimilarity(columns, epsilon, "0", distance)
        pairs, degree = similar_pairs(limit) if len(limit.distinct) <= LARGEST_GRAPH else (-1, None)
        radius = float(exact(epsilon))
        if seen is not None and seen[0] == pairs >= 0:  # a larger ε with as many pairs has the same ones: the same graph
            settings += [replace(one, epsilon=radius) for one in seen[1]]
            continue
        found = [_setting(table, sensitive, limit, others, k, radius, degree, seed) for k in fitting]
        seen = (pairs, found)
        settings += found
    weights = np.array([(distance or Distance()).weights.get(column.name, column.weight) for column in columns], dtype=np.float64)
    shares = (weights / weights.sum()).tolist()
    return TableAdvice(
        tuple(sensitive), table.rows, tuple(zip(sensitive, shares, strict=True)), tuple(settings), binding_values(table, sensitive)
    )


def binding_values(table: Table, sensitive: Sequence[str], most: int = BINDING) -> tuple[BindingValue, ...]:
    """The most frequent sensitive values of each attribute, the largest share first."""
    found = []
    for column in table.select(sensitive):
        counts = np.where(column.sensitive, column.counts(), 0)
        for code in np.argsort(-counts, kind="stable")[:most].tolist():
            if counts[code] > 0:
                value = None if code == len(column.values) else column.values[code]
                found.append(BindingValue(column.name, value, int(counts[code]), float(counts[code]) / table.rows))
    return tuple(sorted(found, key=lambda one: -one.rows))


def _setting(
    table: Table,
    sensitive: Sequence[str],
    limit: NeighbourhoodLimit,
    others: Sequence[NeighbourhoodLimit],
    k: int,
    epsilon: float,
    degree: int | None,
    seed: int,
) -> Setting:
    """δ = 1 − j/(k−1): between two steps groups of k may hold the same number of similar rows."""
    steps = [1 - Fraction(j, k - 1) for j in range(k)]
    rows = table.rows
    guaranteed = None
    if degree is not None:
        guaranteed = next((step for step in steps if 2 * degree <= (rows // k) * int(limit.with_delta(step).allowed[k])), None)
    first = next((i for i, step in enumerate(steps) if _refuted(table, sensitive, limit, others, step, k) is None), len(steps))
    certificate = _refuted(table, sensitive, limit, others, steps[first - 1], k) if first > 0 else None
    tried: dict[int, Partition] = {}

    def reached(place: int) -> bool:
        limits = (limit.with_delta(steps[place]), *others)
        tried[place] = anonymize(table, sensitive, XColorSettings(k, limits, Variant.BLOCKS), seed)
        return tried[place].reached

    low, high = first, len(steps)
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if reached(middle) else (middle + 1, high)
    failures = 0  # success is not monotone in δ: look a little further than halving did
    for place in range(low - 1, first - 1, -1):
        failures = failures if (tried[place].reached if place in tried else reached(place)) else failures + 1
        if failures == PATIENCE:
            break
    best = min((place for place, found in tried.items() if found.reached), default=None)
    shares = None if best is None else fullest_share(table.select(sensitive), tried[best].groups)
    return Setting(
        k=k,
        epsilon=epsilon,
        guaranteed=None if guaranteed is None else float(guaranteed),
        reached=None if best is None else float(steps[best]),
        possible=float(steps[first]) if first < len(steps) else None,
        certificate=certificate,
        linkability=shares,
        loss=None if best is None else tried[best].loss,
        largest_degree=degree,
        bottleneck=None if degree is None else 1.0 - 2.0 * degree / rows,
    )


def _refuted(
    table: Table, sensitive: Sequence[str], limit: NeighbourhoodLimit, others: Sequence[NeighbourhoodLimit], delta: Fraction, k: int
) -> Certificate | None:
    found = refute((limit.with_delta(delta), *others), k, table.select(sensitive))
    return found if found is not None and found.refutes == EVERY else None


def _plain(value: Any) -> Any:
    if isinstance(value, np.generic):
        return value.item()
    return list(value) if isinstance(value, tuple | np.ndarray) else value
