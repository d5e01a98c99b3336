"""`headgate estimate FOLDER count|mean|share`: what published rows say, with what their generalized cells leave open."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from flows.terminal.options import Json, ReleasedTableName, VersionFolder

if TYPE_CHECKING:
    from headgate.released.estimates import Estimate


def estimate(
    folder: VersionFolder,
    measure: Annotated[
        str, typer.Argument(metavar="count|share|mean", help="How many rows, which share of them, or the mean of a column.")
    ],
    of: Annotated[str | None, typer.Option("--of", metavar="COLUMN", help="The column of numbers whose mean it is.")] = None,
    where: Annotated[
        list[str] | None,
        typer.Option("--where", metavar="CONDITIONS", help="Such as: age >= 40 and region in (north, 'south west'). All must hold."),
    ] = None,
    table: ReleasedTableName = None,
    json: Json = False,
) -> None:
    """Estimate a count, a share or a mean from one published table: the lowest and highest that its cells allow, and what is expected."""
    from flows.terminal.current_folder import from_here
    from flows.terminal.output import print_json
    from flows.views.released_view import estimate_document, say_withdrawn
    from tasks.verification.released_folder import read_released

    opened = read_released(from_here(folder))
    say_withdrawn(opened)
    found = opened.release.estimate(measure, of, where or [], table)
    if json:
        print_json(estimate_document(found))
        return
    _show(found)


def _show(found: Estimate) -> None:
    from flows.terminal.fitted_table import print_table
    from flows.terminal.output import plain, results, tell
    from flows.views.shown_figures import figure, percentage, plain_table
    from headgate.core.units import counted

    out = results()
    written = percentage if found.measure == "share" else figure
    of = "" if found.of is None else f" of {found.of}"
    where = f" where {found.where}" if found.where else ""
    tell(out, plain(f"{found.measure}{of}{where}, in {found.table} ({counted(found.rows, 'row')})"), "bold")
    shown = plain_table(["", "figure", "meaning"], words=("", "meaning"), unbroken=("figure",))
    shown.add_row("lowest", written(found.lowest), "what must be, whatever the generalized cells stand for")
    shown.add_row("expected", written(found.expected), "values spread evenly inside each cell")
    shown.add_row("highest", written(found.highest), "what may be")
    print_table(out, shown)
    for note in found.notes:
        tell(out, plain(note))
