"""Months later: who released what under which policy, who agreed, and whether anything was changed since."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from headgate.core.errors import HeadgateError, IntegrityBroken
from policies.ledger.events import ReleaseWithdrawn
from policies.ledger.standing import Release
from policies.ledger.states import State
from tasks.approval.approvals import kept_envelope
from tasks.approval.statements import check_decision
from tasks.ledger.chain import EVENTS_FILE, HEAD_FILE, HEAD_SIGNATURE, Entry, entries_from_lines, entries_to_lines, verify_head
from tasks.ledger.event_log import Ledger, event_of
from tasks.ledger.history import History, latest_version, read_history
from tasks.publication.attestation import ATTESTATION_FILE, check_attestation
from tasks.runtime.home import Home
from tasks.signing.keys import LEDGER_KEY, public_fingerprint, read_public_key
from tasks.stores.files import list_files, read_file, replace_file
from tasks.stores.seal import MANIFEST, read_manifest
from tasks.stores.series import Series

RESTORE = "Restore the ledger from a backup and compare: `headgate audit export` shows both as lines of text."
LOOK = "Compare it with a backup; withdraw the release if what was published is not what was approved."


@dataclass(frozen=True)
class EventLine:
    """One event in words: its place in the chain, and what it says beyond its type."""

    entry: Entry
    says: dict[str, str]


@dataclass(frozen=True)
class AuditReport:
    """What was checked. `faults` is empty when nothing was changed; `unfinished` names publications that were cut short."""

    events: int
    releases: int
    versions: int
    head: str
    faults: tuple[str, ...]
    unfinished: tuple[str, ...] = ()


def show_release(ledger: Ledger, name: str) -> tuple[Release, tuple[EventLine, ...]]:
    """A release by its id or its candidate's, and all that happened to it."""
    history = read_history(ledger)
    release = history.find(name)
    return release, tuple(EventLine(entry, _says(entry)) for entry in history.of(release.release_id))


def export_ledger(ledger: Ledger, path: Path | None = None) -> str:
    """The whole ledger as JSON lines, checked first; written to `path` if one is given."""
    text = entries_to_lines(read_history(ledger).entries)
    if path is not None:
        replace_file(path, text.encode())
    return text


def verify_audit(home: Home, ledger: Ledger, store: Path | None = None) -> AuditReport:
    """IntegrityBroken unless the chain holds, every published head lies on it, every published file is as it was attested, and `latest`
    names what the events say."""
    report = examine_audit(home, ledger, store)
    if report.faults:
        raise IntegrityBroken(" ".join(report.faults), f"{RESTORE} {LOOK}")
    return report


def examine_audit(home: Home, ledger: Ledger, store: Path | None = None) -> AuditReport:
    """The same, with every fault in the report. A chain that doesn't hold is the only fault reported: nothing else can be judged by it."""
    try:
        history = read_history(ledger)
        releases = history.releases()
    except IntegrityBroken as problem:
        stored = ledger.entries()
        return AuditReport(len(stored), 0, 0, "", (problem.message,))
    faults: list[str] = []
    for release in releases:
        faults += _check_decisions(home, history, release)
    root = home.store if store is None else store
    targets = sorted({release.target for release in releases if release.target} | _targets_in(root))
    versions, unfinished = 0, []
    for target in targets:
        checked, wrong, left = _check_series(home, history, Series(root, target))
        versions += checked
        faults += wrong
        unfinished += left
    head = history.entries[-1].hash if history.entries else ""
    return AuditReport(len(history.entries), len(releases), versions, head, tuple(faults), tuple(unfinished))


def _targets_in(store: Path) -> set[str]:
    """Series that lie in the store, whether or not the ledger still knows them: a ledger cut short, or replaced by a new one, must not
    pass because it names nothing."""
    found = set()
    for head in store.glob(f"**/{HEAD_FILE}") if store.is_dir() else ():
        version = head.parent
        if version.name.isdigit() and not version.is_symlink() and not version.parent.name.startswith("."):
            found.add(version.parent.relative_to(store).as_posix())
    return found


def _check_decisions(home: Home, history: History, release: Release) -> list[str]:
    """Every signed decision still has the envelope that its event names."""
    faults = []
    for entry in history.of(release.release_id):
        event = event_of(entry)
        if event.event in ("approved", "rejected", "withdrawn"):
            what = f"The decision of event {entry.seq}"
            try:
                check_decision(kept_envelope(home, release.candidate, event.statement_sha256), event, release.dataset, what)
            except HeadgateError as problem:
                faults.append(f"{what}: {problem.message}")
    return faults


