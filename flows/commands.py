"""What the commands on releases do. Each function is one command; `as_json` puts one object on stdout and nothing else there."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from flows.policy_files import resolve_policy
from flows.terminal import console, figure, gates_table, in_words, print_json, results, show_manifest, step_progress, tell
from headgate.core.errors import HeadgateError
from tasks.runtime.home import Home
from tasks.runtime.prefect_server import prefect_api
from tasks.runtime.quiet import quieten

if TYPE_CHECKING:
    from policies.ledger.standing import Release
    from policies.sealed.manifest import Manifest
    from tasks.ledger.event_log import Ledger
    from tasks.release.workbench import Workbench
    from tasks.stores.seal import Candidate


def run_release(policy: Path, source: Path | None, key: Path | None, if_changed: bool, as_json: bool, verbose: bool) -> None:
    from tasks.reading.references import load_policy
    from tasks.release import workbench
    from tasks.runtime.listener import listen
    from tasks.signing.keys import load_key

    home = Home.open()
    path = resolve_policy(policy)
    load_policy(path)  # what is wrong with it, or with the key, is told before a server is started
    if key is not None:
        load_key(key)
    console().print(f"home {home.root}", style="dim", soft_wrap=True)
    quieten(home, verbose)
    with prefect_api(meanwhile=_import_release):
        from flows.release import NOTHING_NEW, new_release_id, release

        release_id = new_release_id()
        with step_progress(as_json) as listener:
            listen(release_id, listener)
            try:
                ended = release(str(path), _text(source), _text(key), if_changed, release_id)
            except HeadgateError as problem:
                bench = workbench.close(release_id)
                if bench is not None:
                    _tell_refusal(bench, problem)
                raise
        bench = workbench.close(release_id)
    if ended == NOTHING_NEW:
        _tell_nothing_new(home, release_id, as_json)
    elif bench is not None and bench.candidate is not None:
        _tell_candidate(bench, bench.candidate, as_json)


def _import_release() -> None:
    """The flow, and behind it what its steps will need."""
    from flows.release import import_in_background

    import_in_background()


def _text(path: Path | None) -> str | None:
    return None if path is None else str(path.absolute())


def _tell_candidate(bench: Workbench, candidate: Candidate, as_json: bool) -> None:
    from flows.shapes import release_document

    if as_json:
        print_json(release_document(bench))
        return
    show_manifest(candidate.manifest, candidate.id, bench.state)
    _tell_folder(candidate.folder)
    _tell_what_is_needed(candidate.manifest, candidate.id)


def _tell_folder(folder: Path) -> None:
    results().print(f"\nfolder {folder}\nreport {folder / 'report.html'}", soft_wrap=True)


def _tell_what_is_needed(manifest: Manifest, candidate: str) -> None:
    approvers = ", ".join(dict.fromkeys(signer.principal for signer in manifest.signers if signer.principal != manifest.runner.principal))
    results().print(f"{manifest.approvals_required} of {approvers} must approve:", soft_wrap=True)
    results().print(f"  headgate approve {candidate[:12]} --key KEY --reason TEXT", soft_wrap=True)


def _tell_refusal(bench: Workbench, problem: HeadgateError) -> None:
    """The gates as far as they were measured; the message itself follows, as for every error."""
    from flows.shapes import release_document

    problem.document = release_document(bench)
    failed = [verdict for verdict in bench.verdicts if not verdict.passed]
    if failed:
        out = console()
        out.print(gates_table(failed))
        for remedy in dict.fromkeys(verdict.remedy for verdict in failed):
            if remedy not in problem.cure:  # which follows
                tell(out, f"  {remedy}")
    if bench.folder is not None:
        console().print(f"report {bench.folder}/report.html", soft_wrap=True)


def _tell_nothing_new(home: Home, release_id: str, as_json: bool) -> None:
    from policies.ledger.events import NothingNew
    from tasks.ledger.history import read_history

    history = read_history(_ledger(home))
    candidate = next(event.candidate for event in history.events(release_id) if isinstance(event, NothingNew))
    state = str(history.find(candidate).state)
    if as_json:
        print_json(
            {"candidate": candidate, "dataset": history.release(release_id).dataset, "state": "nothing_new", "candidate_state": state}
        )
        return
    results().print(f"Nothing new: this source and policy already have candidate {candidate[:12]} ({in_words(state)}).", soft_wrap=True)


def _ledger(home: Home) -> Ledger:
    from tasks.ledger.open_ledger import open_ledger

    return open_ledger(home)


def show_candidate(name: str, as_json: bool) -> None:
    """Shows what was sealed, after hashing it again; that it was looked at is an event."""
    from flows.shapes import manifest_document
    from tasks.approval.inspection import view_candidate

    home = Home.open()
    viewed = view_candidate(home, _ledger(home), name)
    manifest, release = viewed.candidate.manifest, viewed.release
    if as_json:
        print_json(manifest_document(manifest, release, viewed.candidate.folder))
        return
    show_manifest(manifest, viewed.candidate.id, release.state)
    _tell_folder(viewed.candidate.folder)
    _tell_approvals(manifest, release)
    if release.state == "awaiting_approval":
        _tell_what_is_needed(manifest, viewed.candidate.id)


def _tell_approvals(manifest: Manifest, release: Release) -> None:
    out = results()
    given = ", ".join(decision.signer.principal for decision in release.approvals) or "none yet"
    out.print(f"approvals {release.standing()} of {manifest.approvals_required} ({given})", soft_wrap=True)


def sign_decision(name: str, action: str, key: Path | None, reason: str, as_json: bool) -> None:
    from headgate.core.errors import InputRejected
    from tasks.approval.decisions import approve, reject
    from tasks.signing.keys import load_key

    if key is None:
        raise InputRejected("No key was given.", "Give your SSH private key with --key, or set HEADGATE_KEY.")
    _require_reason(reason)
    home = Home.open()
    decided = (approve if action == "approve" else reject)(home, _ledger(home), name, load_key(key), reason)
    if as_json:
        print_json(
            {
                "candidate": decided.release.candidate,
                "state": str(decided.release.state),
                "principal": decided.principal,
                "approvals": decided.approvals,
                "required": decided.required,
            }
        )
        return
    out = results()
    out.print(f"{decided.principal}: {'approved' if action == 'approve' else 'rejected'} {decided.release.candidate[:12]}.", soft_wrap=True)
    out.print(f"{decided.approvals} of {decided.required} approvals; {in_words(decided.release.state)}.", soft_wrap=True)
    if decided.release.state == "approved":
        out.print(f"  headgate publish {decided.release.candidate[:12]}", soft_wrap=True)


def _require_reason(reason: str) -> None:
    from headgate.core.errors import InputRejected

    if not reason.strip():
        raise InputRejected("The reason is empty.", "Say why, in at most 2000 characters, with --reason; it is kept in the ledger.")


def run_publish(name: str, as_json: bool, verbose: bool) -> None:
    from tasks.stores.seal import find_candidate
    from tasks.stores.series import Series

    home = Home.open()
    ledger = _ledger(home)
    candidate = find_candidate(home.candidates, name)
    quieten(home, verbose)
    with prefect_api():
        from flows.publish import publish

        version = publish(candidate)
    from tasks.ledger.history import read_history

    release = read_history(ledger).find(candidate)
    folder = Series(home.store, release.target).version(version)
    if as_json:
        print_json({"candidate": candidate, "state": str(release.state), "version": version, "folder": str(folder)})
        return
    results().print(f"Published as version {version}: {folder}", soft_wrap=True)
    results().print(f"  headgate verify {shlex.quote(str(folder))}", soft_wrap=True)


def list_releases(as_json: bool) -> None:
    from flows.shapes import releases_document
    from tasks.ledger.history import read_history

    home = Home.open()
    history = read_history(_ledger(home))
    if as_json:
        print_json(releases_document(history))
        return
    from rich.table import Table

    shown = Table(box=None, pad_edge=False, header_style="bold")
    for heading in ("dataset", "started", "candidate", "state", "approvals", "version"):
        shown.add_column(heading, no_wrap=heading != "dataset")
    for release in history.releases():
        approvals = f"{release.standing()} of {release.required}" if release.candidate else ""
        started = history.of(release.release_id)[0].at[:16].replace("T", " ")
        version = "" if release.version is None else str(release.version)
        shown.add_row(release.dataset, started, release.candidate[:12], in_words(release.state), approvals, version)
    results().print(shown if history.entries else "No release yet.")


def withdraw_release(name: str, key: Path | None, reason: str, as_json: bool) -> None:
    from tasks.publication.withdraw import withdraw
    from tasks.signing.keys import runner_key

    _require_reason(reason)
    home = Home.open()
    done = withdraw(home, _ledger(home), name, runner_key(home.keys, key), reason)
    if as_json:
        print_json({"candidate": done.release.candidate, "state": str(done.release.state), "latest": done.latest})
        return
    latest = "no version is left as `latest`" if done.latest is None else f"`latest` is version {figure(done.latest)}"
    results().print(f"Withdrawn: {done.release.candidate[:12]}; {latest}.", soft_wrap=True)


def draft(table: Path, output: Path | None) -> None:
    from policies.schema.draft import draft_policy
    from tasks.reading.profile import profile_table

    text = draft_policy(profile_table(table, None if output is None else output.absolute().parent))
    if output is None:
        sys.stdout.write(text)
        return
    _write_draft(output, text)
    console().print(f"Drafted {output}. Confirm its guesses, then: headgate advise {shlex.quote(str(output))}", soft_wrap=True)


def _write_draft(output: Path, text: str) -> None:
    """A file to be edited, so not one that can only be read. Never over another: it may hold the confirmed policy."""
    from headgate.core.errors import InputRejected
    from tasks.runtime.boundary import reason_of

    try:
        output.parent.mkdir(parents=True, exist_ok=True)
        with output.open("x", encoding="utf-8") as file:
            file.write(text)
    except FileExistsError:
        raise InputRejected(f"{output} exists already; a draft is not written over it.", "Name another file, or remove that one.") from None
    except OSError as problem:
        raise InputRejected(f"{output} cannot be written ({reason_of(problem)}).", "Name a file that can be written with -o.") from None
