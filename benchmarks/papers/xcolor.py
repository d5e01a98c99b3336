"""The experiments of the XColor paper (section VI) redone on the census table: Figures 4, 5 and 6, and its claim on complexity.

`python benchmarks/papers/xcolor.py` runs all, prints every number that it draws, writes the charts and `figures.json` to
docs/paper-xcolor/, and the tables and findings into docs/paper-xcolor.md. `--figure` runs some, and keeps the numbers of the others.
`--quick` takes a sixth of the rows and fewer settings; it writes to benchmarks/results/, and never to the page.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from typing import Any

import pandas as pd

from benchmarks.papers import xcolor_charts as charts
from benchmarks.papers import xcolor_page as page
from benchmarks.papers.redo import Paper, redo, told
from benchmarks.papers.xcolor_runs import (
    BLOCKS,
    CODINGS,
    FAITHFUL,
    METHODS,
    REACHED,
    Outcome,
    Setting,
    crowding,
    diverse_groups,
    encoded,
    frequency_l,
    largest_delta,
    largest_epsilon,
    largest_frequency_l,
    limit_of,
    outcome,
    partition,
    seconds_to_read,
    timed,
    vulnerability,
    within,
    workers,
)
from headgate.core.columns import Table
from headgate.grouping.abstract_graph import abstract_graph
from headgate.grouping.axes import axes_of
from headgate.methods.xcolor.faithful import color

PAPER_ERROR = Setting(10, "0.1", "0.8")  # the paper's defaults of Figure 5
PAPER_TIME = Setting(20, "0.15", "0.9")  # and of Figure 6
OUR_ERROR = Setting(10, "0.02", "0.8")  # the nearest that are reached: section "Settings" of the page
OUR_TIME = Setting(20, "0.02", "0.8")
OUR_GROWTH = Setting(10, "0.07", "0.7")  # where many exchanges are needed


@dataclass(frozen=True)
class Scale:
    """How much is run."""

    rows: int
    sizes: tuple[int, ...]  # Figure 6
    growth: tuple[int, ...]
    l: int = 20  # noqa: E741 - the literature's name
    vulnerable_epsilons: tuple[str, ...] = tuple(f"{step / 50:g}" for step in range(1, 16))
    vulnerable_deltas: tuple[str, ...] = ("0.5", "0.55", "0.6", "0.65", "0.7", "0.75", "0.8", "0.85", "0.9", "0.95")
    epsilons: tuple[str, ...] = ("0.01", "0.02", "0.03", "0.04", "0.05", "0.075", "0.1")
    deltas: tuple[str, ...] = ("0.5", "0.6", "0.7", "0.8", "0.85", "0.9")
    ks: tuple[int, ...] = (5, 10, 15, 20, 25)
    selectivities: tuple[str, ...] = ("0.05", "0.1", "0.15", "0.2", "0.25")
    time_epsilons: tuple[str, ...] = ("0.01", "0.02", "0.03")
    time_deltas: tuple[str, ...] = ("0.7", "0.8", "0.85")
    time_ks: tuple[int, ...] = (10, 20, 30)
    queries: int = 1000
    repeats: int = 3
    patience: float = 60.0  # seconds


FULL = Scale(50_000, (30_000, 35_000, 40_000, 45_000, 50_000), (3_125, 6_250, 12_500, 25_000, 50_000))
QUICK = Scale(
    8_000, (4_000, 6_000, 8_000), (2_000, 4_000, 8_000), vulnerable_epsilons=("0.06", "0.12", "0.18", "0.24", "0.3"),
    vulnerable_deltas=("0.55", "0.65", "0.75", "0.85", "0.95"), epsilons=("0.01", "0.02", "0.03"), deltas=("0.6", "0.8"), ks=(5, 10, 20),
    selectivities=("0.05", "0.1", "0.25"), time_epsilons=("0.01", "0.02"), time_deltas=("0.7", "0.8"), time_ks=(10, 20), queries=200,
    repeats=1,
)  # fmt: skip


RUNS: dict[tuple[int, str, Setting], Outcome] = {}  # no run has two outcomes on the page


def run_once(
    frame: pd.DataFrame, table: Table, method: str, setting: Setting, scale: Scale, selectivities: tuple[str, ...]
) -> list[Outcome]:
    wanted = [(scale.rows, method, replace(setting, selectivity=one)) for one in selectivities]
    if any(one not in RUNS for one in wanted):
        told(f"  {method}: {setting}")
        found = outcome(frame, table, method, setting, scale.patience, selectivities, scale.queries)
        RUNS.update(zip(wanted, found, strict=True))
    return [RUNS[one] for one in wanted]


def figure_4(scale: Scale) -> dict[str, Any]:
    """Vulnerability of a table in which every group is l-diverse, by frequency of whole sensitive combinations."""
    frame = workers(scale.rows)
    table = encoded(frame)
    groups = diverse_groups(frame, scale.l)
    return {
        "rows": scale.rows,
        "groups": int(groups.max()) + 1,
        "l": scale.l,
        "l_measured": frequency_l(frame, groups),
        "l_possible": largest_frequency_l(frame),
        "epsilons": list(scale.vulnerable_epsilons),
        "deltas": list(scale.vulnerable_deltas),
        "vulnerability": {
            f"L{p}": vulnerability(table, groups, p, scale.vulnerable_epsilons, scale.vulnerable_deltas).tolist() for p in (1, 2)
        },
    }


def figure_5(scale: Scale) -> dict[str, Any]:
    """Mean relative error of count queries: one of ε, δ, k and s varied, the others as in OUR_ERROR."""
    frame = workers(scale.rows)
    table = encoded(frame)

    def of(method: str, setting: Setting, selectivities: tuple[str, ...]) -> list[dict[str, Any]]:
        return [asdict(one) for one in run_once(frame, table, method, setting, scale, selectivities)]

    panels: dict[str, list[dict[str, Any]]] = {"s": [], "epsilon": [], "delta": [], "k": []}
    for method in METHODS:
        panels["s"] += of(method, OUR_ERROR, scale.selectivities)
        for name, values in (("epsilon", scale.epsilons), ("delta", scale.deltas), ("k", scale.ks)):
            for value in values:
                panels[name] += of(method, replace(OUR_ERROR, **{name: value}), (OUR_ERROR.selectivity,))
    return {"rows": scale.rows, "queries": scale.queries, "defaults": asdict(OUR_ERROR), "panels": panels}


def settings(scale: Scale) -> dict[str, Any]:
    """The paper's own defaults on this data; where they fail, the largest δ at its ε and the largest ε at its δ."""
    frame = workers(scale.rows)
    table = encoded(frame)
    found: dict[str, Any] = {"rows": scale.rows, "asked": [], "delta": [], "epsilon": []}
    asked_of_each = [(coding, asked) for asked in (PAPER_ERROR, PAPER_TIME) for coding in CODINGS]
    found["crowding"] = [asdict(crowding(coding, asked, scale.rows)) for coding, asked in asked_of_each]
    for number, asked in (("5", PAPER_ERROR), ("6", PAPER_TIME)):
        for method in (BLOCKS, FAITHFUL):
            one = run_once(frame, table, method, asked, scale, (asked.selectivity,))[0]
            told(f"  the nearest to {asked}")
            found["asked"].append({"figure": number, **asdict(one)})
            if one.state == REACHED:
                continue
            nearest = largest_delta(frame, table, method, asked, scale.patience, scale.queries)
            found["delta"] += [{"asked": asdict(asked), **asdict(best)} for best in nearest]
            nearest = largest_epsilon(frame, table, method, asked, scale.epsilons, scale.patience, scale.queries)
            found["epsilon"] += [{"asked": asdict(asked), **asdict(best)} for best in nearest]
    return found


