"""Commands that only look: at a table, a policy's chances, a published folder, the ledger."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from flows.policy_files import resolve_policy
from flows.terminal import counted, figure, figures_table, in_words, named_attributes, plain, print_json, results, tell
from headgate.errors import RequirementNotMet

if TYPE_CHECKING:
    from headgate.advise import Setting
    from headgate.check import AttributeFigures, CheckResult
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
    missed = _together(list(_missed(found, thresholds)))
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


def _missed(found: CheckResult, wanted: Thresholds) -> Iterator[RequirementNotMet]:
    from headgate.tolerance import at_least, at_most

    if wanted.k is not None and found.k < wanted.k:
        yield RequirementNotMet("k", float(found.k), float(wanted.k), "Generalize more, or leave the rows of small groups out.")
    if wanted.delta is not None and found.proximity is not None and not at_least(1 - found.proximity.risk, wanted.delta):
        yield RequirementNotMet("δ reached", 1 - found.proximity.risk, wanted.delta, "`headgate release` finds groups that keep it.")
    for name, figures in found.sensitive.items():
        if wanted.max_closeness is not None and not at_most(figures.closeness, wanted.max_closeness):
            yield RequirementNotMet(f"Closeness of {name}", figures.closeness, wanted.max_closeness, "Make larger groups.")
        if wanted.min_distinct is not None and figures.distinct_l < wanted.min_distinct:
            yield RequirementNotMet(f"Distinct l of {name}", float(figures.distinct_l), float(wanted.min_distinct), "Make larger groups.")


def _together(missed: list[RequirementNotMet]) -> RequirementNotMet | None:
    """Every threshold that is not met, in one message."""
    if not missed:
        return None
    first = missed[0]
    first.message, first.cure = (" ".join(dict.fromkeys(said)) for said in zip(*((one.message, one.cure) for one in missed), strict=True))
    return first


def _show_check(found: CheckResult) -> None:
    out = results()
    out.print(f"{found.rows:,} rows in {found.groups:,} groups: k {found.k}, mean {figure(found.mean_group)}")
    out.print(f"discernibility {found.discernibility:,}")
    out.print(f"re-identification: max {figure(found.reidentification.max)}, mean {figure(found.reidentification.mean)}\n")
    measures: dict[str, Callable[[AttributeFigures], float | None]] = {
        "distinct l": lambda one: one.distinct_l,
        "frequency l": lambda one: one.frequency_l,
        "entropy l": lambda one: one.entropy_l,
        "closeness": lambda one: one.closeness,
        "(δ, l)": lambda one: one.delta_l.definition if one.delta_l else None,
        "window": lambda one: one.delta_l.window if one.delta_l else None,
        "(ε, m)": lambda one: one.epsilon_m.m if one.epsilon_m else None,
    }
    asked = [name for name, read in measures.items() if any(read(one) is not None for one in found.sensitive.values())]
    shown = figures_table("sensitive", *asked)
    for name, figures in found.sensitive.items():
        shown.add_row(plain(name), *(figure(measures[measure](figures)) for measure in asked))
    out.print(shown)
    if found.proximity is not None:
        near = found.proximity
        told = f"proximity at ε {figure(near.epsilon)}: risk {figure(near.risk)}, so δ up to {figure(1 - near.risk)}"
        if near.delta is not None:
            told += f"; {near.vulnerable_groups} groups violate δ {figure(near.delta)} (vulnerability {figure(near.vulnerability)})"
        tell(out, "\n" + told)


def advise_policy(policy: Path, as_json: bool) -> None:
    from tasks.advice import advise_on

    advice = advise_on(resolve_policy(policy))
    if as_json:
        print_json(advice.to_json())
        return
    _show_advice(advice)


def _show_advice(advice: Advice) -> None:
    from rich.text import Text

    out = results()
    asked = "" if advice.epsilon is None else f", ε {figure(advice.epsilon)}, δ {figure(advice.delta)}"
    verdict = "these tables keep the policy" if advice.passes else "the policy is refused as it stands"
    tell(out, Text.assemble((advice.dataset, "bold"), f": k {advice.k}{asked}: {verdict}."))
    if advice.reason:
        tell(out, advice.reason)
    for number, table in enumerate(advice.tables, 1):
        tell(out, Text.assemble((f"\ntable-{number}", "bold"), f": {named_attributes(table.sensitive)}"))
        shown = figures_table("k", "ε", "δ guaranteed", "δ reached", "δ possible", "linkability", "loss (NCP)")
        for epsilons, settings in _alike(table.settings):
            for one in settings:
                figures = (one.guaranteed, one.reached, one.possible, one.linkability, one.loss)
                shown.add_row(str(one.k), epsilons, *(figure(value) for value in figures))
        out.print(shown)
        for value in table.binding[:MOST_BINDING]:
            held = f"no {value.attribute}" if value.value is None else f"{value.attribute}: {value.value}"
            tell(out, plain(f"{value.rows:,} rows ({100 * value.share:.1f} %) have {held}"))
        refused = next((one for one in table.settings if one.certificate is not None), None)
        if refused is not None and refused.certificate is not None:
            where = f"at k {refused.k}, ε {figure(refused.epsilon)}"
            told = f"{refused.certificate.sentence()} No partition exists above δ {figure(refused.possible)} {where}."
            tell(out, plain(told))


def _alike(settings: Sequence[Setting]) -> list[tuple[str, list[Setting]]]:
    """By ε; those next to each other whose figures are the same for every k are one: ε means little to a category."""
    by_epsilon: dict[float, list[Setting]] = {}
    for one in settings:
        by_epsilon.setdefault(one.epsilon, []).append(one)
    found: list[tuple[list[float], list[Setting]]] = []
    for epsilon, same in by_epsilon.items():
        if found and _figures(found[-1][1]) == _figures(same):
            found[-1][0].append(epsilon)
        else:
            found.append(([epsilon], same))
    return [(figure(ends[0]) if len(ends) == 1 else f"{figure(ends[0])} to {figure(ends[-1])}", same) for ends, same in found]


def _figures(settings: Sequence[Setting]) -> list[tuple[float | None, ...]]:
    return [(one.k, one.guaranteed, one.reached, one.possible, one.linkability, one.loss) for one in settings]


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
    from rich.text import Text

    out = results()
    for finding in report.findings:
        mark = ("✓", "green") if finding.passed else ("✗", "bold red")
        tell(out, Text.assemble(mark, plain(f" {finding.check}: {finding.detail}")))
    for said in _by_what(report.not_measured):
        tell(out, plain(f"– not measured again: {said}"))
    version = "" if report.version is None else f" version {report.version}"
    if report.passed:
        approved = f"; approved by {', '.join(report.approved_by)}" if report.approved_by else ""
        tell(out, plain(f"{report.dataset}{version}: {report.origin}{approved}."), "bold")
    else:
        tell(out, plain(f"{report.dataset}{version}: not to be trusted."), "bold")
    if report.withdrawn:
        out.print("This version was withdrawn.", style="bold red")


def _by_what(not_measured: Sequence[str]) -> list[str]:
    """What cannot be measured of several tables is said once."""
    places: dict[tuple[str, str], list[str]] = {}
    for said in not_measured:
        found = re.fullmatch(r"(.*? of )(table-\d+|the release)( .*)", said)
        key = (found[1], found[3]) if found else (said, "")
        places.setdefault(key, []).extend([found[2]] if found else [])
    return [head + ", ".join(named) + tail for (head, tail), named in places.items()]


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
    from rich.text import Text

    out = results()
    out.print(Text.assemble((release.dataset, "bold"), f" release {release.release_id}: {in_words(release.state)}"))
    widest = max((len(line.entry.actor) for line in lines), default=0)
    for line in lines:
        says = ", ".join(f"{key} {DIGEST.sub(_shortened, value)}" for key, value in line.says.items())
        moment = line.entry.at[:19].replace("T", " ")
        tell(out, plain(f"{line.entry.seq:>5}  {moment}  {line.entry.type:<12}  {line.entry.actor:<{widest}}  {says}"))


DIGEST = re.compile(r"\b[0-9a-f]{64}\b")


def _shortened(digest: re.Match[str]) -> str:
    """Twelve digits tell one from another for people; `--json` gives all."""
    return f"{digest[0][:12]}…"


def verify_ledger(as_json: bool) -> None:
    from tasks.audit import verify_audit
    from tasks.home import Home
    from tasks.ledger import open_ledger

    home = Home.open()
    report = verify_audit(home, open_ledger(home.ledger))
    if as_json:
        print_json({"events": report.events, "releases": report.releases, "versions": report.versions, "head": report.head, "faults": []})
        return
    out = results()
    tell(
        out,
        f"{counted(report.events, 'event')} of {counted(report.releases, 'release')}: the chain is whole. "
        f"Published versions that lie on it: {report.versions}.",
    )
    out.print(f"head {report.head}", soft_wrap=True)
    for left in report.unfinished:
        tell(out, plain(f"unfinished: {left}"))


def export_ledger(output: Path | None) -> None:
    from tasks.audit import export_ledger as export
    from tasks.home import Home
    from tasks.ledger import open_ledger

    text = export(open_ledger(Home.open().ledger), None if output is None else output.absolute())
    if output is None:
        sys.stdout.write(text)
