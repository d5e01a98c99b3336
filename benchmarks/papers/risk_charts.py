"""The charts of the disclosure-risk paper's experiments, drawn from figures.json alone."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from tasks.reporting.drawing import INKS, drawn

GREEN, PURPLE = "#009e73", "#cc79a7"
SHARE_INKS = (GREEN, INKS["second"], PURPLE, INKS["main"])
DASHED = (0, (4, 2))
FORM_LINES = {"multiplicative": ("-", "o"), "additive": (DASHED, "s")}
SIZE_MARKS = ("o", "^", "s", "D")
SECONDS = tuple(part * 10**power for power in range(-3, 2) for part in (1, 2, 5))
AXES = {"n": "records, n", "N": "individuals, N", "m": "attributes, m"}


def pictures(found: Mapping[str, Any]) -> dict[str, bytes]:
    """PNG files by name, of the experiments that have numbers."""
    made = {"figure-1-left.png": ("left", by_size), "figure-1-right.png": ("right", estimated)}
    made |= {"min-risk.png": ("gaps", min_risk), "growth.png": ("growth", growth)}
    return {name: draw(found[key]) for name, (key, draw) in made.items() if key in found}


def lines_of(figure: Mapping[str, Any], reading: str, rule: str) -> list[Mapping[str, Any]]:
    return [one for one in figure["lines"] if one["reading"] == reading and one["rule"] == rule]


def by_size(figure: Mapping[str, Any]) -> bytes:
    across = [100 * size for size in figure["sizes"]]

    def paint(whole: Any) -> None:
        panels = whole.subplots(1, 2, sharey=True)
        for axes, rule in zip(panels, ("random", "MinRisk"), strict=True):
            shares = sorted({one["share"] for one in figure["lines"]})
            for one in lines_of(figure, "with the records", rule):
                line, marker = FORM_LINES[one["form"]]
                ink = SHARE_INKS[shares.index(one["share"])]
                axes.plot(across, one["risk"], color=ink, linestyle=line, marker=marker, markersize=3.5, linewidth=1.3)
            axes.set_title({"random": "attributes by chance", "MinRisk": "attributes by MinRisk"}[rule])
            axes.set(xlabel="dictionary, % of the table", yscale="log", xticks=[20, 40, 60, 80, 100])
        panels[0].set_ylabel("R, mean ℓ")
        for ink, share in reversed(list(zip(SHARE_INKS, shares, strict=True))):
            panels[0].plot([], [], color=ink, linewidth=3, label=f"k = {share:.0%}")
        for form, (line, marker) in FORM_LINES.items():
            panels[0].plot([], [], color=INKS["ink"], linestyle=line, marker=marker, markersize=3.5, label=form)
        whole.legend(*panels[0].get_legend_handles_labels(), loc="outside upper center", ncols=6, columnspacing=1.1, handlelength=1.8)

    return drawn(paint, 3.6, "png")


def estimated(figure: Mapping[str, Any]) -> bytes:
    points = [one for one in figure["points"] if one["form"] == "additive"]

    def paint(whole: Any) -> None:
        axes = whole.subplots()
        top = 1.04 * max(max(one["true"], one["estimated"]) for one in points)
        axes.plot([0, top], [0, top], color=INKS["muted"], linewidth=1, linestyle=DASHED, label="estimated = true")
        for size, ink, marker in zip(figure["sizes"], SHARE_INKS, SIZE_MARKS, strict=True):
            mine = [one for one in points if one["kept"] and one["size"] == size]
            _scatter(axes, (one for one in mine if not one["gaps"]), ink, marker, ink, f"θ_true {size / figure['estimate']:.0f} times θ̂")
            _scatter(axes, (one for one in mine if one["gaps"]), ink, marker, "none", None)
        _scatter(axes, (one for one in points if not one["kept"]), INKS["fail"], "x", INKS["fail"], "θ̂ lacks the records' people")
        axes.plot(
            [], [], color=INKS["ink"], linestyle="none", marker="o", markerfacecolor="none", label=f"{figure['gaps']:.0%} missing in θ_true"
        )
        axes.set(xlabel="true risk, R(δ, θ_true)", ylabel="estimated risk, R(δ, θ̂)", xlim=(-0.1, top), ylim=(-0.1, top))
        axes.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0))

    return drawn(paint, 3.6, "png")


def _scatter(axes: Any, points: Iterable[Mapping[str, Any]], ink: str, marker: str, face: str, label: str | None) -> None:
    pairs = [(one["true"], one["estimated"]) for one in points]
    axes.plot(
        [true for true, _ in pairs], [known for _, known in pairs], color=ink, marker=marker, markersize=4.5, markerfacecolor=face,
        markeredgewidth=0.9, linestyle="none", label=label,
    )  # fmt: skip


def min_risk(figure: Mapping[str, Any]) -> bytes:
    def paint(whole: Any) -> None:
        panels = whole.subplots(1, 2, sharey=True)
        for axes, weights, title in zip(panels, ("uniform", "none"), ("uniform random weights", "no weights: Φ ≡ 1"), strict=True):
            mine = [one for one in figure["lines"] if one["weights"] == weights]
            across = [one["keep"] for one in mine]
            for key, ink, marker, label in (
                ("random", INKS["fail"], "s", "by chance"),
                ("min_risk", INKS["main"], "o", "MinRisk"),
                ("best", GREEN, "x", "best of all"),
            ):
                axes.plot(across, [one[key] for one in mine], color=ink, marker=marker, markersize=5, linewidth=1.3, label=label)
            axes.set(xlabel="attributes kept per record, k", yscale="log", xticks=across, title=title)
        panels[0].set_ylabel("R, mean ℓ")
        panels[0].legend(loc="upper left")

    return drawn(paint, 3.2, "png")


def growth(figure: Mapping[str, Any]) -> bytes:
    def paint(whole: Any) -> None:
        panels = whole.subplots(1, 3, sharey=True)
        for axes, (axis, label) in zip(panels, AXES.items(), strict=True):
            mine = [one for one in figure["points"] if one["axis"] == axis]
            across, up = [one["value"] for one in mine], [one["seconds"] for one in mine]
            axes.plot(across, up, color=INKS["main"], marker="o", markersize=4.5, label="MinRisk")
            straight = [up[-1] * value / across[-1] for value in across]
            axes.plot(across, straight, color=INKS["muted"], linestyle=DASHED, linewidth=1, label="in proportion")
            axes.set(xlabel=label, xscale="log", yscale="log")
            axes.set_xticks(across, [f"{value / 1000:g}k" if value >= 1000 else str(value) for value in across])
            axes.set_yticks(SECONDS, [f"{tick:g}" for tick in SECONDS])
            axes.set_ylim(*_around([one["seconds"] for one in figure["points"]]))
            axes.minorticks_off()
        panels[0].set_ylabel("processor seconds")
        panels[0].legend(loc="upper left")

    return drawn(paint, 2.9, "png")


def _around(seconds: list[float]) -> tuple[float, float]:
    return min(seconds) / 2, 2 * max(seconds)
