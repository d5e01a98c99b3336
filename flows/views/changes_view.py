"""What changed, for people in the terminal: what breaks a reader's program first, then policy, gates, figures and values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from flows.terminal.fitted_table import print_table
from flows.terminal.output import plain, results, tell
from flows.views.shown_figures import figure, gate_name, named_attributes, percentage, plain_table

if TYPE_CHECKING:
    from policies.changes.figure_changes import FigureChange, GateChange
    from policies.changes.policy_changes import PolicyChange
    from policies.changes.reader_changes import ReaderChange
    from policies.changes.release_changes import Changes, ColumnChange, Compared
    from policies.gates.verdict import Verdict

MOST = 20  # columns shown; `--json` has all
SHORT = 12


def show_changes(changes: Changes) -> None:
    out = results()
    tell(out, plain(f"{changes.after.dataset}: from {_named(changes.before)} to {_named(changes.after)}"), "bold")
    tell(out, "Both were made from the same source." if changes.same_source else "They were made from different sources.")
    if changes.people is not None:
        tell(out, changes.people.sentence)
    elif changes.before.candidate and changes.after.candidate:
        tell(out, "The home does not keep who is in both of them, so nobody can say how many people came and how many left.")
    if changes.before.tables != changes.after.tables:
        for heading, side in (("Tables before", changes.before), ("Tables now", changes.after)):
            tell(out, f"{heading}: {'; '.join(map(named_attributes, side.tables))}")
    show_reader_changes(changes.readers)
    if changes.policy is None:
        tell(out, "\nThe policies cannot be compared: published folders do not hold them. Name both by their ids, in their home.")
    else:
        show_policy_changes(changes.policy)
    show_gate_changes(changes.gates)
    show_figure_changes(changes.figures)
    show_column_changes(changes.columns)


def _named(side: Compared) -> str:
    return f"{side.candidate[:SHORT] or 'release ' + side.release} of {side.created[:10]}"


def show_reader_changes(changes: Sequence[ReaderChange]) -> None:
    out = results()
    if not changes:
        tell(out, "\nReaders find the same tables with the same columns.")
        return
    breaking = sum(change.breaks for change in changes)
    tell(out, "\nFor readers" + (": programs written for the earlier version would break" if breaking else ""), "bold")
    for change in changes:
        mark = "breaks  " if change.breaks else "  also  " if breaking else "  "
        where = f"{change.table}: " if change.table else ""
        tell(out, plain(f"{mark}{where}{change.sentence}"), "red" if change.breaks else "")


def show_policy_changes(changes: Sequence[PolicyChange]) -> None:
    out = results()
    if not changes:
        tell(out, "\nThe policies say the same.")
        return
    tell(out, "\nPolicy", "bold")
    shown = plain_table(("key", "before", "now"), words=("key", "before", "now"))
    for change in changes:
        shown.add_row(plain(change.key), *(plain("–" if said is None else said) for said in (change.before, change.after)))
    print_table(out, shown)


def show_gate_changes(changes: Sequence[GateChange]) -> None:
    out = results()
    if not changes:
        tell(out, "\nNo gate requires or measured anything else than before.")
        return
    tell(out, "\nGates", "bold")
    shown = plain_table(("gate", "table", "required", "before", "now", ""), words=("gate", "table", "required", ""))
    for change in changes:
        measured = (figure(None if each is None else each.measured) for each in (change.before, change.after))
        shown.add_row(plain(_gate(change)), change.table or "release", _required(change), *measured, _direction(change.better))
    print_table(out, shown)


def _gate(change: GateChange) -> str:
    verdict = change.after or change.before
    return change.gate if verdict is None else gate_name(verdict)


def _required(change: GateChange) -> str:
    """Both where it changed."""
    old, new = (_bound(verdict) for verdict in (change.before, change.after))
    stricter = {True: ", stricter", False: ", less strict", None: ""}[change.stricter]
    return new if old == new else f"{old} → {new}{stricter}"


def _bound(verdict: Verdict | None) -> str:
    if verdict is None:
        return "not asked"
    return "–" if verdict.required is None else f"{verdict.comparison} {figure(verdict.required)}"


def show_figure_changes(changes: Sequence[FigureChange]) -> None:
    out = results()
    if not changes:
        tell(out, "\nNo figure has changed.")
        return
    tell(out, "\nFigures", "bold")
    shown = plain_table(("figure", "table", "before", "now", ""), words=("figure", "table", ""))
    for change in changes:
        shown.add_row(change.figure, change.table or "release", figure(change.before), figure(change.after), _direction(change.better))
    print_table(out, shown)


def _direction(better: bool | None) -> str:
    return {True: "better", False: "worse", None: ""}[better]


def show_column_changes(changes: Sequence[ColumnChange]) -> None:
    """A column moved by the share of the rows that would have to change their value."""
    out = results()
    moved = [change for change in changes if change.total_variation > 0]
    if not moved:
        tell(out, "\nThe published values are spread as before.")
        return
    tell(out, "\nValues: how many rows would have to change for both versions to be alike, and the value whose share changed most", "bold")
    shown = plain_table(("column", "table", "rows", "value", "before", "now"), words=("column", "table", "value"))
    for change in moved[:MOST]:
        shares = (percentage(share) for share in (change.before, change.after))
        shown.add_row(plain(change.column), change.table, percentage(change.total_variation), plain(change.place), *shares)
    print_table(out, shown)
    if len(moved) > MOST:
        tell(out, f"… and {len(moved) - MOST:,} more, which moved less; `--json` has them.")
