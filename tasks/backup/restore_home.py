"""A home from a backup: everything is verified first, then written beside the place of the home, and given its name when it is whole."""

from __future__ import annotations

import errno
import os
import shutil
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from headgate.core.errors import InputRejected, IntegrityBroken, StoreUnavailable
from tasks.backup.backup_manifest import OTHER, BackupManifest
from tasks.backup.backup_target import only_user
from tasks.backup.home_survey import RELEASES
from tasks.backup.ledger_segments import kept_events
from tasks.backup.verified_backup import FORMER, Verified, Wanted, require_target, verified
from tasks.ledger.chain import Entry
from tasks.ledger.event_log import Ledger, event_of
from tasks.ledger.open_ledger import ledger_store, memory_of
from tasks.ledger.remembered_head import REMEMBERED_FILE
from tasks.runtime.boundary import reason_of
from tasks.runtime.home import PRIVATE, Home
from tasks.runtime.trusted_files import require_safe_folders
from tasks.signing.home_keys import LEDGER_KEY
from tasks.signing.keys import load_key
from tasks.stores.files import sync_folder, sync_folders

SPARE = 1.05  # of the bytes that are restored, for the file system's own


@dataclass(frozen=True)
class Restored:
    """`database`: the ledger's database held its events already, up to this number; 0 where they were written. `former`: what lay in the
    home's place."""

    verified: Verified
    home: Path
    database: int
    former: Path | None


def restore(wanted: Wanted, to: Path) -> Restored:
    """The home at `to`, which must be absent or empty; its `state/` may be there, and must be known to the backup."""
    os.umask(PRIVATE)
    _require_place(to)
    require_target(wanted.target)
    if to.resolve().is_relative_to(wanted.target.resolve()):
        raise InputRejected("The home would lie in the backup's own folder.", "Name a folder elsewhere.")
    try:
        to.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with only_user(wanted.target), only_user(to.parent):  # two backups restored to one place at once would mix
            found = verified(wanted, to)
            _require_room(found, to)
            return _restored(found, to)
    except OSError as problem:
        reason = reason_of(problem)
    raise StoreUnavailable(f"{to} could not be restored ({reason}).", "Check permissions and free space, then run it again.")


def _require_place(to: Path) -> None:
    if not to.is_absolute():
        raise InputRejected("The home to restore to is a relative path.", "Give an absolute one.")
    require_safe_folders(to.parent)
    if to.is_symlink() or (to.exists() and not to.is_dir()):
        raise InputRejected(f"{to} is not a folder.", "Name a folder that does not exist yet.")
    if to.is_dir() and {path.name for path in to.iterdir()} - {"state"}:
        raise InputRejected(f"{to} is not empty.", "Restore into a new folder, and look at what lies in this one first.")


def _require_room(verified: Verified, to: Path) -> None:
    needed = sum(file.bytes for file in verified.manifest.files) + 3 * sum(segment.bytes for segment in verified.manifest.segments)
    free = shutil.disk_usage(to.parent).free
    if needed * SPARE > free:
        raise StoreUnavailable(f"{to.parent} has {free:,} bytes free, and the home needs {needed:,}.", "Make room, or choose another disk.")


def _restored(verified: Verified, to: Path) -> Restored:
    made = to.with_name(f".{to.name}.restoring")
    if made.exists():  # by a run that was killed
        shutil.rmtree(made)
    made.mkdir(mode=0o700)
    _write_files(verified, made)
    database = _write_ledger(verified, made, to)
    sync_folders(made)
    former = None
    if to.is_dir() and any(to.iterdir()):
        former = to.with_name(f"{to.name}{FORMER}{int(time.time())}")
        to.rename(former)
    try:
        made.rename(to)
    except OSError as problem:
        if problem.errno in (errno.EBUSY, errno.EXDEV):
            raise StoreUnavailable(f"{to} is a mount point, which cannot be replaced.", "Name a folder below it.") from None
        raise
    sync_folder(to.parent)
    return Restored(verified, to, database, former)


def _write_files(verified: Verified, made: Path) -> None:
    objects = verified.backup.objects
    for file in verified.manifest.files:
        _write(made / file.path, objects.pieces(file.sha256, file.bytes), file.mode)
    for path, content in verified.keys.items():
        _write(made / path, iter([content]), 0o600)
    for link in verified.manifest.links:
        (made / link.path).parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        (made / link.path).symlink_to(link.target)
    if (made / RELEASES).is_dir():  # what is published is for everybody who gets so far
        for folder, _, _ in os.walk(made / RELEASES):
            os.chmod(folder, 0o755)


def _write(place: Path, pieces: Iterator[bytes], mode: int) -> None:
    place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with open(os.open(place, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600), "wb") as file:
        for piece in pieces:
            file.write(piece)
        file.flush()
        os.fsync(file.fileno())
    place.chmod(mode & 0o755 or 0o600)


def _write_ledger(verified: Verified, made: Path, to: Path) -> int:
    """Into the database that HEADGATE_DATABASE_URL names, or into the home's own file. A database that has the events already, because only
    the home was lost, stays as it is."""
    manifest, own = verified.manifest, Home(made)
    url = own.database_url
    store = ledger_store(url)
    last: Entry | None = None
    with store.writing() as stored:
        present = stored.last()
        if present is None:
            for entry in kept_events(verified.backup.objects, manifest.segments):
                stored.append(entry, event_of(entry).subject)
                last = entry
        else:
            _require_continues(stored.at(manifest.seq) if manifest.seq else None, present, manifest)
            last = present
    if verified.keys:
        _remember(verified, own, Ledger(store), last)
    elif verified.beyond:  # nobody can sign here what others have seen; without a memory nothing is written, whoever brings the keys
        (own.state / REMEMBERED_FILE).unlink()
    return 0 if present is None else present.seq


def _require_continues(entry: Entry | None, present: Entry, manifest: BackupManifest) -> None:
    if manifest.seq and (entry is None or entry.hash != manifest.hash):
        raise IntegrityBroken(
            f"HEADGATE_DATABASE_URL names a database with a ledger of {present.seq} events, and event {manifest.seq} of the backup is not "
            "among them.",
            "Name an empty database, or the one that this home wrote to.",
        )


def _remember(verified: Verified, own: Home, ledger: Ledger, last: Entry | None) -> None:
    """The head that the home has from now on; where events are lost that others have seen, the highest that they have: nothing is written
    until the operator accepts that."""
    memory = memory_of(own)
    seen = last
    if verified.beyond and last is not None and verified.beyond[0].seq > last.seq:
        seen = replace(last, seq=verified.beyond[0].seq, hash=verified.beyond[0].hash)
    if load_key(own.keys / LEDGER_KEY).fingerprint != verified.manifest.home:
        raise IntegrityBroken("The ledger's key in the backup is not the one that signed it.", OTHER)
    memory.remember(seen, ledger.seen_now(), anew=True)
