"""A backup of a home while releases run: complete at one moment of its ledger, verified in its target, and none before it is signed."""

from __future__ import annotations

import hashlib
import os
import sqlite3
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from urllib.parse import quote

from headgate.core.errors import InputRejected, IntegrityBroken, StoreUnavailable
from tasks.backup.backup_manifest import BackedFile, BackupManifest, SealedKeys, Segment, written_manifest
from tasks.backup.backup_target import only_user, prepare, require_elsewhere
from tasks.backup.home_survey import DATABASES, ListedFile, Survey, stamp_of, survey
from tasks.backup.last_backup import note_backup
from tasks.backup.ledger_segments import keep_events
from tasks.backup.old_backups import drop_old
from tasks.backup.opened_backup import FOLDER, OBJECTS, OpenedBackup, backup_names, next_name, open_backup
from tasks.backup.sealed_keys import digest_of, fingerprint_of, mark_of, packed, recipient_of, sealed_for
from tasks.backup.stored_objects import DRAFT, PIECE, ChangedMeanwhile, Objects
from tasks.ledger.chain import START, Entry
from tasks.ledger.event_log import Ledger
from tasks.ledger.remembered_head import REMEMBERED_FILE, Remembered, signed_memory
from tasks.runtime.boundary import reason_of
from tasks.runtime.home import Home
from tasks.runtime.operator_settings import operator_in
from tasks.signing.home_keys import home_fingerprint, ledger_key, ledger_secret
from tasks.stores.files import replace_file, sync_folder, write_file

TRIES = 5
NOBODY = (
    'Write backup: {recipients: ["ssh-ed25519 …"]} into operator.yaml, or give --recipient FILE: the public key of somebody who would '
    "restore the home. Keep the private half away from this machine."
)


@dataclass(frozen=True)
class BackedUp:
    """`copied` and `written`: contents that were not in the target yet, and their bytes. `dropped`: older backups that went."""

    name: str
    manifest: BackupManifest
    copied: int
    written: int
    dropped: int

    @property
    def files(self) -> int:
        return len(self.manifest.files)

    @property
    def bytes(self) -> int:
        return sum(self.manifest.objects.values())

    @property
    def recipients(self) -> tuple[str, ...]:
        return tuple(map(fingerprint_of, self.manifest.keys.recipients))


def back_up(home: Home, ledger: Ledger, target: Path, recipients: Sequence[str] = (), keep: int | None = None) -> BackedUp:
    """`recipients`: beside those of operator.yaml. Killed at any moment, the same call completes it: what is in the target stays.
    `keep`: how many backups stay; all without it."""
    opening = _recipients(home, recipients)
    require_elsewhere(home, target)
    ledger.require_remembered()
    try:
        prepare(target)
        with only_user(target):
            return _back_up(home, ledger, target, opening, keep)
    except OSError as problem:
        reason = reason_of(problem)
    raise StoreUnavailable(
        f"The backup could not be written to {target} ({reason}).", "Check permissions and free space, then run it again: it goes on."
    )


def _back_up(home: Home, ledger: Ledger, target: Path, recipients: Sequence[str], keep: int | None) -> BackedUp:
    objects = Objects(target / OBJECTS)
    objects.clear_drafts()
    before = _newest(home, target)
    counted = _Counted(objects)
    for _ in range(TRIES):
        head, found = _moment_of(home, ledger)
        try:
            manifest = _collect(home, ledger, head, found, counted, before, recipients)
        except ChangedMeanwhile:
            continue
        name = _write(home, target, manifest)
        note_backup(home, manifest, target, name)
        dropped = 0 if keep is None else drop_old(target, keep, name)
        return BackedUp(name, manifest, counted.copied, counted.written, dropped)
    raise StoreUnavailable(f"Files of the home were changed or removed at each of {TRIES} attempts.", "Run the backup again.")


def _moment_of(home: Home, ledger: Ledger) -> tuple[Entry | None, Survey]:
    """Nobody appends while the home is listed."""
    with ledger.store.writing() as stored:
        return stored.last(), survey(home)


@dataclass
class _Counted:
    objects: Objects
    copied: int = 0
    written: int = 0

    def keep(self, pieces: Iterator[bytes], sha256: str, size: int) -> None:
        if self.objects.holds(sha256, size):
            return
        self.objects.put(pieces, sha256)
        self.copied, self.written = self.copied + 1, self.written + size


def _collect(
    home: Home, ledger: Ledger, head: Entry | None, found: Survey, counted: _Counted, before: OpenedBackup | None, recipients: Sequence[str]
) -> BackupManifest:
    known = {} if before is None else {file.path: file for file in before.manifest.files if file.stamp}
    files = [_kept(listed, known.get(listed.path), counted) for listed in found.files]
    files += [file for name in DATABASES if (file := _database(home.root / name, name, counted)) is not None]
    segments: Sequence[Segment] = () if before is None else before.manifest.segments
    at = ledger.seen_now()
    files.append(_memory(home, head, at.isoformat(), counted))
    return BackupManifest(
        product=f"headgate {version('headgate')}",
        home=home_fingerprint(home.keys),
        at=at.isoformat(),
        seq=0 if head is None else head.seq,
        hash=START if head is None else head.hash,
        segments=keep_events(ledger, head, counted.objects, segments),
        files=tuple(sorted(files, key=lambda file: file.path)),
        links=tuple(found.links),
        keys=_keys(home, found, counted, before, recipients),
        absent=(*found.absent, *_elsewhere()),
    )


