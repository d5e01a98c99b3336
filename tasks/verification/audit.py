"""Months later: who released what under which policy, who agreed, and whether anything was changed since."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path

from headgate.core.errors import HeadgateError, InputRejected, IntegrityBroken, StoreUnavailable
from headgate.core.units import counted
from policies.ledger.events import ReleaseWithdrawn, SignedDecisionEvent, SignedEvent
from policies.ledger.standing import Release
from policies.ledger.states import State
from tasks.approval.approvals import decided_candidates, kept_decisions, kept_envelope, unrecorded
from tasks.approval.reasons import kept_reason
from tasks.approval.statements import check_decision
from tasks.approval.threads import changed_comments
from tasks.ledger.chain import EVENTS_FILE, HEAD_FILE, HEAD_SIGNATURE, Entry, entries_from_lines, entries_to_lines, verify_head
from tasks.ledger.event_log import Hears, Ledger, event_of
from tasks.ledger.history import WholeHistory, latest_version, read_history, read_whole
from tasks.publication.attestation import ATTESTATION_FILE, check_attestation, check_place
from tasks.publication.recorded_withdrawal import check_withdrawal
from tasks.publication.targets import open_targets
from tasks.runtime.home import Home
from tasks.signing.home_keys import LEDGER_KEY
from tasks.signing.public_keys import read_public_key
from tasks.stores.files import Stored, replace_file
from tasks.stores.release_store import NOT_OURS, WITHDRAWN, ReleaseStore, Series
from tasks.stores.seal import MANIFEST, read_manifest
from tasks.verification.completeness import kept_versions, lacking, left_over, unfinished_purges
from tasks.verification.cosigned_heads import Cosigned, PublishedHead, fault_of, fault_of_published
from tasks.verification.kept_in_home import changed_candidates, kept_in, unknown_to_ledger, unrecorded_decisions

RESTORE = "Restore the ledger from a backup and compare: `headgate audit export` shows both as lines of text."
VOTE = "approved"  # any other vote decides, and is shown
RESTORE_FILES = "Restore the home's files that are named from a backup."
MOUNT = "Mount the store, or restore the version from a backup; in a copy of a home, `targets` of operator.yaml names your copies."
LOOK = "Compare it with a backup; withdraw the release if what was published is not what was approved."


@dataclass(frozen=True)
class EventLine:
    """One event in words: its place in the chain, and what it says beyond its type."""

    entry: Entry
    says: dict[str, str]


@dataclass(frozen=True)
class AuditReport:
    """What was checked. `faults` is empty when nothing was changed, and `cures` says what to do about them; `unfinished` names
    publications, withdrawals and purges that were cut short; `weaknesses` what the database does not protect the ledger from, though it
    could; `lacking` versions that no later one can be measured with."""

    events: int
    releases: int
    versions: int
    head: str
    faults: tuple[str, ...]
    cures: tuple[str, ...] = ()
    unfinished: tuple[str, ...] = ()
    weaknesses: tuple[str, ...] = ()
    lacking: tuple[str, ...] = ()
    cosigned: tuple[Cosigned, ...] = ()
    published: tuple[PublishedHead, ...] = ()


def show_release(home: Home, ledger: Ledger, name: str) -> tuple[Release, tuple[EventLine, ...]]:
    """A release by its id or its candidate's, and all that happened to it, with the reasons that the home keeps."""
    history = read_history(ledger)
    release = history.find(name)
    shown = (shown_entry(entry, release) for entry in history.of(release.release_id))
    return release, tuple(EventLine(entry, says(home, entry) if entry.payload else {}) for entry in shown)


def shown_entry(entry: Entry, release: Release | None) -> Entry:
    """The entry of a vote, while votes are hidden, says that it was cast and no more. Its hash and links stay, so that the chain can be
    followed. An event of the home is of no `release`."""
    votes = release is not None and release.hides_votes and entry.type == VOTE
    return replace(entry, at="", actor="", payload="") if votes else entry


def export_ledger(ledger: Ledger, path: Path | None = None) -> str:
    """The whole ledger as JSON lines, checked first; written to `path` if one is given. Votes that are hidden are left blank."""
    if path is not None:
        _require_place(path)
    history = read_whole(ledger)
    releases = {release.release_id: release for release in history.releases()}
    text = entries_to_lines(shown_entry(entry, releases.get(entry.release)) for entry in history.entries)
    if path is not None:
        replace_file(path, text.encode())
    return text


