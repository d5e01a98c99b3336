"""`headgate audit …`: who released what, under which policy, and whether anything was changed since."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from flows.cli.releases import releases
from flows.service.ask import here_or_served
from flows.terminal.exit_codes import reported
from flows.terminal.options import Json, Key, ReleaseId

if TYPE_CHECKING:
    from policies.ledger.standing import Release
    from tasks.verification.audit import EventLine

CosignedFiles = Annotated[
    list[Path] | None, typer.Option("--cosigned", help="A head that an auditor cosigned; may be given several times.")
]
AuditorsList = Annotated[Path | None, typer.Option("--signers", help="Your own allowed_signers file: who may cosign.")]
CosignedOutput = Annotated[
    Path | None, typer.Option("--output", "-o", help="Where to keep the cosigned head (default: cosigned-head.dsse.json).")
]
KeptFolders = Annotated[
    list[Path] | None,
    typer.Option("--head", help="A copy of a published folder, or of its head.dsse.json: check that it lies on the chain."),
]
DIGEST = re.compile(r"\b[0-9a-f]{64}\b")


def show(release: ReleaseId, json: Json = False) -> None:
    """Show every event of one release."""
    from flows.terminal.output import print_json
    from flows.views.shapes import events_document
    from tasks.ledger.open_ledger import found_ledger
    from tasks.runtime.home import Home
    from tasks.verification.audit import show_release

    home = Home.read()
    shown, lines = show_release(home, found_ledger(home), release)
    if json:
        print_json(events_document(shown, lines))
        return
    _show_events(shown, lines)


def _show_events(release: Release, lines: tuple[EventLine, ...]) -> None:
    from rich.text import Text

    from flows.terminal.output import plain, results, tell
    from flows.views.shown_figures import in_words

    out = results()
    out.print(Text.assemble((release.dataset, "bold"), f" release {release.release_id}: {in_words(release.state)}"))
    widest = max((len(line.entry.actor) for line in lines), default=0)
    for line in lines:
        says = ", ".join(f"{key} {DIGEST.sub(_shortened, value)}" for key, value in line.says.items()) or (
            "" if line.entry.payload else "who and why is shown once it is decided"
        )
        moment = line.entry.at[:19].replace("T", " ")
        tell(out, plain(f"{line.entry.seq:>5}  {moment:<19}  {line.entry.type:<17}  {line.entry.actor:<{widest}}  {says}"))


def _shortened(digest: re.Match[str]) -> str:
    """Twelve digits are enough for people; `--json` gives all."""
    return f"{digest[0][:12]}…"


def verify(cosigned: CosignedFiles = None, head: KeptFolders = None, signers: AuditorsList = None, json: Json = False) -> None:
    """Check that the chain of events is whole and that every head that was published, remembered or cosigned lies on it."""
    from flows.terminal.current_folder import as_named
    from flows.terminal.output import plain, print_json, results, tell
    from flows.views.shapes import audit_document
    from headgate.core.units import counted
    from tasks.ledger.open_ledger import found_ledger
    from tasks.runtime.home import Home
    from tasks.verification.audit import verify_audit
    from tasks.verification.cosigned_heads import read_cosigned, read_published_head

    home = Home.read()
    heads = [read_cosigned(file, signers) for file in cosigned or ()]
    kept = [read_published_head(folder) for folder in head or ()]
    report = verify_audit(home, found_ledger(home), cosigned=heads, published=kept)
    if json:
        print_json(audit_document(report))
        return
    out = results()
    checked = f"{counted(report.events, 'event')} of {counted(report.releases, 'release')}: the chain is whole."
    tell(out, f"{checked} {counted(report.versions, 'published version')} checked against it.")
    out.print(f"head {report.head}", soft_wrap=True)
    for signed in report.cosigned:
        vouched = "" if signed.who else ", a key that nobody vouches for: give your own list with --signers"
        tell(out, plain(f"cosigned at event {signed.head.seq} by {signed.signer}{vouched}"))
    for folder in report.published:
        tell(out, plain(f"{as_named(Path(folder.where))} was published after event {folder.seq}, which lies on the chain"))
    for weakness in report.weaknesses:
        tell(out, plain(f"weakness: {weakness}"))
    for without in report.lacking:
        tell(out, plain(f"lacking: {without}"))
    for left in report.unfinished:
        tell(out, plain(f"unfinished: {left}"))


def cosign(key: Key = None, output: CosignedOutput = None) -> None:
    """Sign the ledger's head with a key of your own, as an auditor, after every event has been checked. An older file is never replaced.

    Keep the file where the operator cannot write, and give it to `audit verify --cosigned` later."""
    from flows.terminal.current_folder import as_named, here
    from flows.terminal.output import plain, results, tell
    from tasks.ledger.open_ledger import found_ledger
    from tasks.runtime.home import Home
    from tasks.signing.given_key import given_key
    from tasks.signing.home_keys import public_fingerprints
    from tasks.verification.cosigned_heads import cosign as sign_head

    signing = given_key(key)
    file = here() / "cosigned-head.dsse.json" if output is None else output
    home = Home.read()
    signed = sign_head(found_ledger(home), signing, file, public_fingerprints(home.keys))
    tell(results(), plain(f"Cosigned at event {signed.head.seq} with {signed.fingerprint}: {as_named(file)}"))


def export(
    release: Annotated[str | None, typer.Argument(metavar="[RELEASE]", help="With --bundle: the release, or its candidate.")] = None,
    bundle: Annotated[bool, typer.Option("--bundle", help="All evidence of a release in an archive, by itself a file here.")] = False,
    output: Annotated[Path | None, typer.Option("--output", "-o", "--to", help="Output file (default: stdout).")] = None,
    cosigned: CosignedFiles = None,
) -> None:
    """Export the ledger's events, one JSON object per line; or all evidence of one release."""
    if bundle or release is not None or cosigned:
        _export_evidence(release, bundle, output, cosigned or [])
        return
    from flows.terminal.output import write_document
    from tasks.ledger.open_ledger import found_ledger
    from tasks.runtime.home import Home
    from tasks.verification.audit import export_ledger

    text = export_ledger(found_ledger(Home.read()), output)
    if output is None:
        write_document(text)


def _export_evidence(release: str | None, bundle: bool, output: Path | None, cosigned: list[Path]) -> None:
    from flows.terminal.current_folder import as_named, here
    from flows.terminal.output import results
    from headgate.core.errors import InputRejected
    from tasks.ledger.open_ledger import found_ledger
    from tasks.runtime.home import Home
    from tasks.verification.cosigned_heads import read_cosigned
    from tasks.verification.evidence import write_evidence

    if release is None or not bundle:
        raise InputRejected("Evidence is exported of one release.", "Give both: headgate audit export RELEASE --bundle.")
    home = Home.read()
    ledger = found_ledger(home)
    heads = [read_cosigned(file) for file in cosigned]
    written = write_evidence(home, ledger, release, output or here(), heads)
    results().print(f"Evidence: {as_named(written)}", soft_wrap=True)


audit_app = typer.Typer(
    help="Find out who released what, under which policy, who agreed, and whether anything was changed since.", no_args_is_help=True
)
audit_app.command("list")(reported(here_or_served(releases)))
audit_app.command("show")(reported(here_or_served(show)))
audit_app.command("verify")(reported(here_or_served(verify)))
audit_app.command("cosign")(reported(here_or_served(cosign)))
audit_app.command("export")(reported(here_or_served(export)))
