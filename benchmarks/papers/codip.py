"""The experiments of the CODIP paper (section 7) redone on the census table: Figures 5 to 9, and its whole algorithm.

`python benchmarks/papers/codip.py` runs all, prints every number that it draws, writes the charts and `figures.json` to
docs/paper-codip/, and the tables and findings into docs/paper-codip.md. `--figure` runs some (5 gives 6 too), and keeps the numbers
of the others. `--quick` takes a sixth of the rows and fewer settings; it writes to benchmarks/results/, and never to the page.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from benchmarks.papers import codip_charts as charts
from benchmarks.papers import codip_page as page
from benchmarks.papers.codip_runs import (
    GIGA,
    PAPER_ROWS,
    Demand,
    Hierarchies,
    among,
    check_table,
    closeness_of,
    in_two,
    least_discernibility,
    measured_nodes,
    merges,
    people,
    sensitive_of,
    tables_of_codip,
)
from benchmarks.papers.redo import Paper, redo
from headgate.core.tolerance import at_most
from headgate.projection.baseline import against_single, trade_off
from headgate.projection.codip import codip_star
from headgate.projection.information import Plan, associations
from headgate.projection.plan import NoPlan

ROWS = 99_762
FIGURE_7 = (0.3, 0.3)  # the paper's α and β
FIGURE_8 = (0.2, 0.5)
BOUND = 3.5  # the paper's d_m of Figure 9
DRAWN_TABLES = (1, 2, 4, 6, 15)  # of Figure 8
COUNTED_TABLES = (2, 3, 4, 5, 6, 7)  # of Figure 9: the paper's six plans
SEED = 7
OTHERS = tuple(
    Hierarchies(ages, races) for races in (False, True) for ages in ((5, 10, 20, 40), (5, 15, 45), (10, 30, 60), (4, 8, 16, 32, 64))
)


@dataclass(frozen=True)
class Scale:
    """How much is run."""

    rows: int
    orders: int  # of the attributes, for Figure 7
    bounds: tuple[float, ...] = (0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 3.5, 4.0, 4.5, 5.0)
    ks: tuple[int, ...] = (2, 5, 10, 20, 50, 100)
    ts: tuple[str, ...] = ("0.4", "0.37")
    whole_ks: tuple[int, ...] = (2, 20, 100)
    whole_ts: tuple[str, ...] = ("0.5", "0.4", "0.37", "0.2")

    @property
    def unit(self) -> float:
        """The paper's unit of discernibility; with fewer rows, as much smaller as all of them in one group are."""
        return GIGA * (self.rows / ROWS) ** 2

    @property
    def readings(self) -> dict[str, float]:
        """The paper's bound as printed, and as the same share of all rows in one group."""
        return {"as printed": BOUND, "same share": BOUND * (ROWS / PAPER_ROWS) ** 2}


FULL = Scale(ROWS, 500)
QUICK = Scale(16_000, 20, bounds=(1.0, 3.5, 5.0), ks=(2, 20, 100), whole_ks=(2,), whole_ts=("0.5", "0.4"))


def plans(scale: Scale) -> dict[str, Any]:
    """Figures 5 and 6: Γα and Γβ of every plan on CODIP*'s way, the least exposed plans beside it, and the best two tables."""
    table = people(scale.rows)
    columns = sensitive_of(table)
    figures = associations(columns)
    alpha, beta = FIGURE_8
    steps = codip_star(columns, 1.0, 1.0).steps
    pairs = [(figures.information_exposure(plan), figures.association_loss(plan), plan) for plan in in_two(figures)]
    kept = [one for one in pairs if at_most(one[1], alpha)]
    return {
        "rows": table.rows,
        "attributes": list(figures.names),
        "entropy": figures.entropy.tolist(),
        "points": [asdict(point) for point in trade_off(columns)],
        "merged": [[[figures.names[i] for i in side] for side in step.merged or ()] for step in steps],
        "two": {
            "alpha": alpha,
            "beta": beta,
            "plans": len(pairs),
            "kept": sum(at_most(one[0], beta) for one in kept),
            "best": _named_plan(figures.names, *min(kept)) if kept else None,
        },
    }


def _named_plan(names: tuple[str, ...], exposure: float, loss: float, plan: Plan) -> dict[str, Any]:
    tables = [[names[i] for i in table] for table in plan]
    return {"tables": tables, "association_loss": loss, "information_exposure": exposure}


def figure_7(scale: Scale) -> dict[str, Any]:
    """Tables against the number of attributes: the first s in the paper's order of naming them, and in random orders."""
    figures = associations(sensitive_of(people(scale.rows)))
    size = len(figures.names)
    draw = np.random.default_rng(SEED)
    orders = [draw.permutation(size).tolist() for _ in range(scale.orders)]
    points = []
    for s in range(2, size + 1):
        found = [tables_of_codip(among(figures, order[:s]), *FIGURE_7) for order in orders]
        reached = [one for one in found if one is not None]
        points.append(
            {
                "attributes": s,
                "as_named": tables_of_codip(among(figures, range(s)), *FIGURE_7),
                "mean": float(np.mean(reached)) if reached else None,
                "low": float(np.quantile(reached, 0.1)) if reached else None,
                "high": float(np.quantile(reached, 0.9)) if reached else None,
                "failed": 1 - len(reached) / len(found),
            }
        )
    return {"alpha": FIGURE_7[0], "beta": FIGURE_7[1], "orders": scale.orders, "points": points}


