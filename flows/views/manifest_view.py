"""A candidate as the steward and the approvers see it in the terminal: what would be published, and the gates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from flows.terminal.fitted_table import print_table
from flows.terminal.output import plain, results, tell
from flows.views.series_view import show_series
from flows.views.shown_figures import figure, gate_name, in_words, named_attributes, percentage_to, plain_table, required_figure
from headgate.core.units import counted

if TYPE_CHECKING:
    from policies.gates.figures import TableFigures
    from policies.gates.verdict import Verdict
    from policies.ledger.standing import Release
    from policies.sealed.manifest import Manifest, Plan
    from tasks.approval.answers import Answer, LastWord


def show_manifest(manifest: Manifest, candidate: str, state: str, versions: Mapping[str, str]) -> None:
    """`versions`: what those are called that it was compared with, by candidate."""
    from rich.text import Text

    from policies.gates.figures import worst_attack
    from policies.judging.alike_in_words import alike_in
    from policies.schema.about import TITLES
    from policies.sealed.promise import NOBODY_CHECKED

    out = results()
    title = "" if manifest.title in ("", manifest.dataset) else f" ({plain(manifest.title)})"
    out.print(Text.assemble((manifest.dataset, "bold"), f"{title} – {in_words(state)}"), soft_wrap=True)
    out.print(f"candidate {candidate}", soft_wrap=True)
    for name, heading in TITLES.items():
        if name in manifest.about:
            tell(out, plain(f"{heading}: {manifest.about[name]}"))
    out.print(f"{manifest.rows:,} rows, {manifest.suppressed:,} suppressed.")
    if not manifest.promise.people_checked:
        tell(out, NOBODY_CHECKED)
    if manifest.promise.combined is not None:
        tell(out, plain(manifest.promise.combined.sentence))
    if manifest.suppressed_cells:
        cells = ", ".join(f"{number:,} of {name}" for name, number in manifest.suppressed_cells.items())
        tell(out, f"Cells suppressed before anything else: {cells}.")
    tell(out, plan_line(manifest.plan))
    out.print()
    for entry in manifest.tables:
        tell(out, f"{entry.name}: {named_attributes(entry.sensitive)}")
        for sentence in alike_in(manifest.promise, entry.sensitive):
            tell(out, plain(f"  {sentence}"))
    out.print()
    print_table(out, tables_table(manifest.tables))
    for remark in (remark for entry in manifest.tables for remark in entry.remarks):
        tell(out, plain(remark))
    out.print()
    print_table(out, gates_table(manifest.verdicts, manifest.tables))
    if worst := worst_attack(manifest.attack_gains):
        tell(out, plain(worst))
    if manifest.series is not None:
        show_series(out, manifest.series, manifest.verdicts, versions)
    for verdict in manifest.verdicts:
        if verdict.remedy:
            tell(out, plain(f"{gate_name(verdict)} in {verdict.table or 'the release'}: {verdict.remedy}"))


def plan_line(plan: Plan) -> str:
    return (
        f"Plan ({plan.method}): {counted(len(plan.tables), 'table')}, "
        f"association loss {figure(plan.association_loss)}, information exposure {figure(plan.information_exposure)}"
    )


def tables_table(tables: Sequence[TableFigures]) -> Any:
    shown = plain_table(("table", "groups", "k", "δ reached", "linkability", "loss (NCP)", "query error"), words=("table",))
    for entry in tables:
        figures = (figure(value) for value in (entry.figure("delta_reached"), entry.figure("linkability"), entry.ncp))
        shown.add_row(
            entry.name, f"{entry.groups:,}", str(entry.k), *figures, percentage_to(entry.query_error_mean, entry.query_error_high)
        )
    return shown


def gates_table(verdicts: Sequence[Verdict], tables: Sequence[TableFigures] = ()) -> Any:
    """One line per verdict, with what its reader should know though the gate passed."""
    from rich.text import Text

    from policies.judging.verdicts import remark_of

    unbroken = ("table", "measured", "required", "verdict")
    table = plain_table(("gate", *unbroken), words=("gate", "table", "verdict"), unbroken=unbroken)
    for verdict in verdicts:
        mark = Text("passed", style="green") if verdict.passed else Text("refused", style="bold red")
        remark = remark_of(verdict, tables)
        name = f"{gate_name(verdict)} ({remark})" if remark else gate_name(verdict)
        table.add_row(plain(name), verdict.table or "release", figure(verdict.measured), required_figure(verdict), mark)
    return table


def show_unused(unused: Mapping[str, int]) -> None:
    """How many values; which ones is for the steward's own terminal."""
    for name, number in unused.items():
        occur, them = ("occurs", "it") if number == 1 else ("occur", "them")
        tell(results(), plain(f"{counted(number, 'declared value')} of {name} {occur} in no row. `headgate advise` names {them}."))


def show_folder(folder: Path) -> None:
    results().print(f"\nfolder {folder}\nreport {folder / 'report.html'}", soft_wrap=True)


def show_what_is_needed(manifest: Manifest, candidate: str, release: Release | None = None) -> None:
    """Of whom, before anybody has signed, or while it is hidden who has; then, who is still awaited."""
    out = results()
    approvers = ", ".join(dict.fromkeys(signer.principal for signer in manifest.signers if signer.principal != manifest.runner.principal))
    if release is not None and release.approvals and not release.hides_votes:
        awaited = [f"{who} ({', '.join(roles)})" if roles else who for who, roles in release.awaited().items()]
        out.print(f"awaited: {', '.join(awaited) or 'nobody on the list could give what is missing'}", soft_wrap=True)
    else:
        out.print(f"{manifest.approvals_required} of {approvers} must approve:", soft_wrap=True)
        for role in manifest.roles_required:
            people = [person for person in role.people if person != manifest.runner.principal]
            out.print(f"  {role.number} of them with the role {role.role}: {', '.join(people)}", soft_wrap=True)
    out.print(f"  headgate approve {candidate[:12]} --key KEY --reason TEXT", soft_wrap=True)


def show_last_word(said: LastWord) -> None:
    reason = "the reason is no longer in the home" if said.reason is None else said.reason
    results().print(plain(f"{in_words(said.event)} by {said.principal} on {said.at[:10]}: {reason}"), soft_wrap=True)


def show_answer(answer: Answer) -> None:
    """What was asked for, and what has changed since."""
    out = results()
    out.print(f"\nanswers candidate {answer.request.candidate[:12]}", soft_wrap=True)
    show_last_word(answer.request)
    out.print(f"The policy {'has changed since' if answer.policy_changed else 'is the same'}.")
    if answer.changes is None:
        out.print("That candidate is no longer in the home, so its figures cannot be compared.", soft_wrap=True)
        return
    if not answer.changes:
        out.print("No figure has changed.")
        return
    shown = plain_table(("figure", "table", "before", "now"), words=("figure", "table"))
    for change in answer.changes:
        shown.add_row(change.figure, change.table or "release", figure(change.before), figure(change.after))
    print_table(out, shown)