def _check_series(home: Home, history: History, series: Series) -> tuple[int, list[str], list[str]]:
    """The versions checked, the faults found, and the publications that were cut short."""
    faults: list[str] = []
    unfinished: list[str] = []
    known = {release.version: release for release in history.at_target(series.to)}
    newest = latest_version(known.values())
    present = [number for number in series.numbers() if series.version(number).exists()] if series.folder.is_dir() else []
    for number in sorted({*present, *(version for version in known if version is not None)}):
        release = known.get(number)
        where = f"Version {number} of {series.to}"
        if release is None:
            faults.append(f"{where} is in the store, and the ledger knows nothing of it: the ledger was cut short, or the version forged.")
        elif release.state in (State.PUBLISHING, State.STALLED):
            unfinished.append(f"{where}: publish {release.candidate[:12]} again to finish it.")
        elif release.state is State.PUBLISHED and number != newest:
            unfinished.append(f"{where} is not superseded by version {newest} yet: publish that again to finish it.")
        elif number not in present and "published" in release.seen:
            faults.append(f"{where} was published and is gone.")
        if number in present:
            faults += [f"{where}: {fault}" for fault in _check_version(home, history, series.version(number), release)]
    for release in known.values():
        if release.state is State.WITHDRAWN and release.version in present and not series.withdrawal(release.version or 0).exists():
            unfinished.append(f"Version {release.version} of {series.to}: withdraw {release.release_id} again to finish it.")
    faults += _check_latest(history, series, unfinished)
    faults += _check_withdrawals(history, series)
    return len(present), faults, unfinished


def _check_version(home: Home, history: History, folder: Path, release: Release | None) -> list[str]:
    try:
        files = {path: read_file(folder, path) for path in list_files(folder)}
        for needed in (MANIFEST, HEAD_FILE, HEAD_SIGNATURE, EVENTS_FILE, ATTESTATION_FILE):
            if needed not in files:
                raise IntegrityBroken(f"{needed} is missing.", LOOK)
        head, signed = verify_head(files[HEAD_FILE].content, files[HEAD_SIGNATURE].content)
        on_chain = head.seq <= len(history.entries) and history.entries[head.seq - 1].hash == head.hash
        if not on_chain:
            raise IntegrityBroken(
                "its signed head is not on the chain: the ledger was changed or cut short after it was published.", RESTORE
            )
        if signed.fingerprint != public_fingerprint(read_public_key(home.keys / f"{LEDGER_KEY}.pub")):
            raise IntegrityBroken("its head is signed by another ledger's key.", LOOK)
        digests = {path: file.sha256 for path, file in files.items() if path != ATTESTATION_FILE}
        manifest = read_manifest(files[MANIFEST].content)
        check_attestation(files[ATTESTATION_FILE].content, digests, manifest, digests[MANIFEST])
        if release is not None:
            _check_recorded(history, release, digests, files[ATTESTATION_FILE].sha256)
            published = entries_from_lines(files[EVENTS_FILE].content.decode("utf-8", "replace"), EVENTS_FILE)
            if published != history.of(release.release_id)[: len(published)]:
                raise IntegrityBroken("its events are not those of the ledger.", RESTORE)
    except HeadgateError as problem:
        return [problem.message]
    return []


def _check_recorded(history: History, release: Release, digests: dict[str, str], attestation: str) -> None:
    if digests[MANIFEST] != release.candidate:
        raise IntegrityBroken("it is another candidate than the one the ledger approved.", LOOK)
    for event in history.events(release.release_id):
        if event.event == "published" and event.attestation_sha256 != attestation:
            raise IntegrityBroken("its attestation is not the one the ledger recorded.", LOOK)


def _check_latest(history: History, series: Series, unfinished: Sequence[str]) -> list[str]:
    if not series.folder.is_dir() or unfinished:
        return []
    wanted, found = latest_version(history.at_target(series.to)), series.latest()
    if wanted == found:
        return []
    names = "nothing" if found is None else f"version {found}"
    due = "nothing" if wanted is None else f"version {wanted}"
    return [f"latest of {series.to} names {names}, and by the ledger it is {due}: publish that again, and find out who moved the link."]


def _check_withdrawals(history: History, series: Series) -> list[str]:
    """A signed withdrawal in the store whose event is gone from the ledger."""
    faults = []
    withdrawn = {
        release.version
        for release in history.at_target(series.to)
        if any(isinstance(event, ReleaseWithdrawn) for event in history.events(release.release_id))
    }
    for number in series.numbers() if series.folder.is_dir() else ():
        if series.withdrawal(number).exists() and number not in withdrawn:
            faults.append(f"Version {number} of {series.to} carries a withdrawal that the ledger doesn't know: the ledger was cut short.")
    return faults


def _says(entry: Entry) -> dict[str, str]:
    """The payload in words, without what the columns already say."""
    said = event_of(entry).model_dump(mode="json", exclude={"event", "at", "release_id"}, exclude_defaults=True)
    return {name: _text(value) for name, value in said.items()}


def _text(value: object) -> str:
    if isinstance(value, dict):
        return " ".join(str(part) for part in value.values())
    if isinstance(value, list | tuple):
        return ", ".join(f"[{_text(part)}]" if isinstance(part, list | tuple) else _text(part) for part in value)
    return str(value)
