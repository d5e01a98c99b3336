"""The pictures of docs/scale.md, drawn from figures.json alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

from benchmarks.scale.losses import BLOCKS, DELTAS, HILBERT, K_MEMBER, KS, STRICT, limited
from tasks.reporting.drawing import INKS, drawn

FAR = 1.4  # times the next smaller loss
GREEN, PURPLE, SKY = "#009e73", "#cc79a7", "#56b4e9"
MARKS: Mapping[str, tuple[str, str, bool]] = {  # colour, marker, filled
    BLOCKS: (INKS["main"], "o", True),
    **{limited(delta): (INKS["main"], marker, False) for delta, marker in zip(DELTAS, ("o", "s", "^"), strict=True)},
    STRICT: (INKS["ink"], "D", True),
    K_MEMBER: (INKS["fail"], "s", True),
    HILBERT: (GREEN, "^", True),
    "project-lighthouse-anonymize": (PURPLE, "v", True),
    "anonypyx": (INKS["second"], "P", True),
    "polarfrost": (SKY, "X", True),
}


def pictures(figures: Mapping[str, Any]) -> dict[str, bytes]:
    """PNG files by name, of the parts that have numbers."""
    made = {}
    if "losses" in figures:
        made["loss-and-time.png"] = loss_and_time(figures["losses"])
    if "growth" in figures:
        made["growth.png"] = growth(figures["growth"])
    return made


def loss_and_time(lines: list[Mapping[str, Any]]) -> bytes:
    """A panel for each k and each set of quasi-identifiers; to the left is faster, below loses less."""
    sets = list(dict.fromkeys(line["quasi"] for line in lines))
    ks = [k for k in KS if any(line["k"] == k for line in lines)]

    def paint(whole: Any) -> None:
        from matplotlib.ticker import LogLocator

        panels = whole.subplots(len(sets), len(ks), sharex=True, sharey="row", squeeze=False)
        for row, quasi in zip(panels, sets, strict=True):
            for axes, k in zip(row, ks, strict=True):
                own = [line for line in lines if line["quasi"] == quasi and line["k"] == k]
                edge = _edge([line["loss"] for line in lines if line["quasi"] == quasi])
                for line in own:
                    ink, marker, filled = MARKS[line["method"]]
                    face, up, beyond = ink if filled else "white", line["loss"], line["loss"] > edge
                    axes.plot(
                        [line["busy_seconds"]], [100 * min(up, edge)], color=ink, marker=marker, markerfacecolor=face, markersize=6,
                        linestyle="none", label=line["method"],
                    )  # fmt: skip
                    if beyond:
                        at = (line["busy_seconds"], 100 * edge)
                        axes.annotate(
                            f"↑ {100 * up:.0f} %", at, xytext=(-7, 0), textcoords="offset points", ha="right", va="center", fontsize=8
                        )
                axes.set(xscale="log", yscale="log")
                axes.grid(True, axis="both")
                axes.margins(0.12)
                axes.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
                axes.minorticks_off()
                axes.set_title(f"{quasi} quasi-identifiers, k = {k}", fontsize=8)
                axes.yaxis.set_major_formatter(lambda value, _: f"{value:g} %")
                axes.yaxis.set_minor_formatter(lambda _value, _: "")
                axes.xaxis.set_major_formatter(lambda value, _: f"{value:g}")
            row[0].set_ylabel("loss (NCP)")
        for axes in panels[-1]:
            axes.set_xlabel("processor seconds", fontsize=8)
        handles, labels = panels[0][0].get_legend_handles_labels()
        whole.legend(handles, labels, loc="outside lower center", ncols=3)

    return drawn(paint, 5.8, "png")


def _edge(losses: Sequence[float]) -> float:
    """What loses far more than all others is drawn at an upper edge, so that these are not squeezed together."""
    ordered = sorted(losses)
    gaps = [upper / lower for lower, upper in pairwise(ordered)]
    widest = max(range(len(gaps)), key=gaps.__getitem__)
    return ordered[-1] if gaps[widest] < FAR else 2 * ordered[widest]


def growth(figures: Mapping[str, Any]) -> bytes:
    """Seconds and memory by rows; dotted: what is linear, from the first point."""
    lines = (
        (
            figures["blocks"],
            "blocks, from encoded columns",
            INKS["main"],
            "o",
            lambda one: (one["column_bytes"] + one["extra_bytes"]) / 2**20,
        ),
        (figures["releases"], "a whole release, all processes", INKS["fail"], "s", lambda one: one["peak_mib"]),
    )

    def paint(whole: Any) -> None:
        left, right = whole.subplots(1, 2)
        for points, said, ink, marker, memory in lines:
            rows = [one["rows"] for one in points]
            for axes, up in ((left, [one["busy_seconds"] for one in points]), (right, [memory(one) for one in points])):
                axes.plot(rows, up, color=ink, marker=marker, markersize=5, linewidth=1.4, label=said)
                if points is figures["blocks"]:
                    axes.plot(rows, [up[0] * each / rows[0] for each in rows], color=INKS["ink"], linestyle=(0, (1, 1.5)), linewidth=1.2)
        left.set_title("processor seconds (dotted: linear)", fontsize=8)
        right.set_title("peak memory, MiB (dotted: linear)", fontsize=8)
        for axes in (left, right):
            axes.set(xscale="log", yscale="log", xlabel="rows")
            axes.minorticks_off()
            axes.yaxis.set_major_formatter(lambda value, _: f"{value:,g}")
        handles, labels = left.get_legend_handles_labels()
        whole.legend(handles, labels, loc="outside lower center", ncols=2)

    return drawn(paint, 3.2, "png")