def _require_place(path: Path) -> None:
    """Over an exported ledger, since it is exported anew; over nothing else."""
    if not path.exists():
        return
    try:
        entries_from_lines(path.read_bytes().decode("utf-8", "replace"), str(path))
    except (OSError, IntegrityBroken):
        cure = "Name a file that does not exist yet, such as ledger.jsonl, or an exported ledger."
        raise InputRejected(f"{path} exists and is not an exported ledger.", cure) from None


def verify_audit(
    home: Home,
    ledger: Ledger,
    store: ReleaseStore | None = None,
    cosigned: Sequence[Cosigned] = (),
    published: Sequence[PublishedHead] = (),
) -> AuditReport:
    """IntegrityBroken unless the chain holds, every published head lies on it, every published file is as it was attested, and `latest`
    names what the events say."""
    report = examine_audit(home, ledger, store, cosigned, published)
    if report.faults:
        raise IntegrityBroken("\n".join(report.faults), "\n".join(report.cures))
    return report


def examine_audit(
    home: Home,
    ledger: Ledger,
    store: ReleaseStore | None = None,
    cosigned: Sequence[Cosigned] = (),
    published: Sequence[PublishedHead] = (),
    hears: Hears | None = None,
) -> AuditReport:
    """The same, with every fault in the report. A chain that doesn't hold is the only fault reported: nothing else can be judged by it."""
    kept = {candidate: kept_decisions(home, candidate) for candidate in decided_candidates(home)}  # before the ledger: others may decide
    here, of_series = kept_in(home), kept_versions(home)
    try:
        history = read_whole(ledger, hears)
        releases = history.releases()
    except IntegrityBroken as problem:
        stored = ledger.entries()
        return AuditReport(len(stored), 0, 0, "", (problem.message,), (RESTORE,))
    faults = _check_remembered(ledger)
    faults += [fault for head in cosigned if (fault := fault_of(head, history.entries))]
    faults += _check_kept_folders(home, history, published)
    faults += [*_check_kept(history, releases, kept), *unknown_to_ledger(home, here, releases)]
    changed = [*chain.from_iterable(_check_decisions(home, history, release) for release in releases), *changed_candidates(home, releases)]
    cures = [RESTORE] * bool(faults) + [RESTORE_FILES] * bool(changed)
    faults += changed
    store = store or open_targets(home)
    # Also what the ledger does not know: one cut short, or replaced by a new one, must not pass because it names nothing.
    targets = sorted({release.target for release in releases if release.target} | store.targets())
    versions = 0
    unfinished = [
        *unrecorded_decisions(home, here, history, releases),
        *unfinished_purges(of_series, releases),
        *left_over(of_series, releases),
    ]
    for target in targets:
        series = _check_series(home, history, store.series(target))
        versions += series.versions
        faults += [fault.message for fault in series.faults]
        cures += [fault.cure for fault in series.faults]
        unfinished += series.unfinished
    head = history.entries[-1].hash if history.entries else ""
    return AuditReport(
        len(history.entries),
        len(releases),
        versions,
        head,
        tuple(faults),
        tuple(dict.fromkeys(cures)),
        tuple(unfinished),
        ledger.store.weaknesses(),
        tuple(lacking(home, releases)) if home.series.is_dir() else (),  # a copy for an auditor has none of it
        tuple(cosigned),
        tuple(published),
    )


def _check_kept_folders(home: Home, history: WholeHistory, published: Sequence[PublishedHead]) -> list[str]:
    """Published folders that were kept elsewhere: each head lies on today's chain, and is the ledger's own."""
    own = _ledger_fingerprint(home) if published else ""
    return [fault for kept in published if (fault := fault_of_published(kept, history.entries, own))]


def _check_remembered(ledger: Ledger) -> list[str]:
    try:
        ledger.require_remembered()
    except IntegrityBroken as problem:
        return [problem.message]
    return []


def _check_kept(history: WholeHistory, releases: Sequence[Release], kept: Mapping[str, frozenset[str]]) -> list[str]:
    """Every decision that was signed and recorded is still on the chain."""
    known = {release.decided: history.events(release.release_id) for release in releases if release.decided in kept}
    gone = {candidate: len(unrecorded(digests, known.get(candidate, ()))) for candidate, digests in kept.items()}
    return [
        f"{counted(number, 'signed decision')} on candidate {candidate[:12]} {'is' if number == 1 else 'are'} kept in the home and missing "
        "from the ledger: an older ledger was put back, or events were deleted."
        for candidate, number in sorted(gone.items())
        if number
    ]


