"""The charts of the (δ, l) and the general-proximity paper's figures, drawn from figures.json alone."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from tasks.reporting.drawing import INKS, drawn

READINGS = {
    "definition": ("(δ, l), definition", INKS["fail"], "-"),
    "window": ("(δ, l), window", INKS["main"], (0, (4, 2))),
    "(ε, m)": ("(ε, m), ε = δ", INKS["second"], "-."),
}
NEAR = 0.1  # ε of the paper's example
COLOURS = (INKS["main"], INKS["second"])


def pictures(found: Mapping[str, Any]) -> dict[str, bytes]:
    """PNG files by name, of the experiments that have numbers."""
    made = {
        "salaries.png": ("salaries", by_interval),
        "census.png": ("census", ages),
        "checking.png": ("checking", growth),
        "diseases.png": ("diseases", neighbourhoods),
    }
    return {name: draw(found[key]) for name, (key, draw) in made.items() if key in found}


def by_interval(figure: Mapping[str, Any]) -> bytes:
    across = [one["interval"] for one in figure["by_interval"]]

    def paint(whole: Any) -> None:
        panels = whole.subplots(1, len(figure["groups"]), sharey=True)
        for place, (axes, (name, group)) in enumerate(zip(panels, figure["groups"].items(), strict=True)):
            for reading, (label, ink, line) in READINGS.items():
                heights = [one[reading][place] for one in figure["by_interval"]]
                axes.step(across, heights, where="post", color=ink, linestyle=line, linewidth=1.5, label=label)
            axes.set_title(f"{name}\n{', '.join(map(str, group))}")
            axes.set(xlabel="δ, ε (thousand)", ylim=(0.8, 4.2))
        panels[0].set_ylabel("l, m of the group")
        whole.legend(*panels[0].get_legend_handles_labels(), loc="outside upper center", ncols=3)

    return drawn(paint, 3.0, "png")


def ages(figure: Mapping[str, Any]) -> bytes:
    def paint(whole: Any) -> None:
        left, right = whole.subplots(1, 2)
        for reading, (label, ink, line) in READINGS.items():
            across = [one["interval"] for one in figure["by_interval"]]
            below = [100 * one[reading]["below"] for one in figure["by_interval"]]
            left.plot(across, below, color=ink, linestyle=line, linewidth=1.5, marker="o", markersize=3, label=label)
        for reading in ("definition", "window"):
            label, ink, line = READINGS[reading]
            falls = [100 * one["falls"][reading] for one in figure["unions"]]
            right.plot(
                [one["interval"] for one in figure["unions"]], falls, color=ink, linestyle=line, linewidth=1.5, marker="o", markersize=3
            )
        left.set(xlabel="δ, ε (years)", ylabel="% of the groups", ylim=(-3, 103))
        left.set_title("groups with l or m below 2")
        right.set(xlabel="δ (years)", ylabel="% of the unions")
        right.set_title("unions with less than either part")
        whole.legend(*left.get_legend_handles_labels(), loc="outside upper center", ncols=3)

    return drawn(paint, 3.2, "png")


def growth(figure: Mapping[str, Any]) -> bytes:
    points = figure["seconds"]

    def paint(whole: Any) -> None:
        axes = whole.subplots()
        rows, seconds = [one["rows"] for one in points], [one["seconds"] for one in points]
        axes.plot(rows, seconds, color=INKS["main"], marker="o", markersize=4, label="both readings")
        line = [seconds[-1] * size / rows[-1] for size in rows]
        axes.plot(rows, line, color=INKS["muted"], linewidth=1, linestyle=(0, (4, 2)), label="in proportion")
        axes.set(xlabel="|E|, different values in one group", ylabel="seconds", xscale="log", yscale="log")
        axes.legend(loc="upper left")

    return drawn(paint, 2.8, "png")


def neighbourhoods(figure: Mapping[str, Any]) -> bytes:
    """Table I as a graph in the plane that keeps most of the distances, and the risk of its groups against ε."""
    distances = np.array(figure["distances"])
    group = [0] * 5 + [1] * (len(distances) - 5)

    def paint(whole: Any) -> None:
        left, right = whole.subplots(1, 2)
        places = scaled(distances)
        for i in range(len(distances)):
            for j in range(i):
                if group[i] == group[j]:
                    near = distances[i, j] <= NEAR + 1e-9
                    ink, line = (INKS["ink"], "-") if near else (INKS["muted"], (0, (1, 2)))
                    left.plot(*places[[i, j]].T, color=ink, linestyle=line, linewidth=1.8 if near else 0.7, zorder=1)
        for number in (0, 1):
            mine = [place for place, one in enumerate(group) if one == number]
            left.plot(
                *places[mine].T, linestyle="none", marker="o", markersize=11, color=COLOURS[number], label=f"group {number + 1}", zorder=2
            )
        for place, (x, y) in enumerate(places):
            left.annotate(str(place + 1), (x, y), color="white", ha="center", va="center", fontsize=8, zorder=3)
        left.grid(False)
        left.set(xticks=[], yticks=[])
        left.set_aspect("equal", adjustable="datalim")
        left.margins(0.18)
        left.set_title(f"Table I: lines up to Δ = {NEAR}, dots beyond")
        for number in (0, 1):
            risks = [one["risk"][number] for one in figure["by_epsilon"]]
            right.step([one["epsilon"] for one in figure["by_epsilon"]], risks, where="post", color=COLOURS[number], linewidth=1.6)
        right.axvline(NEAR, color=INKS["muted"], linewidth=1, linestyle=(0, (4, 2)))
        right.set(xlabel="ε", ylabel="risk(G, ε)", ylim=(-0.04, 1.04))
        whole.legend(*left.get_legend_handles_labels(), loc="outside upper center", ncols=2, markerscale=0.5)

    return drawn(paint, 3.3, "png")


def scaled(distances: Any) -> Any:
    """Classical scaling to two dimensions."""
    middle = np.eye(len(distances)) - 1 / len(distances)
    values, vectors = np.linalg.eigh(-0.5 * middle @ distances**2 @ middle)
    vectors = vectors[:, -2:] * np.sign(vectors[0, -2:])
    return vectors * np.sqrt(np.maximum(values[-2:], 0.0))
