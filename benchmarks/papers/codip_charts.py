"""The charts of the CODIP paper's experiments, drawn from figures.json alone."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from tasks.reporting.drawing import INKS, drawn

PAPER_POINT = (0.19, 0.15)  # the one point of Figure 5 that the paper names
PAPER_PASSED = {"0.4": (6, 6, 6, 6, 0, 0), "0.37": (2, 2, 2, 2, 0, 0)}  # Figure 9(a), at KS
PAPER_ANONYMOUS = (46, 28, 18, 14, 5, 1)  # Figure 9(b)
KS = (2, 5, 10, 20, 50, 100)
PURPLE, GREEN = "#cc79a7", "#009e73"
LINES = {1: (INKS["ink"], "x"), 2: (INKS["fail"], "s"), 4: (INKS["second"], "^"), 6: (GREEN, "D"), 15: (INKS["main"], "o")}


def pictures(found: Mapping[str, Any]) -> dict[str, bytes]:
    """PNG files by name, of the experiments that have numbers."""
    made = {"figure-5.png": ("5", ratios), "figure-6.png": ("5", numbers_of_tables), "figure-7.png": ("7", attributes)}
    made |= {"figure-8.png": ("8", best_closeness), "figure-9.png": ("9", anonymity)}
    return {name: draw(found[key]) for name, (key, draw) in made.items() if key in found}


def ratios(figure: Mapping[str, Any]) -> bytes:
    greedy, least = (_points(figure, method) for method in ("codip*", "optimal"))
    two = figure["two"]["best"]

    def paint(whole: Any) -> None:
        axes = whole.subplots()
        across, up = ([one[key] for one in greedy] for key in ("association_loss", "information_exposure"))
        axes.plot(
            [one["association_loss"] for one in least], [one["information_exposure"] for one in least], color=INKS["second"],
            marker="^", markersize=8, linestyle="none", markerfacecolor="none", label="least exposed plan found, any number of tables",
        )  # fmt: skip
        axes.plot(across, up, color=INKS["main"], marker="o", markersize=4, linewidth=1.4, label="CODIP*, with its number of tables")
        for one in greedy:
            at = (one["association_loss"], one["information_exposure"])
            axes.annotate(str(one["tables"]), at, xytext=(5, 3), textcoords="offset points", fontsize=8, color=INKS["main"])
        if two:
            axes.plot(
                two["association_loss"], two["information_exposure"], color=PURPLE, marker="D", markersize=6, linestyle="none",
                label=f"least exposed two tables with Γα ≤ {figure['two']['alpha']:g}",
            )  # fmt: skip
        axes.plot(*PAPER_POINT, color=INKS["fail"], marker="x", markersize=9, markeredgewidth=2, linestyle="none", label="paper")
        axes.set(xlabel="Γα, association loss", ylabel="Γβ, information exposure", xlim=(-0.02, 1.04), ylim=(-0.03, 1.06))
        axes.legend(loc="upper right")

    return drawn(paint, 3.6, "png")


def numbers_of_tables(figure: Mapping[str, Any]) -> bytes:
    greedy = sorted(_points(figure, "codip*"), key=lambda one: one["tables"])

    def paint(whole: Any) -> None:
        axes = whole.subplots()
        across = [one["tables"] for one in greedy]
        gain, loss = [100 * (1 - one["information_exposure"]) for one in greedy], [100 * one["association_loss"] for one in greedy]
        axes.plot(across, gain, color=INKS["main"], marker="o", markersize=4.5, label="join-threat reduced, 1 − Γβ")
        axes.plot(across, loss, color=INKS["fail"], marker="s", markersize=4.5, label="association loss, Γα")
        axes.set(xlabel="tables, N", xticks=across, ylim=(-3, 106))
        axes.yaxis.set_major_formatter(lambda value, _: f"{value:g} %")
        axes.legend(loc="lower right")

    return drawn(paint, 3.0, "png")


def attributes(figure: Mapping[str, Any]) -> bytes:
    points = figure["points"]

    def paint(whole: Any) -> None:
        axes = whole.subplots()
        across = [one["attributes"] for one in points]
        low, mean, high, named = (
            [np.nan if one[key] is None else one[key] for one in points] for key in ("low", "mean", "high", "as_named")
        )
        axes.fill_between(across, low, high, color=INKS["main"], alpha=0.18, linewidth=0, label="8 of 10 random orders")
        axes.plot(across, mean, color=INKS["main"], marker="o", markersize=4, label=f"mean of {figure['orders']} random orders")
        axes.plot(across, named, color=INKS["fail"], marker="s", markersize=4, label="in the order in which the paper names them")
        axes.plot(across, across, color=INKS["muted"], linestyle=(0, (4, 2)), linewidth=1, label="every attribute in its own table")
        top = max([np.nanmax(np.array(side, dtype=float)) for side in (high, named)])
        axes.set(xlabel="sensitive attributes, s", ylabel="tables, N", xticks=across, ylim=(0, top + 1))
        axes.legend(loc="lower right")

    return drawn(paint, 3.0, "png")


def best_closeness(figure: Mapping[str, Any]) -> bytes:
    lines = {one["tables"]: one for one in figure["lines"]}
    reading = figure["readings"]

    def paint(whole: Any) -> None:
        panels = whole.subplots(1, 2)
        for axes, key in zip(panels, ("closeness", "improvement"), strict=True):
            for place, number in enumerate(figure["drawn"]):
                ink, marker = LINES[number]
                points = lines[number]["points"]
                up = [np.nan if one[key] is None else one[key] * (1 if key == "closeness" else 100) for one in points]
                if number > 1 or key == "closeness":
                    axes.plot(
                        [one["bound"] for one in points], up, color=ink, marker=marker, markersize=11 - 2 * place, linewidth=1.2,
                        markerfacecolor="none", label=f"N = {number}{' (baseline)' if number == 1 else ''}",
                    )  # fmt: skip
            for at in reading.values():
                axes.axvline(at, color=INKS["muted"], linestyle=(0, (1, 1.5)), linewidth=1)
            axes.set_xlabel("$d_m$, 10⁹")
        panels[0].set_title("best closeness, t")
        panels[0].set_ylim(0, None)
        panels[1].set_title("improvement on the baseline, 1 − t′/t")
        panels[1].yaxis.set_major_formatter(lambda value, _: f"{value:g} %")
        handles, labels = panels[0].get_legend_handles_labels()
        said = "dotted: the paper's $d_m$ = 3.5, as printed and as the same share of the rows"
        whole.legend(handles, labels, loc="outside upper center", ncols=5, title=said, title_fontsize=8)

    return drawn(paint, 3.3, "png")


def anonymity(figure: Mapping[str, Any]) -> bytes:
    counted = set(figure["counted"])
    ks = [one["k"] for one in figure["anonymous"]]
    places = range(len(ks))

    def paint(whole: Any) -> None:
        left, right = whole.subplots(1, 2)
        styles = [("0.4", "as printed", INKS["main"], "o"), ("0.4", "same share", GREEN, "D")]
        styles += [("0.37", "as printed", INKS["second"], "^"), ("0.37", "same share", PURPLE, "v")]
        for shift, (t, reading, ink, marker) in enumerate(styles):
            mine = [one for one in figure["passed"] if one["t"] == t and one["reading"] == reading]
            up = [len(counted & set(one["tables"])) for one in mine]
            across = [place + 0.09 * (shift - 1.5) for place in places]
            left.plot(across, up, color=ink, marker=marker, markersize=5, linestyle="none", label=f"t = {t}, $d_m$ {reading}")
        for t, line in (("0.4", "-"), ("0.37", (0, (4, 2)))):
            left.plot(places, _at(PAPER_PASSED[t], ks), color=INKS["fail"], linestyle=line, linewidth=1.2, label=f"t = {t}, the paper")
        left.set(xlabel="k", xticks=list(places), ylim=(-0.3, len(counted) + 0.3))
        left.set_title(f"(a) plans of 2 to 7 tables that pass, of {len(counted)}")
        left.set_xticklabels([str(k) for k in ks])
        whole.legend(*left.get_legend_handles_labels(), loc="outside upper center", ncols=3)
        for key, ink, marker, label in (("all", INKS["muted"], "x", "any $d_m$"), ("as printed", INKS["main"], "o", "$d_m$ as printed")):
            right.plot(places, [one[key] for one in figure["anonymous"]], color=ink, marker=marker, markersize=5, label=label)
        right.plot(places, _at(PAPER_ANONYMOUS, ks), color=INKS["fail"], linewidth=1.2, label="the paper")
        right.set(xlabel="k", xticks=list(places), ylim=(0, None))
        right.set_title(f"(b) k-anonymous nodes, of {figure['nodes']}")
        right.set_xticklabels([str(k) for k in ks])
        right.legend(loc="upper right")

    return drawn(paint, 3.2, "png")


def _points(figure: Mapping[str, Any], method: str) -> list[Mapping[str, Any]]:
    return sorted((one for one in figure["points"] if one["method"] == method), key=lambda one: (one["association_loss"], -one["tables"]))


def _at(figures: tuple[int, ...], ks: list[int]) -> list[int]:
    return [figures[KS.index(k)] for k in ks]