def _check_decisions(home: Home, history: WholeHistory, release: Release) -> list[str]:
    """Every signed decision still has the envelope that its event names, and every comment its text."""
    faults = []
    for entry, event in zip(history.of(release.release_id), history.events(release.release_id), strict=True):
        if isinstance(event, SignedDecisionEvent):
            what = f"The decision of event {entry.seq}"
            try:
                check_decision(kept_envelope(home, event.decided, event.statement_sha256), event, release.dataset, what)
                kept_reason(home, event.decided, event.reason_sha256)
            except HeadgateError as problem:
                faults.append(f"{what}: {problem.message}")
    return [*faults, *changed_comments(home, history.events(release.release_id))]


@dataclass(frozen=True)
class Fault:
    """What was changed, and what is to be done about a fault of this kind."""

    message: str
    cure: str


@dataclass(frozen=True)
class SeriesReport:
    """The versions in place, the faults found, and the publications that were cut short."""

    versions: int
    faults: tuple[Fault, ...]
    unfinished: tuple[str, ...]


def _check_series(home: Home, history: WholeHistory, series: Series) -> SeriesReport:
    known = {release.version: release for release in history.at_target(series.target) if release.version is not None}
    present, newest = series.versions(), latest_version(known.values())
    faults: list[Fault] = []
    unfinished: list[str] = []
    may_be_latest = {newest}
    for number in sorted({*present, *known}):
        release, where = known.get(number), f"Version {number} of {series.target}"
        read = _read_version(series, number) if number in present else {}
        files = {} if isinstance(read, HeadgateError) else read
        due = "" if release is None else _still_to_do(release, newest)
        if release is not None and due:
            may_be_latest |= _latest_meanwhile(release, newest, known)
        if release is None:
            said = f"{where} is in the store but not in the ledger: the ledger was cut short, or the version was forged."
            faults.append(Fault(said, RESTORE))
        elif due:
            unfinished.append(f"{where}{due}")
        elif number not in present and "published" in release.seen:
            faults.append(Fault(f"{where} was published and is missing from {series.address()}.", MOUNT))
        if number in present:
            fault = read if isinstance(read, HeadgateError) else _fault_in_version(home, history, files, release, series.target, number)
            faults += [Fault(f"{where}: {fault.message}", RESTORE if fault.cure == RESTORE else LOOK)] if fault else []
    if len(datasets := {release.dataset for release in known.values()}) > 1:
        faults.append(Fault(f"{series.target} holds versions of {len(datasets)} datasets.", "Withdraw those of all but one dataset."))
    if series.latest() not in may_be_latest:
        faults.append(_wrong_latest(series, newest))
    return SeriesReport(len(present), tuple(faults), tuple(unfinished))


def _still_to_do(release: Release, newest: int | None) -> str:
    """How a publication or withdrawal that was cut short is finished; "" if nothing is left to do."""
    if release.state is State.STALLED:
        return f" stalled: resume {release.candidate[:12]} and publish it again, or withdraw it."
    if release.state is State.PUBLISHING:
        return f": publish {release.candidate[:12]} again to finish it, or withdraw it."
    if release.state is State.PUBLISHED and release.version != newest:
        return f" is not superseded by version {newest} yet: publish that again to finish it."
    if release.state is State.PUBLISHED and not release.settled:
        return f": publish {release.candidate[:12]} again to finish it; `latest` may not name it yet."
    if release.state is State.WITHDRAWN and not release.settled:
        return f": withdraw {release.release_id} again to finish it."
    return ""


def _latest_meanwhile(release: Release, newest: int | None, known: Mapping[int, Release]) -> set[int | None]:
    """What `latest` may still name because this publication or withdrawal was cut short: what it named before. Anything else was moved by
    somebody else."""
    if release.state is State.WITHDRAWN:
        return {release.version}
    if release.state is State.PUBLISHED and release.version == newest:
        return {latest_version(other for other in known.values() if other is not release)}
    return set()


def _read_version(series: Series, number: int) -> Mapping[str, Stored] | HeadgateError:
    """Its files, or what is wrong with them, which is a fault too. A store that cannot be used says nothing about them."""
    try:
        return series.read(number)
    except StoreUnavailable:
        raise
    except HeadgateError as problem:
        return problem


def _fault_in_version(
    home: Home, history: WholeHistory, files: Mapping[str, Stored], release: Release | None, target: str, number: int
) -> HeadgateError | None:
    try:
        _check_files(home, history, files, release, target, number)
    except HeadgateError as problem:
        return problem
    return None