def figure_8(scale: Scale) -> dict[str, Any]:
    """The best closeness of plans at k = 2 under bounds of discernibility, each table generalized for itself."""
    table = people(scale.rows)
    figures, nodes = associations(sensitive_of(table)), measured_nodes(table)
    way = merges(figures)
    lines = []
    for number, plan in sorted(way.items()):
        loss, exposure = figures.association_loss(plan), figures.information_exposure(plan)
        kept = _keeps(loss, exposure)
        points: list[dict[str, Any]] = []
        for bound in sorted({*scale.bounds, *scale.readings.values()}):
            mine, single = (closeness_of(nodes, one, 2, bound * scale.unit) for one in (plan, way[1]))
            gain = None if mine is None else against_single(loss, exposure, mine, single).closeness
            points.append({"bound": bound, "closeness": None if mine is None else max(mine), "improvement": gain})
            if mine is not None:
                points[-1]["decides"] = figures.names[[i for one in plan for i in one][int(np.argmax(mine))]]
        lines.append({"tables": number, "association_loss": loss, "information_exposure": exposure, "kept": kept, "points": points})
    return {"k": 2, "drawn": list(DRAWN_TABLES), "bounds": list(scale.bounds), "readings": scale.readings, "lines": lines}


def figure_9(scale: Scale) -> dict[str, Any]:
    """How many plans pass CheckPlan at k and t; how many nodes are k-anonymous; and the discernibility at which plans would pass."""
    table = people(scale.rows)
    figures, nodes = associations(sensitive_of(table)), measured_nodes(table)
    way = merges(figures)
    passed: list[dict[str, Any]] = []
    for reading, bound in scale.readings.items():
        for k in scale.ks:
            for t in scale.ts:
                check = check_table(table, Demand(k, t, bound * scale.unit))
                standing = [n for n, plan in sorted(way.items()) if all(check(tuple(figures.names[i] for i in one)).passed for one in plan)]
                passed.append({"reading": reading, "bound": bound, "k": k, "t": t, "tables": standing})
    best, least = [], []
    for k in scale.ks:
        for reading, bound in scale.readings.items():
            reached = {number: closeness_of(nodes, plan, k, bound * scale.unit) for number, plan in way.items()}
            found = {str(number): None if one is None else max(one) for number, one in sorted(reached.items())}
            best.append({"reading": reading, "bound": bound, "k": k, "closeness": found})
        for t in scale.ts:
            needed = {str(n): least_discernibility(nodes, plan, k, t) / scale.unit for n, plan in sorted(way.items())}
            least.append({"k": k, "t": t, "bounds": needed})
    anonymous = [
        {
            "k": k,
            "all": sum(node.smallest >= k for node in nodes),
            **{
                r: sum(node.smallest >= k and at_most(node.discernibility, b * scale.unit) for node in nodes)
                for r, b in scale.readings.items()
            },
        }
        for k in scale.ks
    ]
    return {
        "nodes": len(nodes),
        "largest": max(node.discernibility for node in nodes) / scale.unit,
        "counted": list(COUNTED_TABLES),
        "kept": [n for n, plan in sorted(way.items()) if _keeps(figures.association_loss(plan), figures.information_exposure(plan))],
        "passed": passed,
        "best": best,
        "least_bounds": least,
        "anonymous": anonymous,
    }


def _keeps(loss: float, exposure: float) -> bool:
    return at_most(loss, FIGURE_8[0]) and at_most(exposure, FIGURE_8[1])


def hierarchies(scale: Scale) -> dict[str, Any]:
    """What Figures 8 and 9 would be with other hierarchies, at the bound as printed."""
    figures = associations(sensitive_of(people(scale.rows)))
    way = merges(figures)
    kept = [plan for plan in way.values() if _keeps(figures.association_loss(plan), figures.information_exposure(plan))]
    most = BOUND * scale.unit
    lines = []
    for one in OTHERS:
        nodes = measured_nodes(people(scale.rows, one))
        best = {name: closeness_of(nodes, plan, 2, most) for name, plan in (("single", way[1]), ("separate", way[max(way)]))}
        plans = [closeness_of(nodes, plan, 2, most) for plan in kept]
        lines.append(
            {
                **asdict(one),
                "nodes": len(nodes),
                "anonymous": [sum(node.smallest >= k and at_most(node.discernibility, most) for node in nodes) for k in scale.ks],
                **{name: None if found is None else max(found) for name, found in best.items()},
                "kept": min((max(found) for found in plans if found is not None), default=None),
            }
        )
    return {"bound": BOUND, "ks": list(scale.ks), "lines": lines}


def whole(scale: Scale) -> dict[str, Any]:
    """CODIP* from beginning to end, CheckPlan and all: which plan comes out, or why none."""
    table = people(scale.rows)
    columns = sensitive_of(table)
    alpha, beta = FIGURE_8
    runs = []
    for reading, bound in scale.readings.items():
        for k in scale.whole_ks:
            for t in scale.whole_ts:
                start = time.perf_counter()
                try:
                    plan = codip_star(columns, alpha, beta, check_table(table, Demand(k, t, bound * scale.unit)), monotone=True)
                    found = {"tables": len(plan.tables), "association_loss": plan.association_loss, "reason": ""}
                    found["information_exposure"] = plan.information_exposure
                except NoPlan as refused:
                    found = {
                        "tables": None,
                        "association_loss": None,
                        "information_exposure": None,
                        "reason": str(refused.steps[-1].reason),
                    }
                seconds = time.perf_counter() - start
                runs.append({"reading": reading, "bound": bound, "k": k, "t": t, **found, "seconds": seconds})
    return {"alpha": alpha, "beta": beta, "runs": runs}


FIGURES: dict[str, Callable[[Scale], dict[str, Any]]] = {
    "5": plans,
    "7": figure_7,
    "8": figure_8,
    "9": figure_9,
    "hierarchies": hierarchies,
    "whole": whole,
}


if __name__ == "__main__":
    redo(Paper("paper-codip", __doc__, FIGURES, QUICK, FULL, charts.pictures, page.tables, page.with_tables))
