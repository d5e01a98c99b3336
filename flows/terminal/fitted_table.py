"""A table as wide as where it is shown: in a pipe or a file every row is one line, whatever its length; on a terminal words are folded, and
where even that does not fit, each row becomes a block of lines. No cell ever vanishes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from flows.terminal.output import as_written

if TYPE_CHECKING:
    from rich.console import Console, RenderableType
    from rich.table import Column, Table

LEAST = 12  # signs to which a cell of words is folded, not less
UNBOUNDED = 1_000_000
BETWEEN = 2  # columns


def print_table(out: Console, table: Table) -> None:
    """A table of `plain_table`."""
    from rich.cells import cell_len

    for column in table.columns:
        column.header = as_written(str(column.header), out.encoding)
    natural = [_longest(out, column) for column in table.columns]
    if not out.is_terminal:
        out.width = max(out.width, _total(natural))
        out.print(table)
        return
    least = [_least(out, column, width) for column, width in zip(table.columns, natural, strict=True)]
    if _total(least) <= out.width:
        for column, width in zip(table.columns, fitted(natural, least, out.width - BETWEEN * (len(natural) - 1)), strict=True):
            column.width = width
        out.print(table)
        return
    headings = [str(column.header) for column in table.columns]
    widest = max(map(cell_len, headings))
    for number, cells in enumerate(zip(*(column.cells for column in table.columns), strict=True)):
        if number:
            out.print()
        for heading, cell in zip(headings, cells, strict=True):
            if str(cell):
                _print_pair(out, heading, widest, cell)


def fitted(natural: Sequence[int], least: Sequence[int], width: int) -> list[int]:
    """The widest column that can still be folded gives way, sign by sign."""
    widths = list(natural)
    while sum(widths) > width:
        place = max((place for place in range(len(widths)) if widths[place] > least[place]), key=lambda place: widths[place])
        widths[place] -= 1
    return widths


def _total(widths: Sequence[int]) -> int:
    return sum(widths) + BETWEEN * max(len(widths) - 1, 0)


def _longest(out: Console, column: Column) -> int:
    return max(_measured(out, text)[1] for text in (column.header, *column.cells))


def _least(out: Console, column: Column, natural: int) -> int:
    """Figures and ids stay whole; a heading is folded between its words."""
    whole = column.no_wrap or column.justify == "right"
    cells = [_measured(out, cell)[1] if whole else min(_measured(out, cell)[1], LEAST) for cell in column.cells]
    return max([_measured(out, column.header)[0], *cells])


def _measured(out: Console, text: RenderableType) -> tuple[int, int]:
    """The width of its longest word, and that of its longest line."""
    from rich.measure import Measurement

    measured = Measurement.get(out, out.options.update(max_width=UNBOUNDED), text)
    return measured.minimum, measured.maximum


def _print_pair(out: Console, heading: str, widest: int, cell: RenderableType) -> None:
    """What does not fit beside its heading goes on below it, and never out of sight."""
    from rich.cells import cell_len
    from rich.text import Text

    gap = " " * (widest - cell_len(heading) + BETWEEN)
    out.print(Text.assemble((heading, "bold"), gap, cell if isinstance(cell, Text) else str(cell)), overflow="fold")