def _check_files(home: Home, history: WholeHistory, files: Mapping[str, Stored], release: Release | None, target: str, number: int) -> None:
    for needed in (MANIFEST, HEAD_FILE, HEAD_SIGNATURE, EVENTS_FILE, ATTESTATION_FILE):
        if needed not in files:
            raise IntegrityBroken(f"{needed} is missing.", LOOK)
    head, signed = verify_head(files[HEAD_FILE].content, files[HEAD_SIGNATURE].content)
    on_chain = head.seq <= len(history.entries) and history.entries[head.seq - 1].hash == head.hash
    if not on_chain:
        raise IntegrityBroken("its signed head is not on the chain: the ledger was changed or cut short after it was published.", RESTORE)
    if signed.fingerprint != _ledger_fingerprint(home):
        raise IntegrityBroken("its head is signed by another ledger's key.", LOOK)
    attestation = check_attestation(files, read_manifest(files[MANIFEST].content), files[MANIFEST].sha256)
    if release is not None:
        _check_recorded(home, history, release, files)
        published = entries_from_lines(files[EVENTS_FILE].content.decode("utf-8", "replace"), EVENTS_FILE)
        if published != history.of(release.release_id)[: len(published)]:
            raise IntegrityBroken("its events are not those of the ledger.", RESTORE)
    check_place(attestation, number, target)


def _check_recorded(home: Home, history: WholeHistory, release: Release, files: Mapping[str, Stored]) -> None:
    if files[MANIFEST].sha256 != release.candidate:
        raise IntegrityBroken("it is another candidate than the one the ledger approved.", LOOK)
    for event in history.events(release.release_id):
        if event.event == "published" and event.attestation_sha256 != files[ATTESTATION_FILE].sha256:
            raise IntegrityBroken("its attestation is not the one the ledger recorded.", LOOK)
    if release.state is State.WITHDRAWN and release.settled and WITHDRAWN not in files:
        raise IntegrityBroken(f"its signed withdrawal, {WITHDRAWN}, was taken away.", "Restore it from a backup.")
    if WITHDRAWN in files:
        _check_withdrawn(home, history, release, files)


def _check_withdrawn(home: Home, history: WholeHistory, release: Release, files: Mapping[str, Stored]) -> None:
    """The withdrawal that lies in a version is the one that the ledger recorded, as its key vouched for it."""
    own = history.of(release.release_id)
    recorded = [place for place, event in enumerate(history.events(release.release_id), 1) if isinstance(event, ReleaseWithdrawn)]
    if not recorded:
        raise IntegrityBroken("it carries a withdrawal that the ledger does not know: the ledger was cut short.", RESTORE)
    manifest = read_manifest(files[MANIFEST].content)
    _, signed = check_withdrawal(files[WITHDRAWN].content, manifest, release.candidate, own[: recorded[0]])
    if signed.fingerprint != _ledger_fingerprint(home):
        raise IntegrityBroken("its withdrawal is signed by another ledger's key.", LOOK)


def _ledger_fingerprint(home: Home) -> str:
    return read_public_key(home.keys / f"{LEDGER_KEY}.pub").fingerprint


def _wrong_latest(series: Series, newest: int | None) -> Fault:
    latest = series.latest()
    names = "nothing" if latest is None else "something else than one version" if latest == NOT_OURS else f"version {latest}"
    due = "nothing" if newest is None else f"version {newest}"
    return Fault(
        f"latest of {series.target} names {names}, but according to the ledger it should name {due}.",
        f"Let `latest` name {due} again" + (", by publishing that again" if newest else "") + ", and find out who moved it.",
    )


def says(home: Home, entry: Entry) -> dict[str, str]:
    """The payload in words, without what the columns already say."""
    event = event_of(entry)
    said = event.model_dump(mode="json", exclude={"event", "at", "release_id"}, exclude_defaults=True)
    if isinstance(event, SignedEvent):
        said["reason"] = _reason(home, event)
    return {name: _text(value) for name, value in said.items()}


def _reason(home: Home, event: SignedEvent) -> str:
    """Somebody who looks at a ledger without its home sees the rest."""
    try:
        return kept_reason(home, event.decided, event.reason_sha256).text
    except HeadgateError as problem:
        return problem.message


def _text(value: object) -> str:
    if isinstance(value, dict):
        return " ".join(_text(part) for part in value.values())
    if isinstance(value, list | tuple):
        return ", ".join(f"[{_text(part)}]" if isinstance(part, list | tuple) else _text(part) for part in value)
    return str(value)
