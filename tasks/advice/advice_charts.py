"""Pictures of advice: which δ each (k, ε) carries, and what δ costs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from headgate.advice.result import Setting
from tasks.reporting.drawing import INKS, Form, drawn

MARKS = ("o", "s", "^", "D", "v", "P", "X", "*")
SHADES = ("main", "second", "fail", "muted", "ink")


@dataclass(frozen=True)
class FrontierPoint:
    """One setting: its δ, and what it costs. `best`: no other setting at its ε has both less risk and less loss."""

    k: int
    epsilon: str
    delta: float
    loss: float
    query_error: float | None
    best: bool = False


def draw_map(settings: Sequence[Setting], own: tuple[int, float], form: Form) -> bytes:
    """One cell per (k, ε): the largest δ reached, darker where more, and below it the largest possible. Framed: the policy's own."""
    sizes, epsilons = sorted({setting.k for setting in settings}), sorted({setting.epsilon for setting in settings})

    def paint(figure: Any) -> None:
        from matplotlib.patches import Rectangle

        axes = figure.add_subplot()
        axes.grid(False)
        axes.spines[:].set_visible(False)
        for setting in settings:
            x, y = epsilons.index(setting.epsilon), sizes.index(setting.k)
            share = 0.0 if setting.reached is None else float(setting.reached)
            place = (x - 0.48, y - 0.46)
            axes.add_patch(Rectangle(place, 0.96, 0.92, facecolor=INKS["main"], alpha=round(0.04 + 0.46 * share, 3), linewidth=0))
            reached = "–" if setting.reached is None else f"{float(setting.reached):.2f}"
            possible = "–" if setting.possible is None else f"{float(setting.possible):.2f}"
            axes.annotate(reached, (x, y), xytext=(0, 1), textcoords="offset points", ha="center", va="bottom", fontsize=10)
            axes.annotate(f"of {possible}", (x, y), xytext=(0, -2), textcoords="offset points", ha="center", va="top", fontsize=7.5)
            if (setting.k, setting.epsilon) == own:
                axes.add_patch(Rectangle(place, 0.96, 0.92, fill=False, edgecolor=INKS["ink"], linewidth=1.6))
        axes.set_xlim(-0.5, len(epsilons) - 0.5)
        axes.set_ylim(len(sizes) - 0.5, -0.5)
        axes.tick_params(length=0)
        axes.set_xticks(range(len(epsilons)), [f"{epsilon:g}" for epsilon in epsilons])
        axes.set_yticks(range(len(sizes)), [str(k) for k in sizes])
        axes.set_xlabel("ε")
        axes.set_ylabel("k", rotation=0, labelpad=8)

    return drawn(paint, 0.8 + 0.5 * len(sizes), form)


def draw_frontier(points: Sequence[FrontierPoint], form: Form, suggested: Sequence[float] = ()) -> bytes:
    """Loss and query error against δ, one line per k, one row of pictures per ε; an upright line at each δ that is suggested."""
    epsilons = list(dict.fromkeys(point.epsilon for point in points))
    sizes = sorted({point.k for point in points})
    with_queries = any(point.query_error is not None for point in points)

    def paint(figure: Any) -> None:
        columns = 2 if with_queries else 1
        for row, epsilon in enumerate(epsilons):
            here = [point for point in points if point.epsilon == epsilon]
            for column in range(columns):
                axes = figure.add_subplot(len(epsilons), columns, row * columns + column + 1)
                axes.grid(True, axis="both")
                for number, k in enumerate(sizes):
                    line = sorted((point for point in here if point.k == k), key=lambda point: point.delta)
                    heights = [point.loss if column == 0 else point.query_error for point in line]
                    known = [(point.delta, height) for point, height in zip(line, heights, strict=True) if height is not None]
                    if known:
                        ink, mark = INKS[SHADES[number % len(SHADES)]], MARKS[number % len(MARKS)]
                        axes.plot(*zip(*known, strict=True), color=ink, marker=mark, markersize=4.5, linewidth=1.3, label=f"k = {k}")
                best = [(point.delta, point.loss) for point in here if point.best]
                if column == 0 and best:
                    axes.scatter(*zip(*best, strict=True), s=70, facecolor="none", edgecolor=INKS["ink"], linewidth=1.0, label="frontier")
                for place in suggested:
                    axes.axvline(place, color=INKS["ink"], linestyle=(0, (4, 2)), linewidth=1.2, label="suggested", zorder=0.9)
                axes.set_ylim(bottom=0)
                axes.margins(x=0.06)
                axes.yaxis.set_major_formatter(lambda value, _: f"{value * 100:g} %")
                axes.set_title(
                    ("information lost (NCP)" if column == 0 else "error of count queries")
                    + (f", ε = {epsilon}" if len(epsilons) > 1 else "")
                )
                if row == len(epsilons) - 1:
                    axes.set_xlabel("δ")
        named = dict(zip(*reversed(figure.axes[0].get_legend_handles_labels()), strict=True))
        figure.legend(list(named.values()), list(named), loc="outside lower center", ncols=min(len(named), 6))

    return drawn(paint, 2.2 * len(epsilons) + 0.5, form)
