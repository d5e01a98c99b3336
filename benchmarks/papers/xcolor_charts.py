"""The charts of the XColor paper's experiments, drawn from figures.json alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from tasks.reporting.drawing import INKS, drawn

PURPLE = "#cc79a7"
LINES: Mapping[str, tuple[str, str, str]] = {
    "faithful": (INKS["fail"], "s", "-"),
    "blocks": (INKS["main"], "o", "-"),
    "Mondrian, k only": (INKS["muted"], "D", (0, (4, 2))),  # type: ignore[dict-item]
    "Mondrian, (ε, δ)": (INKS["second"], "^", "-"),
}
THREE = ((INKS["second"], "^"), (INKS["main"], "o"), (INKS["fail"], "s"))  # least, middle, most of the varied parameter
SIGNS = {"epsilon": "ε", "delta": "δ", "k": "k", "s": "s"}
MEANINGS = {"epsilon": "ε, distance called similar", "delta": "δ, dissimilar share", "k": "k, rows in a group", "s": "s, selectivity"}
PROMISE = 0.15  # "always below 15%"
HALF = ("0.18", "0.85")  # from here on, the paper says, over half of the groups are vulnerable (L¹)


def pictures(found: Mapping[str, Any]) -> dict[str, bytes]:
    """PNG files by name, of the experiments that have numbers."""
    made = {"4": vulnerability, "5": errors, "6": times, "growth": growth}
    names = {"4": "figure-4.png", "5": "figure-5.png", "6": "figure-6.png", "growth": "growth.png"}
    return {names[key]: draw(found[key]) for key, draw in made.items() if key in found}


def vulnerability(figure: Mapping[str, Any]) -> bytes:
    epsilons, deltas = (np.array(figure[name], dtype=float) for name in ("epsilons", "deltas"))

    def paint(whole: Any) -> None:
        panels = whole.subplots(1, 2, sharey=True)
        for axes, (norm, shares) in zip(panels, figure["vulnerability"].items(), strict=True):
            grid = np.array(shares).T * 100
            axes.grid(False)
            filled = axes.contourf(epsilons, deltas, grid, levels=np.arange(0, 101, 10), cmap="cividis_r", vmin=0, vmax=100)
            lines = axes.contour(epsilons, deltas, grid, levels=[10, 50, 90], colors=[INKS["ink"], INKS["ink"], "white"], linewidths=0.9)
            axes.clabel(lines, fmt="%g %%", fontsize=7.5)
            axes.plot(
                [float(HALF[0]), float(HALF[0]), epsilons[-1]], [deltas[-1], float(HALF[1]), float(HALF[1])],
                color="white", linestyle=(0, (3, 2)), linewidth=1.6,
            )  # fmt: skip
            axes.set_title(f"L{'¹' if norm == 'L1' else '²'}")
            axes.set_xlabel(MEANINGS["epsilon"])
        panels[0].set_ylabel(MEANINGS["delta"])
        whole.colorbar(filled, ax=list(panels), label="vulnerable groups, %", ticks=range(0, 101, 20))

    return drawn(paint, 3.3, "png")


def errors(figure: Mapping[str, Any]) -> bytes:
    defaults = figure["defaults"]

    def paint(whole: Any) -> None:
        panels = whole.subplots(2, 2, sharey=True).ravel()
        for axes, name in zip(panels, ("epsilon", "delta", "k", "s"), strict=True):
            field = "selectivity" if name == "s" else name
            axes.set_yscale("log")
            for height, (method, (ink, marker, line)) in enumerate(LINES.items()):
                mine = [one for one in figure["panels"][name] if one["method"] == method]
                points = sorted((float(one["setting"][field]), one["error_mean"]) for one in mine)
                across = [at for at, _ in points]
                up = [np.nan if error is None else error * 100 for _, error in points]
                axes.plot(across, up, color=ink, marker=marker, markersize=4.5, linewidth=1.4, linestyle=line, label=method)
                for at in (at for at, error in points if error is None):
                    _cross(axes, at, height, ink)
            axes.axhline(PROMISE * 100, color=INKS["ink"], linestyle=(0, (1, 1.5)), linewidth=1.2)
            fixed = ", ".join(f"{SIGNS[key]} = {value}" for key, value in _named(defaults).items() if key != name)
            axes.set_xlabel(f"{MEANINGS[name]}\n({fixed})")
            axes.yaxis.set_major_formatter(lambda value, _: f"{value:g} %")
        for axes in panels[::2]:
            axes.set_ylabel("mean relative error")
        panels[3].annotate("paper: 15 %", (0.98, PROMISE * 100), xycoords=("axes fraction", "data"), ha="right", va="bottom", fontsize=8)
        handles, labels = panels[0].get_legend_handles_labels()
        said = "× above a panel, in the method's colour: not reached, so there is no table to ask"
        whole.legend(handles, labels, loc="outside upper center", ncols=4, title=said, title_fontsize=8)

    return drawn(paint, 5.6, "png")


def times(figure: Mapping[str, Any]) -> bytes:
    reading = {int(rows): seconds for rows, seconds in figure["reading"].items()}
    defaults = {**_named(figure["defaults"])}

    def paint(whole: Any) -> None:
        panels = whole.subplots(2, 3, sharex=True)
        for row, method in zip(panels, ("faithful", "blocks"), strict=True):
            for axes, name in zip(row, ("epsilon", "delta", "k"), strict=True):
                timings = [one for one in figure["panels"][name] if one["method"] == method]
                values = sorted({one["setting"][name] for one in timings}, key=float)
                for height, ((ink, marker), value) in enumerate(zip(THREE, values, strict=False)):
                    points = [one for one in timings if one["setting"][name] == value]
                    up = [np.nan if one["seconds"] is None else one["seconds"] * 1000 for one in points]
                    axes.plot(
                        [one["rows"] / 1000 for one in points], up, color=ink, marker=marker, markersize=4, linewidth=1.3,
                        label=f"{SIGNS[name]} = {value}",
                    )  # fmt: skip
                    for gap in (one["rows"] / 1000 for one in points if one["seconds"] is None):
                        _cross(axes, gap, height, ink)
                axes.plot(
                    [rows / 1000 for rows in reading], [seconds * 1000 for seconds in reading.values()],
                    color=INKS["muted"], linestyle=(0, (4, 2)), linewidth=1.2, label="read_csv",
                )  # fmt: skip
                axes.set_ylim(0, 1.55 * axes.get_ylim()[1])  # room for the legend
                axes.legend(loc="upper left", fontsize=7, handlelength=1.4, borderpad=0.1, labelspacing=0.2)
                if method == "faithful":
                    fixed = ", ".join(f"{SIGNS[key]} = {value}" for key, value in defaults.items() if key not in (name, "s"))
                    axes.set_title(fixed, fontsize=8, pad=20)
                else:
                    axes.set_xlabel("thousand rows")
            row[0].set_ylabel(f"{method}, ms")

    return drawn(paint, 4.8, "png")


def growth(figure: Mapping[str, Any]) -> bytes:
    points: Sequence[Mapping[str, Any]] = figure["points"]
    rows = [one["rows"] for one in points]

    def paint(whole: Any) -> None:
        left, right = whole.subplots(1, 2)
        left.plot(rows, [one["edges"] for one in points], color=INKS["muted"], marker="D", markersize=4.5, label="edges |E|, the bound")
        left.plot(rows, [max(one["exchanges"], 0.5) for one in points], color=INKS["fail"], marker="s", markersize=4.5, label="exchanges")
        left.set_ylabel("count")
        bound = [one["edges"] * one["rows"] for one in points]
        scale = points[0]["seconds"] / bound[0]
        right.plot(rows, [each * scale for each in bound], color=INKS["muted"], marker="D", markersize=4.5, label="growth of |E||V|")
        right.plot(rows, [one["seconds"] for one in points], color=INKS["fail"], marker="s", markersize=4.5, label="faithful")
        right.set_ylabel("seconds")
        for axes in (left, right):
            axes.set(xscale="log", yscale="log", xlabel="rows")
            axes.set_xticks(rows, [f"{each:,}" for each in rows])
            axes.minorticks_off()
            axes.legend(loc="upper left")

    return drawn(paint, 2.9, "png")


def _cross(axes: Any, at: float, height: int, ink: str) -> None:
    """Above the panel: this setting was not reached."""
    axes.annotate(
        "×", (at, 1.0), xycoords=axes.get_xaxis_transform(), xytext=(0, 3 + 6 * height), textcoords="offset points",
        ha="center", va="center", fontsize=9, fontweight="bold", color=ink, annotation_clip=False,
    )  # fmt: skip


def _named(setting: Mapping[str, Any]) -> dict[str, Any]:
    return {"epsilon": setting["epsilon"], "delta": setting["delta"], "k": setting["k"], "s": setting["selectivity"]}
