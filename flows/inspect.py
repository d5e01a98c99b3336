"""Commands that only look: at a table, a published folder, the ledger."""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from flows.terminal import console, figure, in_words, plain, print_json, results, tell
from headgate.core.errors import InputRejected, RequirementNotMet
from tasks.runtime.wording import counted

if TYPE_CHECKING:
    from headgate.library.check_table import CheckResult
    from tasks.verification.verify import VerifyReport


MOST_VALUES = 5  # shown at once
LONGEST_VALUE = 40
KINDS = ("number", "integer", "date", "category", "set")  # those that one column can be told to be without more being said
NAME = re.compile(r'\s*(?:"((?:[^"]|"")+)"\s*(?=,|$)|([^,]+))')


@dataclass(frozen=True)
class Question:
    """What `check` is to measure, and what it must find."""

    quasi: str
    sensitive: str
    group: str | None
    epsilon: float | None
    delta: float | None
    interval: float | None
    thresholds: Mapping[str, float | None]
    more: Sequence[str] = ()  # MEASURE=NUMBER
    kinds: Sequence[str] = ()  # NAME=KIND
    hierarchies: Sequence[str] = ()  # NAME=FILE

    def required(self) -> dict[str, float | str]:
        found: dict[str, float | str] = {key: value for key, value in self.thresholds.items() if value is not None}
        for key, value in _pairs(self.more, "MEASURE=NUMBER, such as entropy_l=2").items():
            if key in found:
                raise InputRejected(f"'{key}' is required twice.", "Give one threshold a measure.")
            found[key] = value
        return found


def check_table(table: Path, asked: Question, report: Path | None, as_json: bool) -> None:
    from tasks.reporting.check_report import render_check, require_place, write_page

    if report is not None:
        require_place(report)  # before the work, not after it
    try:
        found = _answer(table, asked)
    except InputRejected as refusal:
        _show_values(refusal)
        raise
    missed = _missed(found)
    if report is not None:
        write_page(report, render_check(table.name, _names(asked.quasi), asked.group, found))
    if as_json:
        document = found.to_json()
        if missed is not None:
            missed.document = document
            raise missed
        print_json(document)
        return
    try:
        _show_check(found)
        if report is not None:
            results().print(f"\nreport {report}", soft_wrap=True)
    except BrokenPipeError:
        if missed is None:
            raise
    if asked.interval is not None and not any(line.measured.key == "delta_l" for line in found.lines):
        tell(console(), "(δ, l) is not measured: no sensitive attribute is a number or a date. --kind NAME=date says that one is.")
    if missed is not None:
        raise missed


def _answer(table: Path, asked: Question) -> CheckResult:
    from headgate.library.check_table import check
    from tasks.reading.profile import read_any_table
    from tasks.reading.references import read_hierarchy
    from tasks.reading.source import read_bytes

    quasi, sensitive = _names(asked.quasi), _names(asked.sensitive)
    required, kinds = asked.required(), _pairs(asked.kinds, "NAME=KIND, such as income=number")
    hierarchies = {
        name: read_hierarchy(read_bytes(Path(path), "The hierarchy"), path, name)
        for name, path in _pairs(asked.hierarchies, "NAME=FILE").items()
    }
    for name, kind in kinds.items():
        if kind not in KINDS:
            raise InputRejected(f"The kind of '{name}' is unknown.", f"Use one of {', '.join(KINDS)}.")
    for name in (*kinds, *hierarchies):
        if name not in sensitive:
            raise InputRejected(f"'{name}' is not among the sensitive attributes.", "Kinds and hierarchies are only for those.")
    unclear = [name for name in sensitive if name not in kinds and name not in hierarchies]
    frame = read_any_table(table, [*quasi, *sensitive, *([asked.group] if asked.group is not None else [])], unclear)
    kinds = {**dict.fromkeys(hierarchies, "category"), **kinds}
    return check(frame, quasi, sensitive, asked.epsilon, asked.delta, asked.interval, asked.group, kinds, hierarchies, required)


