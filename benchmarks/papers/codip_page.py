"""The tables and the findings of docs/paper-codip.md, made from figures.json alone, so that the page cannot disagree with the run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from benchmarks.papers.codip_findings import findings, way_of
from benchmarks.papers.writing import between_marks, listed, table

SCRIPT = "benchmarks/papers/codip.py"


def with_tables(text: str, tables: str) -> str:
    return between_marks(text, tables, SCRIPT)


def tables(found: Mapping[str, Any]) -> str:
    made = {"5": _figures_5_and_6, "7": _figure_7, "8": _figure_8, "9": _figure_9, "hierarchies": _hierarchies, "whole": _whole}
    heads = ("The paper", "Here", "Replicates")
    parts = ["## Findings\n\n" + table(heads, findings(found))] if set(made) <= set(found) else []
    return "\n".join([*parts, *(write(found[name]) for name, write in made.items() if name in found)])


def _figures_5_and_6(figure: Mapping[str, Any]) -> str:
    way = list(reversed(way_of(figure)))
    least = [one for one in figure["points"] if one["method"] == "optimal"]
    rows = []
    for one, merged in zip(way, figure["merged"], strict=True):
        below = [each for each in least if each["association_loss"] <= one["association_loss"] + 1e-9]
        best = min(below, key=lambda each: each["information_exposure"], default=None)
        sides = " + ".join("{" + ", ".join(side) + "}" if len(side) < 4 else f"{{{len(side)} attributes}}" for side in merged)
        other = "–" if best is None else f"{best['information_exposure']:.4f} ({best['tables']})"
        loss, exposure = one["association_loss"], one["information_exposure"]
        rows.append((str(one["tables"]), sides or "–", f"{loss:.4f}", f"{exposure:.4f}", f"{1 - exposure:.1%}", other))
    entropies = ", ".join(f"{name} {nats:.2f}" for name, nats in zip(figure["attributes"], figure["entropy"], strict=True))
    return (
        "## Figures 5 and 6: association loss, join-threat and the number of tables\n\n"
        "![Γβ against Γα](paper-codip/figure-5.png)\n\n![Both against the number of tables](paper-codip/figure-6.png)\n\n"
        f"{figure['rows']:,} rows, {len(figure['attributes'])} attributes (entropy in nats: {entropies}). CODIP*'s way from all apart to "
        "all in one; the last column is the least Γβ known of any plan that loses no more, with its number of tables:\n\n"
        + table(("N", "Merged", "Γα", "Γβ", "Join-threat reduced", "Least exposed"), rows)
    )


def _figure_7(figure: Mapping[str, Any]) -> str:
    rows = [
        (
            str(one["attributes"]),
            _whole_number(one["as_named"]),
            *("–" if one[key] is None else f"{one[key]:.1f}" for key in ("mean", "low", "high")),
            f"{one['failed']:.0%}",
        )
        for one in figure["points"]
    ]
    return (
        "## Figure 7: tables against attributes\n\n![Tables against attributes](paper-codip/figure-7.png)\n\n"
        f"α = {figure['alpha']:g}, β = {figure['beta']:g}; {figure['orders']} random orders, of each the first s attributes. "
        "*Fails*: no plan on the way keeps both; the other figures are of the orders that do not fail.\n\n"
        + table(("s", "N, as the paper names them", "N, mean", "10 %", "90 %", "Fails"), rows)
    )


def _figure_8(figure: Mapping[str, Any]) -> str:
    lines = sorted(figure["lines"], key=lambda one: one["tables"])
    bounds = [point["bound"] for point in lines[0]["points"]]
    rows = []
    for one in lines:
        cells = [_closeness(point) for point in one["points"]]
        rows.append((f"{one['tables']}{'*' if one['kept'] else ''}", *cells))
    rows.append(("decided by", *(point.get("decides", "–") for point in lines[0]["points"])))
    return (
        "## Figure 8: the best closeness of plans\n\n![Best closeness](paper-codip/figure-8.png)\n\n"
        f"k = {figure['k']}. The largest EMD of any attribute, each table generalized for itself as closeness likes best among the nodes "
        "with Σ|E|² ≤ d_m (in 10⁹); in brackets the improvement on N = 1. *: Γα ≤ 0.2 and Γβ ≤ 0.5. Last "
        "row: the attribute with the largest EMD in the one table.\n\n" + table(("N", *(f"{bound:.3g}" for bound in bounds)), rows)
    )


def _figure_9(figure: Mapping[str, Any]) -> str:
    cell = {(one["reading"], one["k"], one["t"]): one["tables"] for one in figure["passed"]}
    readings = {one["reading"]: one["bound"] for one in figure["passed"]}
    ts = list(dict.fromkeys(one["t"] for one in figure["passed"]))
    ks = [one["k"] for one in figure["anonymous"]]
    passed = [(str(k), *(_spans(cell[reading, k, t]) for reading in readings for t in ts)) for k in ks]
    reached = {(one["reading"], one["k"]): one["closeness"] for one in figure["best"]}
    shown = ("1", "2", "4", "6", "8", "15")
    best = [(str(k), reading, *(_three(reached[reading, k][n]) for n in shown)) for k in ks for reading in readings]
    least = [
        (str(one["k"]), one["t"], *(f"{one['bounds'][n]:.3f}" for n in shown)) for one in figure["least_bounds"]
    ]  # fmt: skip
    nodes = [(str(one["k"]), str(one["all"]), *(str(one[reading]) for reading in readings)) for one in figure["anonymous"]]
    heads = [f"d_m {reading} ({bound:.3f}), t = {t}" for reading, bound in readings.items() for t in ts]
    return "\n".join(
        [
            "## Figure 9: effects of k\n\n![Effects of k](paper-codip/figure-9.png)\n\nThe numbers of tables at which CODIP*'s plan passes "
            "CheckPlan, full-domain generalization with k and t and a discernibility of at most d_m:\n",
            table(("k", *heads), passed),
            "The best closeness that each plan could have:\n",
            table(("k", "d_m", *(f"N = {n}" for n in shown)), best),
            f"The least d_m at which the plan would pass (in 10⁹; all rows in one group have {figure['largest']:.3f}):\n",
            table(("k", "t", *(f"N = {n}" for n in shown)), least),
            f"k-anonymous nodes of {figure['nodes']}:\n",
            table(("k", "any d_m", *(f"d_m {reading}" for reading in readings)), nodes),
        ]
    )


def _hierarchies(figure: Mapping[str, Any]) -> str:
    rows = [
        (
            ", ".join(str(years) for years in one["ages"]), "white, other" if one["races"] else "–", str(one["nodes"]),
            listed(one["anonymous"]), *(_three(one[key]) for key in ("single", "kept", "separate")),
        )
        for one in figure["lines"]
    ]  # fmt: skip
    return (
        "## Other hierarchies\n\n"
        f"Figures 8 and 9 at d_m = {figure['bound']:g} under other hierarchies of age (years in a node of each level, then *) and race. "
        f"Nodes: the k-anonymous ones at k = {listed(figure['ks'])}. Best closeness at k = 2 of one table, of the best plan on CODIP*'s "
        "way with Γα ≤ 0.2 and Γβ ≤ 0.5, and of every attribute apart:\n\n"
        + table(("Age", "Race", "Nodes", "k-anonymous", "N = 1", "CODIP*", "N = 15"), rows)
    )


def _whole(figure: Mapping[str, Any]) -> str:
    rows = [
        (
            f"{one['bound']:.3f}", str(one["k"]), one["t"], _whole_number(one["tables"]), _three(one["association_loss"]),
            _three(one["information_exposure"]), f"{one['seconds']:.2f}", one["reason"] or "–",
        )
        for one in figure["runs"]
    ]  # fmt: skip
    return (
        "## The whole of CODIP*\n\n"
        f"α = {figure['alpha']:g}, β = {figure['beta']:g}, and CheckPlan of every table that a merge changes, "
        "by full-domain generalization:\n\n" + table(("d_m", "k", "t", "N", "Γα", "Γβ", "Seconds", "Why no plan"), rows)
    )


def _closeness(point: Mapping[str, Any]) -> str:
    if point["closeness"] is None:
        return "–"
    return f"{point['closeness']:.3f}" + ("" if point["improvement"] is None else f" ({point['improvement']:.0%})")


def _spans(numbers: Sequence[int]) -> str:
    """2, 3, 4, 7 as 2–4, 7."""
    runs: list[list[int]] = []
    for number in sorted(numbers):
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    return ", ".join(str(run[0]) if len(run) == 1 else f"{run[0]}–{run[-1]}" for run in runs) or "none"


def _three(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"


def _whole_number(value: int | None) -> str:
    return "–" if value is None else str(value)
