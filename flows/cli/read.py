"""`headgate read FOLDER`: the published tables with typed cells."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flows.terminal.options import Json, Output, ReleasedTableName, VersionFolder

if TYPE_CHECKING:
    from headgate.released.released_tables import Release


def read(folder: VersionFolder, table: ReleasedTableName = None, output: Output = None, json: Json = False) -> None:
    """Show what a published folder holds, or one of its tables with the ends, levels and members of its cells as columns."""
    from flows.terminal.current_folder import from_here
    from flows.terminal.output import print_json, write_document
    from flows.views.released_view import released_document, say_withdrawn
    from headgate.core.errors import InputRejected
    from tasks.verification.released_folder import read_released
    from tasks.verification.written_frame import csv_text, require_new_file, write_reader_frame

    if output is not None:
        require_new_file(from_here(output))
    opened = read_released(from_here(folder))
    release = opened.release
    say_withdrawn(opened)
    if table is None and output is not None and len(release) > 1:
        raise InputRejected(f"The release has {len(release)} tables; a file holds one.", f"Add --table: {', '.join(release)}.")
    chosen = release[table] if table is not None else next(iter(release.values())) if output is not None else None
    if chosen is not None and output is not None:
        write_reader_frame(chosen.frame, from_here(output))
    if json:
        print_json(released_document(opened))
    elif chosen is None:
        _show(release)
    elif output is None:
        write_document(csv_text(chosen.frame))


def _show(release: Release) -> None:
    from flows.terminal.output import plain, results, tell
    from flows.views.shown_figures import named_attributes
    from headgate.core.units import counted

    out = results()
    tell(out, plain(release.title or release.dataset), "bold")
    for name, table in release.items():
        generalized = named_attributes(table.quasi)
        exact = named_attributes((*table.sensitive, *table.insensitive))
        tell(out, plain(f"{name}: {counted(table.rows, 'row')}; generalized: {generalized}; as in the source, or rounded: {exact}"))
    if release.suppressed:
        tell(out, f"{counted(release.suppressed, 'row')} suppressed: in no table")
    tell(out, "`--table NAME` shows a table, with `-o FILE` as CSV or Parquet. `headgate verify` checks who published it.", "dim")
