"""What a billion rows and more would take, worked out from what was measured: each step with its arithmetic."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from benchmarks.papers.writing import table

BILLION = 10**9
SIZES = (BILLION, 10 * BILLION)
CORES, GIBIBYTES, GIGABIT = 16, 256, 10  # of one machine, and of the network between them
MICRO = 1e6
LARGEST = 2**31  # rows that a 32-bit number can tell apart

Figures = Mapping[str, Any]


@dataclass(frozen=True)
class Costs:
    """Of one row: microseconds of a processor, and bytes."""

    pieces: float  # in regions, which workers share
    table: float  # in the table's own job, outside its regions
    rest: float  # outside tables: reading, checking, writing, reading back, attacks
    columns: float  # bytes of the coded table as it is sent
    sent: float  # bytes of regions to workers
    returned: float
    outcome: float
    worker_bytes: float  # memory of who works on a table
    release_bytes: float  # memory of all processes of a release
    skew: float  # the slowest region's seconds over the mean
    piece_rows: float
    piece_seconds: float

    @classmethod
    def of(cls, growth: Figures, workers: Figures) -> Costs:
        pieces, rows = workers["pieces"], workers["pieces"]["rows"]
        inside = sum(pieces["piece_seconds"])
        before, last = growth["releases"][-2:]
        more = last["rows"] - before["rows"]
        largest = growth["blocks"][-1]
        whole = (last["busy_seconds"] - before["busy_seconds"]) / more
        grouping = pieces["whole_seconds"] / rows
        return cls(
            pieces=MICRO * inside / rows,
            table=MICRO * (pieces["whole_seconds"] - inside) / rows,
            rest=MICRO * (whole - grouping),
            columns=pieces["table_bytes"] / rows,
            sent=pieces["sent_bytes"] / rows,
            returned=pieces["returned_bytes"] / rows,
            outcome=pieces["outcome_bytes"] / rows,
            worker_bytes=(largest["column_bytes"] + largest["extra_bytes"]) / largest["rows"],
            release_bytes=(last["peak_mib"] - before["peak_mib"]) * 2**20 / more,
            skew=max(pieces["piece_seconds"]) * len(pieces["piece_seconds"]) / inside,
            piece_rows=rows / pieces["pieces"],
            piece_seconds=inside / pieces["pieces"],
        )

    @property
    def network(self) -> float:
        """Bytes of a row that are written to the shared folder; each is read once, too."""
        return self.columns + self.sent + self.returned + self.outcome

    def rows_in(self, gibibytes: float, each: float) -> float:
        return gibibytes * 2**30 / each


def tables(growth: Figures, workers: Figures) -> str:
    cost = Costs.of(growth, workers)
    return "\n".join((_costs(cost), _sizes(cost), _limits(cost)))


def _costs(cost: Costs) -> str:
    lines: Sequence[Sequence[str]] = (
        ("a table's regions, which workers share", f"{cost.pieces:.1f} µs", "grouping each region alone"),
        ("a table's own job besides", f"{cost.table:.1f} µs", "cells, cutting regions, borders, counting again, measuring"),
        ("outside tables", f"{cost.rest:.1f} µs", "reading, checking, writing, reading back, attacks"),
        ("coded columns, to who works on the table", f"{cost.columns:.0f} B", "written once, read by each table's worker"),
        ("regions, to workers", f"{cost.sent:.0f} B", "written once, read once"),
        ("groups of regions, back", f"{cost.returned:.0f} B", "written once, read once"),
        ("the table's outcome, back", f"{cost.outcome:.0f} B", "written once, read once"),
        ("memory of who works on a table", f"{cost.worker_bytes:.0f} B", "columns, cells, items, groups"),
        ("memory of all processes of the release", f"{cost.release_bytes:,.0f} B", "source, tables, what is written and read back"),
    )
    skew = f"A region has {cost.piece_rows:,.0f} rows and takes {cost.piece_seconds:.2f} s; the slowest takes {cost.skew:.2f} times that.\n"
    return table(["Each row costs", "", "for"], lines) + "\n" + skew


def _sizes(cost: Costs) -> str:
    def line(said: str, show: Any) -> list[str]:
        return [said, *(show(rows) for rows in SIZES)]

    lines = (
        line("regions", lambda n: f"{n:.0e} ÷ {cost.piece_rows:,.0f} = {n / cost.piece_rows:,.0f}"),
        line("their work", lambda n: f"{n:.0e} × {cost.pieces:.1f} µs = {hours(n * cost.pieces / MICRO)} of a core"),
        line(f"… on {CORES} cores", lambda n: hours(n * cost.pieces / MICRO / CORES)),
        line("the table's own job, one core", lambda n: f"{n:.0e} × {cost.table:.1f} µs = {hours(n * cost.table / MICRO)}"),
        line("outside tables, nearly all on one core", lambda n: f"{n:.0e} × {cost.rest:.1f} µs = {hours(n * cost.rest / MICRO)}"),
        line("through the shared folder", lambda n: f"{n:.0e} × {cost.network:.0f} B = {n * cost.network / 1e12:.2f} TB"),
        line(f"… at {GIGABIT} Gbit/s, written and read", lambda n: hours(2 * n * cost.network * 8 / (GIGABIT * 1e9))),
        line(
            "memory of who works on the table", lambda n: f"{n:.0e} × {cost.worker_bytes:.0f} B = {n * cost.worker_bytes / 2**30:,.0f} GiB"
        ),
        line("memory of the release", lambda n: f"{n:.0e} × {cost.release_bytes:,.0f} B = {n * cost.release_bytes / 2**30:,.0f} GiB"),
    )
    return table(["One table of six columns", *(f"{rows:.0e} rows" for rows in SIZES)], lines)


def _limits(cost: Costs) -> str:
    """What breaks, the smallest number of rows first."""
    breaks = [
        (cost.rows_in(GIBIBYTES, cost.release_bytes), f"the memory of the release: {GIBIBYTES} GiB ÷ {cost.release_bytes:,.0f} B"),
        (cost.rows_in(GIBIBYTES, cost.worker_bytes), f"the memory of who works on the table: {GIBIBYTES} GiB ÷ {cost.worker_bytes:.0f} B"),
        (float(LARGEST), "numbers of rows, which have 32 bits"),
    ]
    most = 1 + cost.pieces / cost.table
    times = f"{cost.pieces + cost.table:.1f} ÷ {cost.table:.1f} = {most:.1f}"
    said = f"However many workers there are, one table is at most {times} times faster than with one.\n"
    return table(["Breaks at about", "what"], [(f"{rows:.1e} rows", what) for rows, what in sorted(breaks)]) + "\n" + said


def hours(taken: float) -> str:
    return f"{taken:.0f} s" if taken < 120 else f"{taken / 60:.0f} min" if taken < 7200 else f"{taken / 3600:.1f} h"


def gibibytes(size: float) -> str:
    return f"{size / 2**30:,.0f} GiB"
