"""What of a home belongs into a backup, as it lay there at one moment.

Whatever a release does is on the disk before the event that speaks of it. So while nobody can append to the ledger, everything is
listed backwards: what is written last first. A home restored from that looks like one whose processes were all killed at that moment,
and from there every command knows how to go on.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from headgate.core.errors import InputRejected, IntegrityBroken
from tasks.approval.operator_demands import operator_demands
from tasks.backup.backup_manifest import BackedLink, safe_path
from tasks.runtime.home import Home
from tasks.runtime.operator_settings import OPERATOR_FILE
from tasks.signing.revocation import REVOKED
from tasks.stores.open_release_store import open_release_store, release_store
from tasks.stores.store_folder import LATEST, LATEST_FILE, FolderSeries, FolderStore

TRUST = (OPERATOR_FILE, "signers", REVOKED)
KEYS = "keys"
# In this order: origins are kept after a candidate is sealed, and a candidate after its policy.
ROOMS = ("decisions", "comments", "origins", "series", KEYS, "candidates", "refused", "schedules", "policies", "state", "mlartifacts")
# What a restored home makes anew. An outbox of an earlier moment would tell people once more what they know.
PASSING = {"state": ("head.dsse.json", "progress", "backup.json", "purging.json", "outbox.db", "outbox.db-journal", "outbox.lock")}
DATABASES = ("console.db", "mlflow.db")
PRIVATE_ENDS = (".draft",)
RELEASES = "releases"


@dataclass(frozen=True)
class ListedFile:
    """`stamp`: of its last change; two listings with the same stamp are of the same bytes."""

    path: str
    place: Path
    bytes: int
    mode: int
    stamp: str


@dataclass
class Survey:
    """`absent`: what is not in the home, in sentences."""

    files: list[ListedFile] = field(default_factory=list)
    keys: list[ListedFile] = field(default_factory=list)
    links: list[BackedLink] = field(default_factory=list)
    absent: list[str] = field(default_factory=list)


def survey(home: Home) -> Survey:
    """Call it while nobody can append to the ledger."""
    found = Survey()
    _published(home, found)
    for room in ROOMS:
        for member in _below(home.root / room, room):
            (found.keys if room == KEYS and not member.path.endswith(".pub") else found.files).append(member)
    found.files += [listed for name in TRUST if (listed := _listed(home.root / name, name)) is not None]
    return found


def _published(home: Home, found: Survey) -> None:
    """Series in folders. What lies in S3 or in a database is kept by whoever keeps that; nobody waits for it here."""
    addresses, own = operator_demands(home).operator.targets, open_release_store(home)
    if isinstance(own, FolderStore):
        for target in sorted(own.targets() - set(addresses)):
            _series(own.series(target), found)
        if home.publishes_elsewhere:
            found.absent.append(f"The place {home.store} of what is published: it is restored to {RELEASES}/. Copy it from there.")
    else:
        found.absent.append(f"What is published to {store_shown(home.store)}: it needs a backup of its own.")
    for target, address in sorted(addresses.items()):
        store = release_store(address)
        if not isinstance(store, FolderStore):
            found.absent.append(f"The series {target}, published to {store_shown(address)}: it needs a backup of its own.")
        elif target in store.targets():
            _series(store.series(target), found)
            found.absent.append(f"The place {address} of the series {target}: it is restored to {RELEASES}/{target}. Copy it from there.")


def store_shown(address: str) -> str:
    """An address may hold more than is anybody's business."""
    return f"{address.partition('://')[0]}://…"


def _series(series: FolderSeries, found: Survey) -> None:
    """`latest` moves last."""
    link, path = series.folder / LATEST, f"{RELEASES}/{series.target}"
    if link.is_symlink():
        found.links.append(BackedLink(path=f"{path}/{LATEST}", target=os.readlink(link)))
    latest = _listed(series.folder / LATEST_FILE, f"{path}/{LATEST_FILE}")
    found.files += [] if latest is None else [latest]
    for number in series.versions():
        found.files += _below(series.version(number), f"{path}/{number}")


def _below(folder: Path, path: str) -> Iterator[ListedFile]:
    """Every file, those that are being written excepted. A link would lead elsewhere and is refused."""
    try:
        with os.scandir(folder) as entries:
            members = sorted(entries, key=lambda entry: entry.name)
    except FileNotFoundError:
        return
    for member in members:
        inside = f"{path}/{member.name}"
        if member.name.startswith(".") or member.name.endswith(PRIVATE_ENDS) or member.name in PASSING.get(path, ()):
            continue
        if not safe_path(inside):
            raise InputRejected(f"{folder} holds a file with an unsafe name.", "Move it away, or give it another name.")
        if member.is_dir(follow_symlinks=False):
            yield from _below(folder / member.name, inside)
        elif (listed := _listed(folder / member.name, inside)) is not None:
            yield listed


def _listed(place: Path, path: str) -> ListedFile | None:
    try:
        status = place.lstat()
    except FileNotFoundError:
        return None
    if not stat.S_ISREG(status.st_mode):
        raise IntegrityBroken(f"{place} is a link or a special file.", "Put the file itself there, or move it away.")
    return ListedFile(path, place, status.st_size, stat.S_IMODE(status.st_mode) & 0o777, stamp_of(status))


def stamp_of(status: os.stat_result) -> str:
    """Nobody sets the time of the last change of an inode but the system."""
    return f"{status.st_ino}.{status.st_mtime_ns}.{status.st_ctime_ns}"