def _show_values(refusal: InputRejected) -> None:
    """Whoever runs `check` holds the file: here, and only here, what is wrong in it is shown."""
    if refusal.values:
        shown = [value if len(value) <= LONGEST_VALUE else value[:LONGEST_VALUE] + "…" for value in refusal.values[:MOST_VALUES]]
        more = f" and {len(refusal.values) - len(shown):,} more" if len(refusal.values) > len(shown) else ""
        tell(console(), plain("in the file: " + ", ".join(f"'{value}'" for value in shown) + more))


def _pairs(texts: Sequence[str], form: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for text in texts:
        name, sign, value = (part.strip() for part in text.partition("="))
        if not sign or not value:
            raise InputRejected(f"'{text}' is not of the form asked for.", f"Write {form}.")
        if name in found:
            raise InputRejected(f"'{name}' is given twice.", "Give it once.")
        found[name] = value
    return found


def _names(listed: str) -> list[str]:
    """Between commas; a name that holds one, or begins or ends with a space, in quotation marks."""
    found = [(quoted.replace('""', '"'), bare.strip()) for quoted, bare in NAME.findall(listed)]
    return [quoted or bare for quoted, bare in found if quoted or bare]


def _missed(found: CheckResult) -> RequirementNotMet | None:
    """Every threshold that is not met, in one message."""
    if not found.missed:
        return None
    said = []
    for line in found.missed:
        of = f" of {line.measured.attribute}" if line.measured.attribute else ""
        said.append(f"{line.measured.title}{of} is {figure(line.measured.figure.value)}, {line.required} required.")
    first = found.missed[0]
    refusal = RequirementNotMet(first.measured.title, first.measured.figure.value, None, "Generalize more, or make larger groups.")
    refusal.message = " ".join(said)
    return refusal


def _show_check(found: CheckResult) -> None:
    from rich.table import Table
    from rich.text import Text

    from tasks.reporting.check_report import compared_in_words, concerned, uniques_in_words

    out = results()
    groups = f"{counted(found.groups, 'group')}: k {found.k}, mean {figure(found.mean_group)}"
    tell(out, f"{counted(found.rows, 'row')} in {groups}, discernibility {found.discernibility:,}")
    tell(out, uniques_in_words(found))
    tell(out, plain(compared_in_words(found)) + "\n")
    asked = any(line.short is not None for line in found.lines)
    shown = Table(box=None, pad_edge=False, header_style="bold")
    headings = ("principle", "attribute", "figure", *(("required",) if asked else ()), "groups", "rows", *(("verdict",) if asked else ()))
    for heading in headings:
        number = heading in ("figure", "required", "groups", "rows")
        shown.add_column(heading, justify="right" if number else "left", no_wrap=number)
    for line in found.lines:
        who = concerned(line)
        mark = Text(who.verdict, style={"refused": "bold red", "passed": "green"}.get(who.verdict, ""))
        value = ("" if line.measured.exact else "≤ ") + figure(line.measured.figure.value)
        names = (line.measured.title, plain(line.measured.attribute), value)
        counts = (f"{who.groups:,}", f"{who.rows:,}")
        shown.add_row(*names, *((line.required, *counts, mark) if asked else counts))
    out.print(shown)
    told = "that fall short; where nothing is required, those " if asked else ""
    tell(out, f"groups and rows: those {told}with the worst figure.", "dim")


def verify_published(folder: Path, signers: Path | None, ledger_key: Path | None, as_json: bool) -> None:
    from flows.shapes import verification_document
    from tasks.verification.verify import FolderBroken, verify_folder

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

    from tasks.ledger.open_ledger import open_ledger
    from tasks.runtime.home import Home
    from tasks.verification.audit import show_release

    release, lines = show_release(open_ledger(Home.open()), name)
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
    from tasks.ledger.open_ledger import open_ledger
    from tasks.runtime.home import Home
    from tasks.verification.audit import verify_audit

    home = Home.open()
    report = verify_audit(home, open_ledger(home))
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
    from tasks.ledger.open_ledger import open_ledger
    from tasks.runtime.home import Home
    from tasks.verification.audit import export_ledger as export

    text = export(open_ledger(Home.open()), None if output is None else output.absolute())
    if output is None:
        sys.stdout.write(text)
