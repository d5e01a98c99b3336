"""The tables and the findings of docs/paper-risk.md, made from figures.json alone, so that the page cannot disagree with the run."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from benchmarks.papers.risk_charts import AXES, lines_of
from benchmarks.papers.writing import between_marks, table, yes
from headgate.risk.disclosure.decision import bound_holds

SCRIPT = "benchmarks/papers/risk.py"
SHOWN_SIZES = (0.1, 0.2, 0.4, 0.6, 0.8, 1.0)
LINEAR = 1.1  # an exponent that no reader of a chart would tell from 1

Finding = tuple[str, str, str]


def with_tables(text: str, tables: str) -> str:
    return between_marks(text, tables, SCRIPT)


def tables(found: Mapping[str, Any]) -> str:
    made = {"left": _left, "right": _right, "gaps": _gaps, "growth": _growth}
    heads = ("The paper", "Here", "Replicates")
    parts = ["## Findings\n\n" + table(heads, findings(found))] if set(made) <= set(found) else []
    return "\n".join([*parts, *(write(found[name]) for name, write in made.items() if name in found)])


def findings(found: Mapping[str, Any]) -> list[Finding]:
    return [*_on_left(found["left"]), *_on_right(found["right"]), *_on_growth(found["growth"])]


def slopes(figure: Mapping[str, Any], form: str, gaps: float) -> list[float]:
    """Of the line through the origin that is nearest to the points of each size of θ_true."""
    out = []
    for size in figure["sizes"]:
        mine = [one for one in figure["points"] if one["kept"] and (one["form"], one["size"], one["gaps"]) == (form, size, gaps)]
        true, known = (np.array([one[key] for one in mine]) for key in ("true", "estimated"))
        out.append(float((true * known).sum() / (true * true).sum()))
    return out


def exponents(figure: Mapping[str, Any]) -> dict[str, float]:
    """Slope of log seconds over log size."""
    out = {}
    for axis in AXES:
        mine = [one for one in figure["points"] if one["axis"] == axis]
        out[axis] = float(np.polyfit(np.log([one["value"] for one in mine]), np.log([one["seconds"] for one in mine]), 1)[0])
    return out


def _on_left(figure: Mapping[str, Any]) -> Iterable[Finding]:
    grid = _grid(figure, "with the records", "random")
    for form, risks in grid.items():
        rises = np.diff(risks, axis=0) > 0
        yield (
            f"Figure 1 left: risk rises with the attributes disclosed, at every dictionary size ({form})",
            f"at {int(rises.sum())} of {rises.size} steps; {_number(risks[0, -1])} to {_number(risks[-1, -1])} against the whole table",
            yes(bool(rises.all())),
        )
    for form, risks in grid.items():
        falls = np.diff(risks, axis=1) < 0
        yield (
            f"Figure 1 left: risk falls as the dictionary grows, at every k ({form})",
            f"at {int(falls.sum())} of {falls.size} steps; from 10 % to 100 % of the table to 1/{risks[0, 0] / risks[0, -1]:.1f} of it at "
            f"k = 25 %, to 1/{risks[-1, 0] / risks[-1, -1]:.1f} at k = 100 %",
            yes(bool(falls.all())),
        )
    over = _grid(figure, "at random", "random")["additive"]
    falls = np.diff(over, axis=1) < 0
    yield (
        "the same, if the dictionary is drawn without regard to who is released",
        f"at {int(falls.sum())} of {falls.size} steps; at k = 100 % from {over[-1, 0]:.3g} to {over[-1, -1]:.3g} (additive)",
        yes(bool(falls.all())),
    )
    pairs = [
        (a["risk"], b["risk"])
        for a in figure["lines"]
        for b in figure["lines"]
        if (a["form"], b["form"]) == ("multiplicative", "additive") and all(a[key] == b[key] for key in ("reading", "rule", "share"))
    ]
    above = [one > other for a, b in pairs for one, other in zip(a, b, strict=True)]
    yield (
        "Multiplicative sensitivity is always above additive",
        f"at {sum(above)} of {len(above)} points, and in every record: Φ5 − Φ3 ≥ {figure['closest']:.3f}",
        yes(all(above) and figure["closest"] > 0),
    )


def _on_right(figure: Mapping[str, Any]) -> Iterable[Finding]:
    kept = [one for one in figure["points"] if one["kept"]]
    above = [bound_holds(one["true"], one["estimated"]) for one in kept]
    asked = all(one["refines"] and one["agrees"] for one in figure["preconditions"] if one["kept"])
    yield (
        "Figure 1 right: all points lie on or above the diagonal",
        f"{sum(above)} of {len(above)}; θ̂ ⪯ θ_true and an entry that agrees for every record: {'checked' if asked else 'not so'}",
        yes(all(above) and asked),
    )
    for form in ("multiplicative", "additive"):
        for gaps in (0.0, figure["gaps"]):
            found = slopes(figure, form, gaps)
            cells = f", {gaps:.0%} of the cells of θ_true missing" if gaps else ""
            yield (
                f"Figure 1 right: the larger θ_true, the steeper ({form}{cells})",
                "slopes " + ", ".join(f"{one:.3g}" for one in found),
                yes(all(one < other for one, other in itertools.pairwise(found))),
            )
    lost = [one for one in figure["points"] if not one["kept"]]
    below = sum(not bound_holds(one["true"], one["estimated"]) for one in lost)
    yield (
        "Theorem 1: the estimate is a bound if θ̂ has the records' people",
        f"where it has none of them, {below} of {len(lost)} points lie below the diagonal",
        yes(all(above) and below > 0),
    )


def _on_growth(figure: Mapping[str, Any]) -> Iterable[Finding]:
    found = exponents(figure)
    yield (
        "Theorem 2: MinRisk takes O(nNm)",
        "time grows with the power " + ", ".join(f"{power:.2f} of {axis}" for axis, power in found.items()),
        yes(all(power <= LINEAR for power in found.values())),
    )


def _grid(figure: Mapping[str, Any], reading: str, rule: str) -> dict[str, np.ndarray]:
    """Shares × sizes, by form."""
    mine = sorted(lines_of(figure, reading, rule), key=lambda one: one["share"])
    return {form: np.array([one["risk"] for one in mine if one["form"] == form]) for form in ("multiplicative", "additive")}


def _number(value: float) -> str:
    return f"{value:,.0f}" if value >= 1000 else f"{value:.3g}"


def _left(figure: Mapping[str, Any]) -> str:
    places = [figure["sizes"].index(size) for size in SHOWN_SIZES]
    rows, outside = [], []
    for reading, rule in (("with the records", "random"), ("with the records", "MinRisk"), ("at random", "random")):
        for one in sorted(lines_of(figure, reading, rule), key=lambda one: (one["form"], one["share"]), reverse=True):
            cells = [_number(one["risk"][place]) for place in places]
            rows.append((reading, "by chance" if rule == "random" else rule, one["form"], f"{one['share']:.0%}", *cells))
            if reading == "at random" and one["form"] == "additive":
                outside.append((f"{one['share']:.0%}", *(f"{one['unmatched'][place]:.1%}" for place in places)))
    sizes = [f"{size:.0%}" for size in SHOWN_SIZES]
    wide = max(high / low for one in figure["lines"] for low, high in zip(one["low"], one["high"], strict=True) if low > 0)
    return (
        "## Figure 1, left: risk against dictionary size\n\n![Risk against dictionary size](paper-risk/figure-1-left.png)\n\n"
        f"{figure['released']:,} records of {len(figure['attributes'])} attributes, against 10 % to 100 % of {figure['rows']:,} people; "
        f"means of {figure['draws']} draws of weights and attributes, the highest draw at most {wide:.2f} times the lowest.\n\n"
        + table(("Dictionary", "Attributes", "Φ", "k", *sizes), rows)
        + "\nRecords that fit nobody, if the dictionary is drawn at random:\n\n"
        + table(("k", *sizes), outside)
    )


def _right(figure: Mapping[str, Any]) -> str:
    rows = []
    for form in ("multiplicative", "additive"):
        for gaps in (0.0, figure["gaps"]):
            mine = [one for one in figure["points"] if one["kept"] and (one["form"], one["gaps"]) == (form, gaps)]
            for size, slope in zip(figure["sizes"], slopes(figure, form, gaps), strict=True):
                ratios = [one["estimated"] / one["true"] for one in mine if one["size"] == size]
                spread = (slope, min(ratios), float(np.median(ratios)), max(ratios))
                rows.append((form, f"{gaps:.0%}", f"{size:.0%}", *map(_number, spread)))
    return (
        "## Figure 1, right: estimated against true risk\n\n![Estimated against true risk](paper-risk/figure-1-right.png)\n\n"
        f"θ̂ is {figure['estimate']:.0%} of the table, the records' people among them; θ_true holds it. A point is a rule: 1 to all "
        "attributes per record, by chance. Drawn: additive.\n\n"
        + table(("Φ", "Missing in θ_true", "θ_true", "Slope", "Estimated/true, least", "median", "largest"), rows)
    )


def _gaps(figure: Mapping[str, Any]) -> str:
    rows = []
    for one in figure["lines"]:
        risks = (_number(one[key]) for key in ("random", "min_risk", "best"))
        rows.append((one["weights"], str(one["keep"]), *risks, f"{one['min_risk'] / one['best']:.3f}"))
    return (
        "## MinRisk where fields depend on each other\n\n![MinRisk, chance and the best rule](paper-risk/min-risk.png)\n\n"
        f"{figure['records']:,} records against {figure['individuals']:,} people; Φ5. The best rule is found by trying every choice of k "
        "attributes.\n\n" + table(("Weights", "k", "By chance", "MinRisk", "Best", "MinRisk/best"), rows)
    )


def _growth(figure: Mapping[str, Any]) -> str:
    middle = figure["middle"]
    rows = [(AXES[one["axis"]], f"{one['value']:,}", f"{one['seconds']:.3f}") for one in figure["points"]]
    return (
        "## Time of MinRisk\n\n![Seconds against n, N and m](paper-risk/growth.png)\n\n"
        "Processor time, the reading of both frames included; what is not varied is "
        f"n = {middle['n']:,}, N = {middle['N']:,}, m = {middle['m']}.\n\n" + table(("Varied", "Value", "Seconds"), rows)
    )
