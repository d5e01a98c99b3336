"""The figures of the (δ, l) paper and of the general-proximity paper redone: their tables, the checking algorithm, monotonicity, Theorem 1,
and what other principles leave open, also on groups of the census.

`python benchmarks/papers/proximity.py` runs all, prints every number that it draws, writes the charts and `figures.json` to
docs/paper-proximity/, and the tables and findings into docs/paper-proximity.md. `--figure` runs some, and keeps the numbers of the others.
`--quick` takes fewer rows and smaller groups; it writes to benchmarks/results/, and never to the page.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from benchmarks.papers import proximity_charts as charts
from benchmarks.papers import proximity_page as page
from benchmarks.papers import proximity_runs as runs
from benchmarks.papers.redo import Paper, redo

INTERVALS = ("0", "0.5", "1", "1.5", "2", "2.5", "3", "4", "5", "6", "7", "8", "9", "10", "12", "14", "16", "18", "20")
UNIONS = ("1", "2", "3", "5", "8", "12")
EPSILON, DELTAS = "0.05", ("0.5", "0.6", "0.7", "0.8")
EPSILONS = tuple(f"{step / 50:g}" for step in range(41))


@dataclass(frozen=True)
class Scale:
    """How much is run."""

    rows: int
    checked: int  # the largest group of all those that are tried
    merged: int
    sizes: tuple[int, ...]
    repeats: int


FULL = Scale(50_000, 6, 4, (6_250, 12_500, 25_000, 50_000, 100_000, 200_000), 5)
QUICK = Scale(6_000, 4, 3, (10_000, 20_000, 40_000), 2)


def salaries(scale: Scale) -> dict[str, Any]:
    """(δ, l), Figure 1: what the groups' diversity is worth."""
    groups = list(runs.SALARIES.values())
    near = {name: max(sum(abs(other - value) <= 10 for other in group) for value in group) for name, group in runs.SALARIES.items()}
    return {
        "groups": {name: list(group) for name, group in runs.SALARIES.items()},
        "distinct": min(len(set(group)) for group in groups),
        "frequency": min(len(group) / max(map(group.count, group)) for group in groups),
        "near": near,
        "by_interval": [{"interval": delta, **runs.diversities(groups, delta)} for delta in range(0, 275, 5)],
    }


def examples(scale: Scale) -> dict[str, Any]:
    """(δ, l), Figure 2 and Example 1."""
    groups = list(runs.EXAMPLES.values())
    return {"groups": {name: list(group) for name, group in runs.EXAMPLES.items()}} | {
        "by_interval": [{"interval": delta, **runs.diversities(groups, delta)} for delta in (5, 7.5, 10, 15)]
    }


def checking(scale: Scale) -> dict[str, Any]:
    """(δ, l), Figure 3, the claim O(|E|), and monotonicity."""
    deltas = (0, 0.5, 1, 1.5, 2)
    return {
        "lines": runs.checking(scale.checked, 7, deltas),
        "monotone": runs.monotone(scale.merged, 6, deltas),
        "seconds": runs.check_seconds(scale.sizes, scale.repeats),
    }


def census(scale: Scale) -> dict[str, Any]:
    """Ages in 3-diverse groups of the census: both readings of l and m against δ, and unions of groups."""
    frame, groups = runs.census_groups(scale.rows)
    return {
        "rows": len(frame),
        "groups": int(groups.max()) + 1,
        "by_interval": runs.census_diversity(frame, groups, INTERVALS),
        "unions": runs.census_unions(frame, groups, UNIONS),
        "principles": runs.principles(frame, groups, EPSILON, DELTAS),
        "epsilon": EPSILON,
        "width": int(frame["age"].max()) - int(frame["age"].min()),
    }


def diseases(scale: Scale) -> dict[str, Any]:
    """General proximity, Table I and Figure 1; Theorem 1."""
    distances = runs.disease_distances()
    return {
        "distances": distances.round(12).tolist(),
        "by_epsilon": runs.risks_of_diseases(EPSILONS),
        "dimensions": [round(value, 6) for value in runs.dimensions(distances[:5, :5])],
        "theorem_1": runs.theorem_1(scale.merged, 5, (0, 1, 2)),
    }


FIGURES: dict[str, Callable[[Scale], dict[str, Any]]] = {
    "salaries": salaries,
    "examples": examples,
    "checking": checking,
    "census": census,
    "diseases": diseases,
}


if __name__ == "__main__":
    redo(Paper("paper-proximity", __doc__, FIGURES, QUICK, FULL, charts.pictures, page.tables, page.with_tables))
