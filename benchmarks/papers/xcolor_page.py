"""The tables and the findings of docs/paper-xcolor.md, made from figures.json alone, so that the page cannot disagree with the run."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from benchmarks.papers.writing import between_marks
from benchmarks.papers.writing import table as _table
from benchmarks.papers.writing import yes as _yes

SCRIPT = "benchmarks/papers/xcolor.py"
PROMISE = 0.15  # "the relative error is always below 15%"
LOW_SELECTIVITY, LOW_ERROR = "0.05", 0.05  # "even for s as low as 0.05 … below 5%"
NOTICED = 1.1  # a tenth more: less is no growth that a reader of a chart would see
LINEAR = (0.8, 1.2)  # exponents that are about 1
OURS = ("faithful", "blocks")
NORMS = {"L1": "L¹", "L2": "L²"}
SIGNS = {"epsilon": "ε", "delta": "δ", "k": "k", "s": "s"}


def with_tables(text: str, tables: str) -> str:
    return between_marks(text, tables, SCRIPT)


def tables(found: Mapping[str, Any]) -> str:
    made = {"settings": _settings, "4": _figure_4, "5": _figure_5, "6": _figure_6, "growth": _growth}
    parts = [_findings(found)] if set(made) <= set(found) else []
    return "\n".join([*parts, *(write(found[name]) for name, write in made.items() if name in found)])


def _findings(found: Mapping[str, Any]) -> str:
    rows = [
        *_on_settings(found["settings"]),
        *_on_figure_4(found["4"]),
        *_on_figure_5(found["5"]),
        *_on_figure_6(found["6"]),
        *_on_growth(found["growth"]),
    ]
    return "## Findings\n\n" + _table(("The paper", "Here", "Replicates"), rows)


def _on_settings(figure: Mapping[str, Any]) -> Iterable[tuple[str, str, str]]:
    for number in dict.fromkeys(one["figure"] for one in figure["asked"]):
        asked = [one for one in figure["asked"] if one["figure"] == number]
        shown = ", ".join(f"{one['method']}: {one['state']}" for one in asked)
        yield (
            f"Figure {number}: its defaults can be kept, {_setting(asked[0], '')}",
            shown,
            _kept([one["state"] for one in asked]),
        )


def _kept(states: Sequence[str]) -> str:
    """Only a proof says that something cannot be kept."""
    return "yes" if set(states) == {"reached"} else "**no**: proved" if "refuted" in states else "not here; nothing is proved"


def _on_figure_4(figure: Mapping[str, Any]) -> Iterable[tuple[str, str, str]]:
    for norm, shares in figure["vulnerability"].items():
        grid = np.array(shares)
        rises = bool((np.diff(grid, axis=0) >= 0).all() and (np.diff(grid, axis=1) >= 0).all() and grid[-1, -1] > grid[0, 0])
        shown = f"from {grid[0, 0]:.1%} of the groups at the smallest ε and δ drawn to {grid[-1, -1]:.1%} at the largest"
        yield f"Figure 4: vulnerability grows with ε and with δ, though l = {figure['l']} ({NORMS[norm]})", shown, _yes(rises)
        if norm == "L1":
            inside = grid[np.ix_([float(e) >= 0.18 for e in figure["epsilons"]], [float(d) >= 0.85 for d in figure["deltas"]])]
            yield (
                "Figure 4: with ε ≥ 0.18 and δ ≥ 0.85 over half of the groups (L¹)",
                f"at least {inside.min():.1%}",
                _yes(inside.min() > 0.5),
            )


def _on_figure_5(figure: Mapping[str, Any]) -> Iterable[tuple[str, str, str]]:
    panels = figure["panels"]
    for method in OURS:
        reached = [one for panel in panels.values() for one in panel if one["method"] == method and one["error_mean"] is not None]
        worst = max(reached, key=lambda one: one["error_mean"])
        over = sum(one["error_mean"] >= PROMISE for one in reached)
        yield (
            f"Figure 5: the error is always below 15 % ({method})",
            f"largest {worst['error_mean']:.1%}, at {_setting(worst)}; {over} of {len(reached)} settings reach 15 %",
            _yes(over == 0),
        )
    for name, said in (("epsilon", "grows with ε"), ("delta", "grows with δ"), ("s", "falls as s grows")):
        for method in OURS:
            curve = _curve(panels[name], method, "selectivity" if name == "s" else name)
            if len(curve) > 1:
                first, last = curve[0], curve[-1]
                least, most = (last[1], first[1]) if name == "s" else (first[1], last[1])
                yield (
                    f"Figure 5: the error {said} ({method})",
                    f"{first[1]:.1%} at {SIGNS[name]} = {first[0]:g}, {last[1]:.1%} at {last[0]:g}",
                    _yes(most > NOTICED * least),
                )
    for method in OURS:
        steep = [one for one in panels["delta"] if one["method"] == method and 0.8 <= float(one["setting"]["delta"]) <= 0.9]
        known_errors = [one["error_mean"] for one in steep if one["error_mean"] is not None]
        shown = ", ".join(
            f"{one['state'] if one['error_mean'] is None else _percent(one['error_mean'])} at {one['setting']['delta']}" for one in steep
        )
        verdict = _yes(known_errors[-1] > 2 * known_errors[0]) if len(known_errors) > 1 else "–"
        yield f"Figure 5: the error rises sharply from δ = 0.8 to 0.9 ({method})", shown, verdict
    for method in OURS:
        curve = _curve(panels["k"], method, "k")
        if curve:
            least = min(curve, key=lambda one: one[1])
            shown = ", ".join(f"{error:.1%} at {k:g}" for k, error in curve)
            yield f"Figure 5: the error is least at k = 15 ({method})", shown, _yes(least[0] == 15 and len(curve) > 2)
        low = [one for one in panels["s"] if one["method"] == method and one["setting"]["selectivity"] == LOW_SELECTIVITY]
        if low and low[0]["error_mean"] is not None:
            error = low[0]["error_mean"]
            yield f"Figure 5: at s = {LOW_SELECTIVITY} the error is below 5 % ({method})", f"{error:.1%}", _yes(error < LOW_ERROR)
    known = {(one["method"], _setting(one)): one for panel in panels.values() for one in panel if one["error_mean"] is not None}
    pairs = [(one["error_mean"], known["Mondrian, k only", at]["error_mean"]) for (method, at), one in known.items() if method == "blocks"]
    below = sum(ours < theirs for ours, theirs in pairs)
    yield "Not in the paper: blocks against Mondrian that protects k only", f"smaller error in {below} of {len(pairs)} settings", "–"
    losses = [one["loss"] for (method, _), one in known.items() if method == "faithful"]
    yield "Not in the paper: share of each domain that a group of faithful spans (NCP)", f"{min(losses):.0%} to {max(losses):.0%}", "–"


def _on_figure_6(figure: Mapping[str, Any]) -> Iterable[tuple[str, str, str]]:
    for method in OURS:
        slopes = [_slope(points) for points in _lines(figure, method) if len(points) > 2]
        if slopes:
            middle = float(np.median(slopes))
            shown = f"seconds ∝ n^{middle:.1f}, the median of {len(slopes)} lines (from {min(slopes):.1f} to {max(slopes):.1f})"
            yield f"Figure 6: time is about linear in n ({method})", shown, _linear(round(middle, 1))
        for name, rises, said in (("epsilon", True, "grows with ε"), ("delta", True, "grows with δ"), ("k", False, "falls as k grows")):
            largest = max(one["rows"] for one in figure["panels"][name])
            points = [one for one in figure["panels"][name] if one["method"] == method and one["rows"] == largest and one["seconds"]]
            curve = sorted((float(one["setting"][name]), one["seconds"]) for one in points)
            if len(curve) > 1:
                shown = ", ".join(f"{seconds * 1000:.0f} ms at {SIGNS[name]} = {value:g}" for value, seconds in curve)
                rose = curve[-1][1] > NOTICED * curve[0][1] if rises else NOTICED * curve[-1][1] < curve[0][1]
                yield f"Figure 6: time {said} ({method}, n = {largest:,})", shown, _yes(rose)


def _linear(power: float) -> str:
    low, high = LINEAR
    return "slower than linear" if power < low else _yes(power <= high)


def _on_growth(figure: Mapping[str, Any]) -> Iterable[tuple[str, str, str]]:
    points = figure["points"]
    share = max(one["exchanges"] / max(one["edges"], 1) for one in points)
    yield "Theorem 3: at most |E| exchanges", f"at most {share:.1e} of |E|", _yes(share <= 1)
    if len(points) > 2:
        seconds = _slope([(one["rows"], one["seconds"]) for one in points])
        bound = _slope([(one["rows"], one["edges"] * one["rows"]) for one in points])
        yield "Theorem 3: time O(|E||V|)", f"seconds ∝ n^{seconds:.2f}, |E||V| ∝ n^{bound:.2f}", _yes(seconds <= bound)


def _settings(figure: Mapping[str, Any]) -> str:
    asked = [(_setting(one), one["method"], one["state"], one["reason"] or "–") for one in figure["asked"]]
    nearest = [
        (_asked(one), "δ" if kind == "delta" else "ε", one["method"], _setting(one), _percent(one["loss"]), _percent(one["error_mean"]))
        for kind in ("delta", "epsilon")
        for one in figure[kind]
    ]
    crowded = [
        (
            _setting(one, ""), one["coding"], _percent(one["largest_degree"] / one["rows"]), _percent(one["enough"] / one["rows"]),
            one["refuted"] or "not refuted",
        )
        for one in figure["crowding"]
    ]  # fmt: skip
    return "\n".join(
        [
            f"## Settings\n\nThe paper's own defaults on {figure['rows']:,} rows:\n",
            _table(("Asked", "Variant", "State", "Why"), asked),
            "The nearest that are reached, when only δ or only ε gives way (the largest found by halving):\n",
            _table(("Asked", "Gives way", "Variant", "Reached", "NCP", "Error"), nearest),
            "Whether another coding of the sensitive attributes would make them possible. Θ and what Inequality 4 asks of it, as shares "
            "of the rows; a certificate proves that no partition exists:\n",
            _table(("Asked", "Coding", "Θ", "At most", "Certificate"), crowded),
        ]
    )


def _figure_4(figure: Mapping[str, Any]) -> str:
    parts = [
        "## Figure 4: vulnerability of an l-diverse table\n\n![Vulnerability against ε and δ](paper-xcolor/figure-4.png)\n\n"
        f"{figure['rows']:,} rows, {figure['groups']:,} groups by Mondrian; frequency l asked {figure['l']}, "
        f"measured {figure['l_measured']:.1f}; no table of these rows can have more than {figure['l_possible']:.1f}. "
        "Dashed: where the paper says that over half of the groups are vulnerable. Per cent of groups that violate (ε, δ):\n"
    ]
    for norm, shares in figure["vulnerability"].items():
        heads = [f"{NORMS[norm]}, ε", *(f"δ {delta}" for delta in figure["deltas"])]
        rows = [(epsilon, *(f"{share * 100:.1f}" for share in row)) for epsilon, row in zip(figure["epsilons"], shares, strict=True)]
        parts.append(_table(heads, rows))
    return "\n".join(parts)


def _figure_5(figure: Mapping[str, Any]) -> str:
    parts = [
        "## Figure 5: error of count queries\n\n![Error against ε, δ, k and s](paper-xcolor/figure-5.png)\n\n"
        f"{figure['rows']:,} rows, {figure['queries']:,} queries, three quasi-identifiers and two sensitive attributes each; "
        f"what does not vary is {_setting({'setting': figure['defaults']})}. NCP, mean and median relative error:\n"
    ]
    for name, outcomes in figure["panels"].items():
        field = "selectivity" if name == "s" else name
        methods = list(dict.fromkeys(one["method"] for one in outcomes))
        values = sorted({one["setting"][field] for one in outcomes}, key=float)
        cell = {(one["method"], one["setting"][field]): one for one in outcomes}
        rows = [(str(value), *(_outcome(cell[method, value]) for method in methods)) for value in values]
        parts.append(_table((SIGNS[name], *methods), rows))
    reasons = {
        f"- {one['method']}, {_setting(one)}: {one['state']}. {one['reason']}"
        for outcomes in figure["panels"].values()
        for one in outcomes
        if one["reason"]
    }
    return "\n".join([*parts, "Why not reached:\n", *sorted(reasons), ""])


def _figure_6(figure: Mapping[str, Any]) -> str:
    parts = [
        "## Figure 6: execution time\n\n![Time against ε, δ, k and n](paper-xcolor/figure-6.png)\n\n"
        "From encoded columns to groups, the median of three, in milliseconds (× in the chart: not reached); "
        "in brackets, the ratio to `pandas.read_csv` of the same "
        f"rows in the same run. What does not vary is {_setting({'setting': figure['defaults']}, '')}.\n"
    ]
    for name, timings in figure["panels"].items():
        sizes = sorted({one["rows"] for one in timings})
        lines = dict.fromkeys((one["method"], one["setting"][name]) for one in timings)
        cell = {(one["method"], one["setting"][name], one["rows"]): one for one in timings}
        rows = [(method, str(value), *(_timing(cell[method, value, size]) for size in sizes)) for method, value in lines]
        parts.append(_table(("Variant", SIGNS[name], *(f"n = {size:,}" for size in sizes)), rows))
    return "\n".join(parts)


def _growth(figure: Mapping[str, Any]) -> str:
    rows = [
        (
            f"{one['rows']:,}", f"{one['edges']:,}", f"{one['largest_degree']:,}", f"{one['exchanges']:,}", f"{one['violations']:,}",
            f"{one['seconds']:.3f}", f"{one['seconds'] / one['edges'] / one['rows'] * 1e12:.3f}",
        )
        for one in figure["points"]
    ]  # fmt: skip
    return (
        "## Growth: the claim O(|E||V|)\n\n![Exchanges and seconds against rows](paper-xcolor/growth.png)\n\n"
        f"`faithful` at {_setting({'setting': figure['setting']}, '')}; the coloring alone.\n\n"
        + _table(("n", "|E|", "Θ", "Exchanges", "Violations left", "Seconds", "ps per |E||V|"), rows)
    )


def _setting(one: Mapping[str, Any], more: str = "s") -> str:
    setting = one["setting"]
    text = f"ε = {setting['epsilon']}, δ = {_short(setting['delta'])}, k = {setting['k']}"
    return f"{text}, s = {setting['selectivity']}" if more else text


def _asked(one: Mapping[str, Any]) -> str:
    return _setting({"setting": one["asked"]}, "")


def _short(decimal: str) -> str:
    return f"{float(Fraction(decimal)):.3g}"


def _percent(share: float | None) -> str:
    return "–" if share is None else f"{share:.2%}" if share < 0.1 else f"{share:.1%}"


def _outcome(one: Mapping[str, Any]) -> str:
    if one["error_mean"] is None:
        return str(one["state"])
    return f"{_percent(one['loss'])}; {_percent(one['error_mean'])}; {_percent(one['error_median'])}"


def _timing(one: Mapping[str, Any]) -> str:
    return one["state"] if one["seconds"] is None else f"{one['seconds'] * 1000:.0f} ({one['seconds'] / one['reading']:.1f}×)"


def _curve(outcomes: Iterable[Mapping[str, Any]], method: str, field: str) -> list[tuple[float, float]]:
    points = [(float(one["setting"][field]), one["error_mean"]) for one in outcomes if one["method"] == method]
    return sorted((at, error) for at, error in points if error is not None)


def _lines(figure: Mapping[str, Any], method: str) -> Iterable[list[tuple[float, float]]]:
    for name, timings in figure["panels"].items():
        for value in {one["setting"][name] for one in timings}:
            mine = [one for one in timings if one["method"] == method and one["setting"][name] == value and one["seconds"]]
            yield [(one["rows"], one["seconds"]) for one in mine]


def _slope(points: Sequence[tuple[float, float]]) -> float:
    """The exponent of the power law that fits best, on logarithms."""
    across, up = (np.log(np.array(side, dtype=float)) for side in zip(*points, strict=True))
    return float(np.polyfit(across, up, 1)[0])