def figure_6(scale: Scale) -> dict[str, Any]:
    """Seconds against the number of rows: one of ε, δ and k varied, the others as in OUR_TIME."""
    frame = workers()
    tables = {rows: encoded(frame.iloc[:rows]) for rows in scale.sizes}
    reading = {rows: seconds_to_read(frame.iloc[:rows]) for rows in scale.sizes}
    varied = {"epsilon": scale.time_epsilons, "delta": scale.time_deltas, "k": scale.time_ks}
    known: dict[tuple[str, Setting], list[dict[str, Any]]] = {}
    panels: dict[str, list[dict[str, Any]]] = {name: [] for name in varied}
    for method in (FAITHFUL, BLOCKS):
        partition(tables[scale.sizes[0]], method, OUR_TIME, scale.patience)  # loads the compiled loops
        for name, values in varied.items():
            for value in values:
                setting = replace(OUR_TIME, **{name: value})
                told(f"  {method}: {setting}")
                if (method, setting) not in known:
                    lines = timed(tables, method, setting, scale.patience, reading, scale.repeats)
                    known[method, setting] = [asdict(one) for one in lines]
                panels[name] += known[method, setting]
    return {"defaults": asdict(OUR_TIME), "reading": {str(rows): seconds for rows, seconds in reading.items()}, "panels": panels}


def growth(scale: Scale) -> dict[str, Any]:
    """How exchanges and seconds of `faithful` grow with the rows, beside the edges of the abstract graph."""
    frame = workers()
    points: list[dict[str, Any]] = []
    for rows in scale.growth:
        told(f"  {rows:,} rows")
        table = encoded(frame.iloc[:rows])
        axes, limit = axes_of(table), limit_of(table, OUR_GROWTH)
        seconds = []
        for _ in range(scale.repeats):
            start = time.perf_counter()
            found = within(6 * scale.patience, lambda watch: color(axes, [limit], rows, OUR_GROWTH.k, watch))  # noqa: B023 - called at once
            seconds.append(time.perf_counter() - start)
        if found is None:
            break
        graph = abstract_graph(limit)
        points.append(
            {
                "rows": rows,
                "edges": graph.edge_count,
                "largest_degree": graph.largest_degree,
                "exchanges": found.exchanges,
                "violations": found.violations,
                "seconds": statistics.median(seconds),
            }
        )
    return {"setting": asdict(OUR_GROWTH), "points": points}


FIGURES: dict[str, Callable[[Scale], dict[str, Any]]] = {
    "settings": settings,
    "4": figure_4,
    "5": figure_5,
    "6": figure_6,
    "growth": growth,
}


if __name__ == "__main__":
    redo(Paper("paper-xcolor", __doc__, FIGURES, QUICK, FULL, charts.pictures, page.tables, page.with_tables))
