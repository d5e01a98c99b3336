"""The pictures of docs/series.md, drawn from figures.json alone."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tasks.reporting.drawing import INKS, drawn

WAYS: Mapping[str, tuple[str, str, str]] = {
    "fresh": (INKS["fail"], "s", "each version grouped anew"),
    "fresh, with leaving out": (INKS["second"], "^", "grouped anew, who is above left out"),
    "sticky": (INKS["main"], "o", "sticky, who is above left out"),
}
PANELS = (
    ("above", "above the promise, %\nbefore anybody is left out"),
    ("left_out", "people left out, %\n(dotted: 1 %)"),
    ("loss", "loss (NCP), %\n(dotted: 1.5 times that of anew)"),
)
ENOUGH, TIMES = 1.0, 1.5  # people left out, %, and loss, at most
DOTTED = {"color": INKS["ink"], "linestyle": (0, (1, 1.5)), "linewidth": 1.2}
STEADY, CHANGING = "0", "0.05"


def pictures(figures: Mapping[str, Any]) -> dict[str, bytes]:
    """PNG files by name."""
    series = figures["series"]
    return {
        "steady.png": months({name: series[f"{name}, {STEADY}"] for name in ("education", "occupation")}),
        "changing.png": months({name: series[f"{name}, {CHANGING}"] for name in ("education", "occupation")}),
        "largest.png": largest({name: series[f"{name}, {STEADY}"] for name in ("education", "occupation")}, figures["asked"]["promise"]),
    }


def months(series: Mapping[str, Any]) -> bytes:
    """By version: who is above the promise, who is left out, and what is lost."""

    def paint(whole: Any) -> None:
        panels = whole.subplots(len(series), len(PANELS), sharex=True, squeeze=False)
        for row, (name, ways) in zip(panels, series.items(), strict=True):
            for axes, (figure, label) in zip(row, PANELS, strict=True):
                for way, (ink, marker, said) in WAYS.items():
                    if figure == "left_out" and way == "fresh":
                        continue
                    up = [100 * month[figure] for month in ways[way]]
                    axes.plot(range(1, len(up) + 1), up, color=ink, marker=marker, markersize=3.5, linewidth=1.3, label=said)
                if figure == "left_out":
                    axes.axhline(ENOUGH, **DOTTED)
                if figure == "loss":
                    axes.plot(range(1, len(up) + 1), [100 * TIMES * month["loss"] for month in ways["fresh"]], **DOTTED)
                axes.set_ylim(bottom=0)
                axes.set_title(f"{name}: {label}", fontsize=7.5)
        _versions(whole, panels)

    return drawn(paint, 4.6, "png")


def largest(series: Mapping[str, Any], promise: float) -> bytes:
    """The largest series linkability by version."""

    def paint(whole: Any) -> None:
        panels = whole.subplots(1, len(series), sharey=True, squeeze=False)
        for axes, (name, ways) in zip(panels[0], series.items(), strict=True):
            for way, (ink, marker, said) in WAYS.items():
                up = [month["largest"] for month in ways[way]]
                axes.plot(range(1, len(up) + 1), up, color=ink, marker=marker, markersize=3.5, linewidth=1.3, label=said)
            axes.axhline(promise, **DOTTED)
            axes.annotate("promise", (12, promise - 0.08), ha="right", va="top", fontsize=7.5)
            axes.set_ylim(0, 1.05)
            axes.set_title(f"{name}: largest series linkability", fontsize=7.5)
        _versions(whole, panels)

    return drawn(paint, 2.8, "png")


def _versions(whole: Any, panels: Any) -> None:
    for axes in panels[-1]:
        axes.set_xlabel("version")
        axes.set_xticks(range(2, 13, 2))
    handles, labels = panels[0][0].get_legend_handles_labels()
    whole.legend(handles, labels, loc="outside lower center", ncols=2)