def _kept(listed: ListedFile, before: BackedFile | None, counted: _Counted) -> BackedFile:
    """A file that has not changed since the backup before is not read again."""
    if (
        before is not None
        and (before.stamp, before.bytes) == (listed.stamp, listed.bytes)
        and counted.objects.holds(before.sha256, before.bytes)
    ):
        return before.model_copy(update={"mode": listed.mode})
    digest = hashlib.sha256()
    for piece in _pieces(listed):
        digest.update(piece)
    sha256 = digest.hexdigest()
    counted.keep(_pieces(listed), sha256, listed.bytes)
    return BackedFile(path=listed.path, sha256=sha256, bytes=listed.bytes, mode=listed.mode, stamp=listed.stamp)


def _pieces(listed: ListedFile) -> Iterator[bytes]:
    """ChangedMeanwhile if it is not the file that was listed, at the beginning or at the end."""
    try:
        with open(os.open(listed.place, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK), "rb") as file:
            if stamp_of(os.fstat(file.fileno())) != listed.stamp:
                raise ChangedMeanwhile
            while piece := file.read(PIECE):
                yield piece
            if stamp_of(os.fstat(file.fileno())) != listed.stamp:
                raise ChangedMeanwhile
    except FileNotFoundError:
        raise ChangedMeanwhile from None


def _database(place: Path, name: str, counted: _Counted) -> BackedFile | None:
    """A whole copy by SQLite's own means, whoever writes meanwhile. Later than the ledger's head: what events refer to is in it."""
    if not place.exists():
        return None
    with tempfile.TemporaryDirectory(prefix=DRAFT, dir=counted.objects.folder) as folder:
        copy = Path(folder) / name
        try:
            address = f"file:{quote(str(place))}?mode=ro"
            with closing(sqlite3.connect(address, uri=True, timeout=30)) as source, closing(sqlite3.connect(copy)) as made:
                source.backup(made)
        except sqlite3.Error as problem:
            reason = getattr(problem, "sqlite_errorname", type(problem).__name__)
            raise StoreUnavailable(f"{place} could not be copied ({reason}).", "Check that it is whole, then run it again.") from None
        status = copy.lstat()
        listed = ListedFile(name, copy, status.st_size, 0o600, stamp_of(status))
        return _kept(listed, None, counted).model_copy(update={"stamp": ""})


def _memory(home: Home, head: Entry | None, at: str, counted: _Counted) -> BackedFile:
    """The head that a restored home remembers: the backup's own."""
    seq, digest, seen = (0, START, at) if head is None else (head.seq, head.hash, head.at)
    content = signed_memory(Remembered(seq=seq, hash=digest, clock=seen), ledger_key(home.keys))
    counted.keep(iter([content]), digest_of(content), len(content))
    return BackedFile(path=f"{home.state.name}/{REMEMBERED_FILE}", sha256=digest_of(content), bytes=len(content), mode=0o600)


def _keys(home: Home, found: Survey, counted: _Counted, before: OpenedBackup | None, recipients: Sequence[str]) -> SealedKeys:
    """Encrypted anew only if they, or those who can open them, are others than before."""
    archive = packed({listed.path: b"".join(_pieces(listed)) for listed in found.keys})
    mark = mark_of(archive, ledger_secret(home.keys))
    if before is not None:
        sealed = before.manifest.keys
        if (sealed.mark, sealed.recipients) == (mark, tuple(recipients)) and counted.objects.holds(sealed.sha256, sealed.bytes):
            return sealed
    content = sealed_for(archive, recipients)
    counted.keep(iter([content]), digest_of(content), len(content))
    return SealedKeys(sha256=digest_of(content), bytes=len(content), mark=mark, recipients=tuple(recipients))


def _elsewhere() -> Iterator[str]:
    if os.environ.get("MLFLOW_TRACKING_URI"):
        yield "The releases recorded at MLFLOW_TRACKING_URI: that server needs a backup of its own."
    yield "Prefect's record of past runs: it decides nothing, and `serve` makes it anew."


def _write(home: Home, target: Path, manifest: BackupManifest) -> str:
    """The signature comes last, and with it the backup; then both are read back."""
    folder, key = target / FOLDER, ledger_key(home.keys)
    name = next_name(target, manifest)
    content, envelope = written_manifest(manifest, key)
    (folder / f"{name}.json").unlink(missing_ok=True)  # of a run that was killed before it signed
    write_file(folder, f"{name}.json", content)
    (folder / f"{name}.json").chmod(0o400)
    sync_folder(folder)
    replace_file(folder / f"{name}.dsse.json", envelope)
    (folder / f"{name}.dsse.json").chmod(0o400)
    written = open_backup(target, name)
    if written.manifest != manifest:
        raise StoreUnavailable(f"{target} does not give back what was written to it.", "Replace the disk of the target.")
    objects = Objects(target / OBJECTS)
    lacking = [sha256 for sha256, size in manifest.objects.items() if not objects.holds(sha256, size)]
    if lacking:
        raise StoreUnavailable(f"Somebody removed files from {target} while the backup was made.", "Find out who, and run it again.")
    return name


def _newest(home: Home, target: Path) -> OpenedBackup | None:
    """The newest that is whole; damaged ones are passed over. A target belongs to one home."""
    own = home_fingerprint(home.keys)
    for name in backup_names(target):
        try:
            opened = open_backup(target, name)
        except IntegrityBroken:
            continue
        if opened.manifest.home != own:
            raise InputRejected(f"{target} holds backups of another home.", "Give each home a target of its own.")
        return opened
    return None


def _recipients(home: Home, given: Sequence[str]) -> tuple[str, ...]:
    rules = operator_in(home.root).backup
    lines = [*(() if rules is None else rules.recipients), *given]
    found = tuple(dict.fromkeys(map(recipient_of, lines)))
    if not found:
        raise InputRejected("Nobody is named who could open the home's keys in this backup.", NOBODY)
    return found
