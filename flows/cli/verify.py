"""`headgate verify FOLDER`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from flows.terminal.options import Json

if TYPE_CHECKING:
    from tasks.verification.verify import VerifyReport


def verify(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="A published folder.")],
    signers: Annotated[Path | None, typer.Option("--signers", help="Whose signatures you trust: an OpenSSH allowed_signers file.")] = None,
    ledger_key: Annotated[str | None, typer.Option("--ledger-key", help="The public key of the ledger: its file, or SHA256:….")] = None,
    json: Json = False,
) -> None:
    """Check a published folder offline: hashes, signatures, and every privacy claim measured again."""
    from flows.terminal.current_folder import from_here
    from flows.terminal.output import print_json
    from flows.views.shapes import verification_document
    from tasks.verification.verify import FolderBroken, verify_folder

    key = ledger_key if ledger_key is None or ledger_key.startswith("SHA256:") else from_here(Path(ledger_key))
    try:
        report = verify_folder(folder, signers, key)
    except FolderBroken as broken:
        if json:
            broken.document = verification_document(broken.report)
        else:
            _show_findings(broken.report)
        raise
    if json:
        print_json(verification_document(report))
        return
    _show_findings(report)


def _show_findings(report: VerifyReport) -> None:
    from rich.text import Text

    from flows.terminal.output import plain, results, tell

    out = results()
    if report.withdrawn:
        tell(out, plain(f"This version was withdrawn {report.withdrawn}. Do not use it."), "bold red")
    for finding in report.findings:
        mark = ("✓", "green") if finding.passed else ("✗", "bold red")
        tell(out, Text.assemble(mark, plain(f" {finding.check}: {finding.detail}")))
    for claim in _united(report.not_measured):
        tell(out, plain(f"– not measured again: {claim}"))
    version = "" if report.version is None else f" version {report.version}"
    if report.passed:
        approved = f"; approved by {', '.join(report.approved_by)}" if report.approved_by else ""
        where = f", published as {report.target}" if report.target else ""
        withdrawn = "; withdrawn" if report.withdrawn else ""
        tell(out, plain(f"{report.dataset}{version}{where}: {report.origin}{approved}{withdrawn}."), "bold")
    else:
        tell(out, plain(f"{report.dataset}{version}: not to be trusted."), "bold")


def _united(not_measured: Sequence[str]) -> list[str]:
    """What cannot be measured of several tables is said once."""
    places: dict[tuple[str, str], list[str]] = {}
    for claim in not_measured:
        of_table = re.fullmatch(r"(.*? of )(table-\d+|the release)([ ,].*)", claim)
        key = (of_table[1], of_table[3]) if of_table else (claim, "")
        places.setdefault(key, []).extend([of_table[2]] if of_table else [])
    return [head + ", ".join(named) + tail for (head, tail), named in places.items()]
