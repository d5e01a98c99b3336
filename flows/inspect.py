"""Commands that only look: at a table, a policy's chances, a published folder, the ledger."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from flows.policy_files import resolve_policy
from flows.terminal import console, figure, figures_table, in_words, named_attributes, print_json
from headgate.errors import RequirementNotMet

if TYPE_CHECKING:
    from headgate.check import CheckResult
    from tasks.advice import Advice
    from tasks.verify import VerifyReport


MOST_BINDING = 5  # values shown a table


@dataclass(frozen=True)
class Thresholds:
    """What `check` must find, where it is asked for."""

    k: int | None = None
    delta: float | None = None
    max_closeness: float | None = None
    min_distinct: int | None = None


def check_table(
    table: Path,
    quasi: str,
    sensitive: str,
    group: str | None,
    epsilon: float | None,
    interval: float | None,
    thresholds: Thresholds,
    as_json: bool,
) -> None:
    from headgate.check import check
    from tasks.profile import read_any_table

    frame = read_any_table(table)
    found = check(frame, _names(quasi), _names(sensitive), epsilon, thresholds.delta, interval, group)
    missed = _missed(found, thresholds)
    if as_json:
        document = found.to_json()
        if missed is not None:
            missed.document = document
            raise missed
        print_json(document)
        return
    _show_check(found)
    if missed is not None:
        raise missed


def _names(listed: str) -> list[str]:
    return [name.strip() for name in listed.split(",") if name.strip()]


def _missed(found: CheckResult, wanted: Thresholds) -> RequirementNotMet | None:
    from headgate.tolerance import at_least, at_most

    if wanted.k is not None and found.k < wanted.k:
        return RequirementNotMet("k", float(found.k), float(wanted.k), "Generalize more, or leave the rows of small groups out.")
    if wanted.delta is not None and found.proximity is not None and not at_least(1 - found.proximity.risk, wanted.delta):
        return RequirementNotMet("δ reached", 1 - found.proximity.risk, wanted.delta, "`headgate release` finds groups that keep it.")
    for name, figures in found.sensitive.items():
        if wanted.max_closeness is not None and not at_most(figures.closeness, wanted.max_closeness):
            return RequirementNotMet(f"Closeness of {name}", figures.closeness, wanted.max_closeness, "Make larger groups.")
        if wanted.min_distinct is not None and figures.distinct_l < wanted.min_distinct:
            return RequirementNotMet(f"Distinct l of {name}", float(figures.distinct_l), float(wanted.min_distinct), "Make larger groups.")
    return None


def _show_check(found: CheckResult) -> None:

    out = console(stderr=False)
    out.print(f"{found.rows:,} rows in {found.groups:,} groups: k {found.k}, mean {figure(found.mean_group)}")
    out.print(f"discernibility {found.discernibility:,}")
    out.print(f"re-identification: max {figure(found.reidentification.max)}, mean {figure(found.reidentification.mean)}\n")
    shown = figures_table("sensitive", "distinct l", "frequency l", "entropy l", "closeness", "(δ, l)", "window", "(ε, m)")
    for name, figures in found.sensitive.items():
        shown.add_row(
            name,
            str(figures.distinct_l),
            figure(figures.frequency_l),
            figure(figures.entropy_l),
            figure(figures.closeness),
            figure(figures.delta_l.definition if figures.delta_l else None),
            figure(figures.delta_l.window if figures.delta_l else None),
            figure(figures.epsilon_m.m if figures.epsilon_m else None),
        )
    out.print(shown)
    if found.proximity is not None:
        near = found.proximity
        told = f"proximity at ε {figure(near.epsilon)}: risk {figure(near.risk)}, so δ up to {figure(1 - near.risk)}"
        if near.delta is not None:
            told += f"; {near.vulnerable_groups} groups violate δ {figure(near.delta)} (vulnerability {figure(near.vulnerability)})"
        out.print("\n" + told, soft_wrap=True)


def advise_policy(policy: Path, as_json: bool) -> None:
    from tasks.advice import advise_on

    advice = advise_on(resolve_policy(policy))
    if as_json:
        print_json(advice.to_json())
        return
    _show_advice(advice)


def _show_advice(advice: Advice) -> None:

    out = console(stderr=False)
    asked = "" if advice.epsilon is None else f", ε {figure(advice.epsilon)}, δ {figure(advice.delta)}"
    verdict = "can be kept with the tables below" if advice.passes else "cannot be kept; what could be is below"
    out.print(f"[bold]{advice.dataset}[/]: k {advice.k}{asked} {verdict}.", soft_wrap=True)
    for number, table in enumerate(advice.tables, 1):
        out.print(f"\n[bold]table-{number}[/] {named_attributes(table.sensitive)}", soft_wrap=True)
        shown = figures_table("k", "ε", "δ guaranteed", "δ reached", "δ possible", "linkability", "loss (NCP)")
        for one in table.settings:
            figures = (one.epsilon, one.guaranteed, one.reached, one.possible, one.linkability, one.loss)
            shown.add_row(str(one.k), *(figure(value) for value in figures))
        out.print(shown)
        for value in table.binding[:MOST_BINDING]:
            out.print(
                f"{value.rows:,} rows, {100 * value.share:.1f} %, have one value of {value.attribute}: {value.value}",
                markup=False,
                soft_wrap=True,
            )
        refused = next((one for one in table.settings if one.certificate is not None), None)
        if refused is not None and refused.certificate is not None:
            where = f"at k {refused.k}, ε {figure(refused.epsilon)}"
            told = f"{refused.certificate.sentence()} No partition exists above δ {figure(refused.possible)} {where}."
            out.print(told, markup=False, soft_wrap=True)


def verify_published(folder: Path, signers: Path | None, ledger_key: Path | None, as_json: bool) -> None:
    from flows.shapes import verification_document
    from tasks.verify import FolderBroken, verify_folder

    try:
        report = verify_folder(folder, signers, ledger_key)
    except FolderBroken as broken:
        if as_json:
            broken.document = verification_document(broken.report)
        else:
            _show_findings(broken.report)
        raise
    if as_json:
        print_json(verification_document(report))
        return
    _show_findings(report)


def _show_findings(report: VerifyReport) -> None:
    out = console(stderr=False)
    for finding in report.findings:
        out.print("[green]✓[/]" if finding.passed else "[bold red]✗[/]", end=" ")
        out.print(f"{finding.check}: {finding.detail}", markup=False, soft_wrap=True)
    for name in report.not_measured:
        out.print(f"– not measured again: {name}", markup=False, soft_wrap=True)
    approved = f"; approved by {', '.join(report.approved_by)}" if report.approved_by else ""
    version = "" if report.version is None else f" version {report.version}"
    out.print(f"{report.dataset}{version}: {report.origin}{approved}.", style="bold", markup=False, soft_wrap=True)
    if report.withdrawn:
        out.print("This version was withdrawn.", style="bold red")


def show_events(name: str, as_json: bool) -> None:
    import json

    from tasks.audit import show_release
    from tasks.home import Home
    from tasks.ledger import open_ledger

    release, lines = show_release(open_ledger(Home.open().ledger), name)
    if as_json:
        events = [
            {"seq": line.entry.seq, "at": line.entry.at, "actor": line.entry.actor, "type": line.entry.type, "hash": line.entry.hash}
            | {"payload": json.loads(line.entry.payload)}
            for line in lines
        ]
        print_json({"release": release.release_id, "dataset": release.dataset, "state": str(release.state), "events": events})
        return
    out = console(stderr=False)
    out.print(f"[bold]{release.dataset}[/] release {release.release_id}: {in_words(release.state)}")
    for line in lines:
        says = ", ".join(f"{key} {value}" for key, value in line.says.items())
        moment = line.entry.at[:19].replace("T", " ")
        out.print(f"{line.entry.seq:>5}  {moment}  {line.entry.type:<12} {line.entry.actor:<12} {says}", markup=False, soft_wrap=True)


def verify_ledger(as_json: bool) -> None:
    from tasks.audit import verify_audit
    from tasks.home import Home
    from tasks.ledger import open_ledger

    home = Home.open()
    report = verify_audit(home, open_ledger(home.ledger))
    if as_json:
        print_json({"events": report.events, "releases": report.releases, "versions": report.versions, "head": report.head, "faults": []})
        return
    out = console(stderr=False)
    out.print(
        f"{report.events} events of {report.releases} releases: the chain is whole, and {report.versions} published versions lie on it."
    )
    out.print(f"head {report.head}", soft_wrap=True)
    for left in report.unfinished:
        out.print(f"unfinished: {left}", markup=False, soft_wrap=True)


def export_ledger(output: Path | None) -> None:
    from tasks.audit import export_ledger as export
    from tasks.home import Home
    from tasks.ledger import open_ledger

    text = export(open_ledger(Home.open().ledger), None if output is None else output.absolute())
    if output is None:
        sys.stdout.write(text)
