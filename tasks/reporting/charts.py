"""What each chart shows: one function per chart, given figures and the line that they must keep to. All give an SVG."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from headgate.core.tolerance import TOLERANCE
from headgate.core.units import counted
from policies.sealed.manifest import Alternative
from tasks.reporting.drawing import INKS, drawn
from tasks.reporting.shown_part import MOST_BARS, MOST_TABLES, foremost, out_of

LABEL_LENGTH = 30


@dataclass(frozen=True)
class PathStep:
    """One point of the search for a plan: Γα, Γβ, and whether its tables passed."""

    association_loss: float
    information_exposure: float
    passed: bool


def draw_group_sizes(tables: Sequence[tuple[str, NDArray[np.int64]]], k: int | None) -> bytes:
    """How many groups have how many rows; none may be left of k, where one is required."""

    def paint(axes: Any, sizes: NDArray[np.int64]) -> str:
        least = int(sizes.min()) if k is None else k
        low, high = min(int(sizes.min()), least), max(int(sizes.max()), least)
        step = max(1, -(-(high - low + 1) // 40))
        edges = np.arange(low - 0.5, high + step + 0.5, step)
        below = int((sizes < least).sum())
        _bars(axes, sizes[sizes >= least], sizes[sizes < least], edges)
        axes.xaxis.get_major_locator().set_params(integer=True, min_n_ticks=1)
        if k is None:
            return counted(len(sizes), "group")
        _requirement(axes, k - 0.5, "required")
        return f"{counted(len(sizes), 'group')}, {below:,} below {k}"

    shown = foremost(tables, MOST_TABLES, lambda table: -int(table[1].min()))
    return _multiples(shown, paint, f"rows in the group{out_of(shown, tables, 'tables with the smallest')}", "groups")


def draw_group_risks(tables: Sequence[tuple[str, NDArray[np.float64]]], allowed: float | None) -> bytes:
    """How many groups have which risk; none may be right of what is allowed, where that is said."""

    def paint(axes: Any, risks: NDArray[np.float64]) -> str:
        top = max(float(risks.max()), allowed or 0.0, 0.05)
        if allowed is None:
            _bars(axes, risks, risks[:0], np.linspace(0.0, top, 25))
            axes.set_xlim(0.0, top)
            return counted(len(risks), "group")
        above = risks > allowed + TOLERANCE
        width = max(allowed, 0.05) / 16
        edges = allowed + width * np.arange(-np.ceil(allowed / width - TOLERANCE), np.ceil((top - allowed) / width) + 2)
        # Risks that meet the requirement exactly belong to the bin that ends at the line.
        _bars(axes, np.minimum(risks[~above], allowed - width * 1e-6), risks[above], edges)
        _requirement(axes, allowed, "allowed")
        axes.set_xlim(min(0.0, float(edges[0])), float(edges[-1]))
        return f"{counted(len(risks), 'group')}, {int(above.sum()):,} above {_short(allowed)}"

    shown = foremost(tables, MOST_TABLES, lambda table: float(table[1].max()))
    return _multiples(shown, paint, f"risk of the group{out_of(shown, tables, 'tables with the largest')}", "groups")


def draw_closeness(tables: Sequence[tuple[str, Mapping[str, float]]], required: Mapping[str, float]) -> bytes:
    """How far the worst group of each sensitive attribute is from the whole table; the tick is what was required."""
    measured = [(table, name, float(value)) for table, figures in tables for name, value in figures.items()]
    rows = foremost(measured, MOST_BARS, lambda row: row[2] - required.get(row[1], 1.0))  # nearest to what is required, or beyond
    many = len(tables) > 1

    def paint(figure: Any) -> None:
        axes = _horizontal(figure, [f"{_cut(name)}  ·  {_cut(table, 12)}" if many else _cut(name) for table, name, _ in rows])
        widest = max([0.05, *(value for *_, value in rows), *(required.get(name, 0.0) for _, name, _ in rows)]) * 1.14
        for place, (_, name, value) in enumerate(rows):
            limit = required.get(name)
            axes.barh(place, value, height=0.62, **_fill(limit is not None and value > limit + TOLERANCE))
            end = value
            if limit is not None:
                axes.plot([limit, limit], [place - 0.42, place + 0.42], color=INKS["ink"], linewidth=1.8)
                end = limit if value <= limit < value + 0.14 * widest else value  # the tick must not cross the number
            _beside(axes, _short(value), (end, place), 5)
        axes.set_xlim(0, widest)
        said = "closeness; tick: at most" if any(name in required for _, name, _ in rows) else "closeness"
        axes.set_xlabel(said + out_of(rows, measured, "nearest to their limit"))

    return drawn(paint, _rows_height(len(rows)), "svg")


def draw_plan_path(steps: Sequence[PathStep], chosen: tuple[float, float], limits: tuple[float | None, float | None]) -> bytes:
    """The path of the search, from separate tables (all association lost) towards a single table (finding a person reveals everything)."""
    points = [(step.association_loss, step.information_exposure) for step in steps] or [chosen]
    numbered = range(len(points)) if len(points) <= 12 else {0, len(points) - 1, *(i for i, point in enumerate(points) if point == chosen)}

    def paint(figure: Any) -> None:
        axes = figure.add_subplot()
        axes.grid(True, axis="both")
        axes.set_xlim(-0.05, 1.1)
        axes.set_ylim(-0.07, 1.1)
        if limits[0] is not None or limits[1] is not None:
            across, up = (1.1 if limit is None else limit for limit in limits)
            axes.fill_between([-0.05, across], -0.07, up, color=INKS["room"], linewidth=0, label="allowed by the policy", zorder=0.5)
        for start, end in itertools.pairwise(points):
            axes.annotate("", xy=end, xytext=start, arrowprops={"arrowstyle": "->", "color": INKS["muted"], "shrinkA": 5, "shrinkB": 5})
        for passed, marker, ink, label in ((True, "o", "main", "tables passed"), (False, "X", "fail", "tables did not pass")):
            at = [point for point, step in zip(points, steps, strict=False) if step.passed is passed]
            if at:
                axes.scatter(*zip(*at, strict=True), marker=marker, s=42, color=INKS[ink], label=label, zorder=3, edgecolor="none")
        axes.scatter(*chosen, marker="o", s=190, facecolor="none", edgecolor=INKS["ink"], linewidth=1.6, label="the plan", zorder=4)
        for place in numbered:
            axes.annotate(str(place), points[place], xytext=(8, 5), textcoords="offset points", fontsize=8, color=INKS["ink"])
        axes.set_xlabel("association lost, Γα")
        axes.set_ylabel("threat of joining, Γβ")
        axes.legend(loc="upper right")

    return drawn(paint, 3.9, "svg")


def draw_trade_off(lines: Sequence[tuple[str, Sequence[Alternative]]], chosen: Alternative) -> bytes:
    """What can be had: Γβ against Γα, and both against the number of tables."""

    def paint(figure: Any) -> None:
        threat, parts = figure.subplots(1, 2)
        for (name, points), ink, marker in zip(lines, ("main", "second"), ("o", "D"), strict=False):
            ordered = sorted(points, key=lambda point: point.association_loss)
            across, up = [point.association_loss for point in ordered], [point.information_exposure for point in ordered]
            threat.plot(across, up, marker=marker, markersize=4, linewidth=1.3, color=INKS[ink], label=name)
        threat.scatter(
            chosen.association_loss,
            chosen.information_exposure,
            marker="o",
            s=150,
            facecolor="none",
            edgecolor=INKS["ink"],
            label="the plan",
            zorder=4,
        )
        threat.set_xlabel("association lost, Γα")
        threat.set_ylabel("threat of joining, Γβ")
        threat.legend(loc="upper right")
        name, points = lines[0]
        ordered = sorted(points, key=lambda point: point.tables)
        tables = [point.tables for point in ordered]
        parts.plot(
            tables, [point.association_loss for point in ordered], marker="o", markersize=4, linewidth=1.3, color=INKS["main"], label="Γα"
        )
        parts.plot(
            tables,
            [point.information_exposure for point in ordered],
            marker="D",
            markersize=4,
            linewidth=1.3,
            color=INKS["second"],
            label="Γβ",
        )
        parts.axvline(chosen.tables, color=INKS["ink"], linestyle=(0, (4, 2)), linewidth=1.3)
        parts.xaxis.get_major_locator().set_params(integer=True)
        parts.set_xlabel(f"tables, {name}")
        parts.legend(loc="upper center")
        for axes in (threat, parts):
            axes.grid(True, axis="both")
            axes.set_ylim(-0.05, 1.05)

    return drawn(paint, 3.4, "svg")


Ends = tuple[float | None, float | None]


def draw_query_errors(measured: Sequence[tuple[str, float, float | None, Ends]], required: float | None) -> bytes:
    """Relative error of count queries: mean, its 95 % interval and median of each table; the line is where the interval may end at most."""
    tables = foremost(measured, MOST_BARS, lambda table: table[1])

    def paint(figure: Any) -> None:
        axes = _horizontal(figure, [_cut(name) for name, *_ in tables])
        ends = [(mean if low is None else low, mean if high is None else high) for _, mean, _, (low, high) in tables]
        largest = max([required or 0.0, 0.01, *(high for _, high in ends), *(median or 0.0 for _, _, median, _ in tables)])
        for place, ((_, mean, median, _), (low, high)) in enumerate(zip(tables, ends, strict=True)):
            fails = required is not None and high > required + TOLERANCE
            first = place == 0
            if median is not None:
                axes.plot([median, mean], [place, place], color=INKS["muted"], linewidth=1.5)
                axes.plot(
                    median, place, marker="D", markersize=6, color=INKS["second"], linestyle="none", label="median" if first else None
                )
            interval = ([max(0.0, mean - low)], [max(0.0, high - mean)])
            ink = INKS["fail" if fails else "main"]
            axes.errorbar(mean, place, xerr=interval, capsize=4, color=ink, label="95 % interval" if first else None, fmt="none")
            axes.plot(
                mean,
                place,
                marker="X" if fails else "o",
                markersize=8,
                color=ink,
                linestyle="none",
                label="mean" if first else None,
            )
            _beside(axes, f"{_short(mean * 100)} %", (max(high, median or 0.0), place), 9)
        if required is not None:
            axes.axvline(required, color=INKS["ink"], linestyle=(0, (4, 2)), linewidth=1.3, label="interval required at most")
        axes.set_xlim(0, largest * 1.2)
        axes.xaxis.set_major_formatter(lambda value, _: f"{value * 100:g} %")
        axes.set_xlabel(f"relative error of count queries{out_of(tables, measured, 'largest')}")
        axes.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=4)

    return drawn(paint, _rows_height(len(tables)) + 0.35, "svg")


def draw_loss(tables: Sequence[tuple[str, Mapping[str, float]]]) -> bytes:
    """What generalization cost each quasi-identifier: bars for one table, a grid for several."""
    everything = list(dict.fromkeys(name for _, losses in tables for name in losses))
    quasi = foremost(everything, MOST_BARS, lambda name: max(losses.get(name, 0.0) for _, losses in tables))
    among = out_of(quasi, everything, "columns that lost most")
    if len(tables) == 1:
        losses = tables[0][1]

        def paint_bars(figure: Any) -> None:
            axes = _horizontal(figure, [_cut(name) for name in quasi])
            for place, name in enumerate(quasi):
                axes.barh(place, losses[name], height=0.62, **_fill(False))
                _beside(axes, f"{_short(losses[name] * 100)} %", (losses[name], place), 4)
            axes.set_xlim(0, max(0.01, *losses.values()) * 1.16)
            axes.xaxis.set_major_formatter(lambda value, _: f"{value * 100:g} %")
            axes.set_xlabel(f"information lost (NCP){among}")

        return drawn(paint_bars, _rows_height(len(quasi)), "svg")

    shown = foremost(tables, MOST_TABLES, lambda table: max(table[1].values(), default=0.0))
    among += out_of(shown, tables, "tables that lost most")

    def paint_grid(figure: Any) -> None:
        axes = figure.add_subplot()
        axes.grid(False)
        axes.spines[:].set_visible(False)
        grid = np.array([[losses.get(name, np.nan) for _, losses in shown] for name in quasi], dtype=np.float64)
        largest = max(float(np.nanmax(grid)), 0.01)
        for row, column in np.ndindex(grid.shape):
            share = 0.0 if np.isnan(grid[row, column]) else float(grid[row, column]) / largest
            axes.add_patch(_cell(column, row, share))
            text = "–" if np.isnan(grid[row, column]) else f"{grid[row, column] * 100:.1f}"
            axes.annotate(text, (column, row), ha="center", va="center", fontsize=8)
        axes.set_xlim(-0.5, len(shown) - 0.5)
        axes.set_ylim(len(quasi) - 0.5, -0.5)
        axes.tick_params(length=0)
        axes.set_yticks(range(len(quasi)), [_cut(name) for name in quasi])
        crowded = len(shown) > 4
        axes.set_xticks(
            range(len(shown)), [_cut(name, 14) for name, _ in shown], rotation=30 if crowded else 0, ha="right" if crowded else "center"
        )
        axes.set_xlabel(f"information lost (NCP), per cent{among}")

    return drawn(paint_grid, _rows_height(len(quasi)) + 0.6, "svg")


def _multiples(tables: Sequence[tuple[str, NDArray[Any]]], paint: Callable[[Any, NDArray[Any]], str], across: str, up: str) -> bytes:
    """One histogram per table, two beside each other where there are several."""
    columns = 1 if len(tables) == 1 else 2
    rows = -(-len(tables) // columns)

    def paint_all(figure: Any) -> None:
        for place, (name, measured) in enumerate(tables):
            axes = figure.add_subplot(rows, columns, place + 1)
            said = paint(axes, measured)
            axes.set_title(said if len(tables) == 1 else f"{_cut(name)}\n{said}", color=INKS["ink"])
            axes.yaxis.get_major_locator().set_params(integer=True, nbins=4)
            axes.yaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")
            if place >= len(tables) - columns:
                axes.set_xlabel(across)
            if place % columns == 0:
                axes.set_ylabel(up)

    return drawn(paint_all, 2.5 if len(tables) == 1 else 1.85 * rows + 0.3, "svg")


def _bars(axes: Any, passing: NDArray[Any], failing: NDArray[Any], edges: NDArray[Any]) -> None:
    counts = [np.histogram(part, edges)[0] for part in (passing, failing)]
    for heights, below, fails in ((counts[0], 0, False), (counts[1], counts[0], True)):
        shown = heights > 0
        bottom = np.broadcast_to(below, heights.shape)[shown]
        axes.bar(edges[:-1][shown], heights[shown], width=np.diff(edges)[shown] * 0.9, bottom=bottom, align="edge", **_fill(fails))
    axes.set_ylim(0, max(1.0, float((counts[0] + counts[1]).max()) * 1.18))
    axes.margins(x=0.02)


def _requirement(axes: Any, place: float, text: str) -> None:
    axes.axvline(place, color=INKS["ink"], linestyle=(0, (4, 2)), linewidth=1.3)
    middle = sum(axes.get_xlim()) / 2
    axes.annotate(
        text, (place, 1.0), xycoords=("data", "axes fraction"), xytext=(4 if place <= middle else -4, -1),
        textcoords="offset points", ha="left" if place <= middle else "right", va="top", fontsize=8,
    )  # fmt: skip


def _beside(axes: Any, text: str, at: tuple[float, float], points: int) -> None:
    axes.annotate(text, at, xytext=(points, 0), textcoords="offset points", va="center", fontsize=8)


def _horizontal(figure: Any, labels: Sequence[str]) -> Any:
    """Rows from top to bottom with their names at the left."""
    axes = figure.add_subplot()
    axes.grid(True, axis="x")
    axes.grid(False, axis="y")
    axes.set_ylim(len(labels) - 0.4, -0.6)
    axes.set_yticks(range(len(labels)), labels)
    axes.tick_params(axis="y", length=0)
    return axes


def _fill(fails: bool) -> dict[str, Any]:
    return (
        {"color": INKS["fail"], "hatch": "////", "edgecolor": "white", "linewidth": 0} if fails else {"color": INKS["main"], "linewidth": 0}
    )


def _cell(column: int, row: int, share: float) -> Any:
    from matplotlib.patches import Rectangle

    return Rectangle((column - 0.48, row - 0.46), 0.96, 0.92, facecolor=INKS["main"], alpha=round(0.04 + 0.46 * share, 3), linewidth=0)


def _rows_height(rows: int) -> float:
    return 0.75 + 0.27 * max(rows, 1)


def _cut(name: str, length: int = LABEL_LENGTH) -> str:
    """A label of bearable length in which no dollar sign starts a formula and no control character a wrong file."""
    plain = "".join(sign if sign.isprintable() else "�" for sign in name)
    return (plain if len(plain) <= length else plain[: length - 1] + "…").replace("$", r"\$")


def _short(value: float) -> str:
    return f"{value:.3g}"
