"""What docs/scale.md shows of figures.json: tables between marks. The words around them are the page's own."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from benchmarks.papers.writing import between_marks, table
from benchmarks.peers.libraries import LIBRARIES
from benchmarks.scale import on_paper
from benchmarks.scale.losses import KS
from benchmarks.scale.shapes import WORSE, ratio
from benchmarks.scale.workers import AIM

SCRIPT = "make bench-scale"
MICRO = 1e6
TABLES = {"one": "one table", "four": "four tables"}
Figures = Mapping[str, Any]


def with_tables(page: str, figures: Figures) -> str:
    for name, text in made(figures).items():
        page = between_marks(page, text, f"{SCRIPT}, {name}")
    return page


def tables(figures: Figures) -> str:
    return "\n".join(made(figures).values())


def made(figures: Figures) -> dict[str, str]:
    """The tables that have numbers, by the name of their place in the page."""
    writers = {"losses": losses, "shapes": shapes, "growth": growth, "workers": workers}
    found = {name: write(figures[name]) for name, write in writers.items() if name in figures}
    if {"growth", "workers"} <= figures.keys():
        found["on paper"] = on_paper.tables(figures["growth"], figures["workers"])
    return found


def losses(lines: Sequence[Figures]) -> str:
    return "\n".join(_losses_of(quasi, lines) for quasi in dict.fromkeys(line["quasi"] for line in lines))


def _losses_of(quasi: str, lines: Sequence[Figures]) -> str:
    by = {(line["method"], line["k"]): line for line in lines if line["quasi"] == quasi}
    ks = [k for k in KS if any(k == of for _, of in by)]

    def rows() -> Iterator[list[str]]:
        for method in dict.fromkeys(name for name, _ in by):
            cells = []
            for k in ks:
                line = by[method, k]
                left = "*" if line["suppressed"] else ""
                cells.append(f"{100 * line['loss']:.2f}{left} · {seconds(line['busy_seconds'])} · {seconds(line['seconds'])}")
            yield [_called(method), *cells]

    return table([f"{quasi} quasi-identifiers", *(f"k = {k}: %, processor, clock" for k in ks)], rows())


def _called(method: str) -> str:
    return f"{method} {LIBRARIES[method].version}" if method in LIBRARIES else method


def seconds(taken: float) -> str:
    return f"{taken:.3f} s" if taken < 0.1 else f"{taken:.2f} s" if taken < 10 else f"{taken:.0f} s"


def shapes(lines: Sequence[Figures]) -> str:
    def rows() -> Iterator[list[str]]:
        for line in lines:
            over = ratio(line)
            shown = f"**{over:.2f}**" if over > WORSE else f"{over:.2f}"
            losses = [f"{100 * loss:.2f}" for loss in line["loss"].values()]
            took = line["busy_seconds"]
            yield [line["shape"], str(line["k"]), f"{line['cells']:,}", *losses, shown, seconds(took["blocks"]), seconds(took["k-member"])]

    worse = sum(ratio(line) > WORSE for line in lines)
    heads = [
        "Quasi-identifiers",
        "k",
        "distinct",
        *(f"{name}, %" for name in lines[0]["loss"]),
        "blocks ÷ best other",
        "blocks",
        "k-member",
    ]
    said = f"`blocks` loses over {100 * (WORSE - 1):.0f} % more than the best of the others in {worse} of {len(lines)} lines (bold).\n"
    return table(heads, rows()) + "\n" + said


def growth(figures: Figures) -> str:
    """A row's seconds are compared for `blocks` only: a release begins with what it takes whatever the table is."""

    def rows(points: Sequence[Figures], mebibytes: Callable[[Figures], float]) -> Iterator[list[str]]:
        for one in points:
            took, each = seconds(one["busy_seconds"]), MICRO * one["busy_seconds"] / one["rows"]
            yield [f"{one['rows']:,}", took, seconds(one["seconds"]), f"{each:,.1f} µs", f"{mebibytes(one):,.0f} MiB"]

    heads = ["rows", "processor", "clock", "a row's share of the processor", "peak memory"]
    blocks, releases = figures["blocks"], figures["releases"]
    first, last = (one["busy_seconds"] / one["rows"] for one in (blocks[0], blocks[-1]))
    grouping = table([f"`blocks`: {heads[0]}", *heads[1:]], rows(blocks, lambda one: (one["column_bytes"] + one["extra_bytes"]) / 2**20))
    whole = table([f"a whole release: {heads[0]}", *heads[1:]], rows(releases, lambda one: one["peak_mib"]))
    times = f"A row of {blocks[-1]['rows']:,} takes `blocks` {last / first:.2f} times what a row of {blocks[0]['rows']:,} does.\n"
    return f"{grouping}\n{times}\n{whole}"


def workers(figures: Figures) -> str:
    heads = [f"{figures['rows']:,} rows", "clock", "processor", "busiest process", "times faster, clock", "by the busiest process"]
    lines = [line for which, said in TABLES.items() for line in _workers_on(said, figures[which])]
    verdicts = "; ".join(_verdict(said, figures[which]["dask 1"], figures[which]["dask 2"]) for which, said in TABLES.items())
    return (
        table(heads, lines)
        + f"\nThe aim was {AIM} times from one Dask worker to two. By the clock, and by the busiest process: {verdicts}.\n"
    )


def _verdict(said: str, one: Figures, two: Figures) -> str:
    times = [one[what] / two[what] for what in ("seconds", "busiest_seconds")]
    return f"{said} " + ", ".join(f"{each:.2f} ({'met' if each >= AIM else '**missed**'})" for each in times)


def _workers_on(said: str, ended: Figures) -> Iterator[list[str]]:
    for engine, workers in (("local", "thread"), ("dask", "worker")):
        one, two = (ended[f"{engine} {many}"] for many in (1, 2))
        for many, line in ((1, one), (2, two)):
            name = f"{said}, {engine}, {many} {workers}{'s' if many > 1 else ''}"
            busiest = seconds(line["busiest_seconds"]) if engine == "dask" else ""
            faster = f"{one['seconds'] / two['seconds']:.2f}" if many > 1 else ""
            busier = f"{one['busiest_seconds'] / two['busiest_seconds']:.2f}" if many > 1 and engine == "dask" else ""
            yield [name, seconds(line["seconds"]), seconds(line["busy_seconds"]), busiest, faster, busier]
