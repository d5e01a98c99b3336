"""The cells that a refusal is about: shown to the person who has the file, on their own terminal, and nowhere else."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flows.terminal.output import console, plain, results, tell

if TYPE_CHECKING:
    from headgate.core.errors import CellsRejected, HeadgateError, InputRejected

MOST_VALUES = 5
LONGEST_VALUE = 40


def show_cells(refusal: HeadgateError) -> None:
    """Only where stderr is a terminal: a file or a pipe may be somebody's log, and the socket's other end is not this process's to know."""
    from headgate.core.errors import InputRejected

    if isinstance(refusal, InputRejected) and console().is_terminal:
        write_cells(refusal)


def write_cells(refusal: InputRejected) -> None:
    """The first ones with their places, where these are known."""
    from headgate.core.errors import MOST_PLACES, CellsRejected

    if not refusal.values:
        return
    out = console()
    if isinstance(refusal, CellsRejected):
        placed = list(zip(refusal.numbers, refusal.cells, strict=False))[:MOST_PLACES]
        tell(out, plain("in the file: " + ", ".join(f"{refusal.place[0]} {number} '{shown_cell(cell)}'" for number, cell in placed)))
        return
    shown = [shown_cell(value) for value in refusal.values[:MOST_VALUES]]
    more = f" and {len(refusal.values) - len(shown):,} more" if len(refusal.values) > len(shown) else ""
    tell(out, plain("in the file: " + ", ".join(f"'{value}'" for value in shown) + more))


def list_cells(refusal: CellsRejected) -> None:
    """Every cell on stdout, one per line of output, whole."""
    out = results()
    for number, cell in zip(refusal.numbers, refusal.cells, strict=False):
        out.print(f"{refusal.place[0]} {number}  {plain(cell)}", soft_wrap=True)


def shown_cell(cell: str) -> str:
    return cell if len(cell) <= LONGEST_VALUE else cell[:LONGEST_VALUE] + "…"
