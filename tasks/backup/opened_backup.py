"""Backups as they lie in a target: which there are, and what one of them says."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from headgate.core.errors import HeadgateError, InputRejected, IntegrityBroken, StoreUnavailable
from policies.ledger.events import moment
from tasks.backup.backup_manifest import NAME, OTHER, BackupManifest, checked_manifest
from tasks.backup.stored_objects import Objects
from tasks.runtime.boundary import reason_of

SIGNED = ".dsse.json"
FOLDER, OBJECTS = "backups", "objects"


@dataclass(frozen=True)
class OpenedBackup:
    """`manifest`: as the key `home` signed it."""

    target: Path
    name: str
    manifest: BackupManifest

    @property
    def objects(self) -> Objects:
        return Objects(self.target / OBJECTS)


def backup_names(target: Path) -> tuple[str, ...]:
    """Of complete backups, the newest first."""
    try:
        names = [name.removesuffix(SIGNED) for name in os.listdir(target / FOLDER) if name.endswith(SIGNED)]
    except (FileNotFoundError, NotADirectoryError):
        return ()
    except OSError as problem:
        raise StoreUnavailable(f"{target} cannot be read ({reason_of(problem)}).", "Check permissions.") from None
    return tuple(sorted((name for name in names if NAME.fullmatch(name)), key=_place, reverse=True))


def _place(name: str) -> tuple[int, str, int]:
    """By what they hold, and by the clock only where that is the same."""
    stamp, seq, number = name.split("-")
    return int(seq), stamp, int(number)


def next_name(target: Path, manifest: BackupManifest) -> str:
    begun = _begun(manifest)
    number = 1 + max((int(name.split("-")[2]) for name in backup_names(target) if name.startswith(f"{begun}-")), default=0)
    return f"{begun}-{number}"


def _begun(manifest: BackupManifest) -> str:
    return f"{moment(manifest.at):%Y%m%dT%H%M%SZ}-{manifest.seq}"


def open_backup(target: Path, name: str | None = None) -> OpenedBackup:
    """The one of this name, or the newest."""
    names = backup_names(target)
    if not names:
        raise InputRejected(f"{target} holds no complete backup.", "Name the folder that `headgate backup` wrote to.")
    chosen = names[0] if name is None else name
    if chosen not in names:
        raise InputRejected(f"{target} holds no complete backup of that name.", f"Choose one of these: {_some(names)}.")
    content, envelope = (_read(target / FOLDER / f"{chosen}{end}") for end in (".json", SIGNED))
    manifest = checked_manifest(content, envelope, chosen)[0]
    if chosen.rpartition("-")[0] != _begun(manifest):  # else an old one could be sold as the newest
        raise IntegrityBroken(f"Backup {chosen} has another's name: its manifest ends at event {manifest.seq}, of {manifest.at}.", OTHER)
    return OpenedBackup(target, chosen, manifest)


def _some(names: Sequence[str]) -> str:
    return ", ".join(names[:5]) + (", …" if len(names) > 5 else "")


def _read(file: Path) -> bytes:
    try:
        if file.parent.is_symlink():
            raise IntegrityBroken(f"{file.parent} is a link.", OTHER)
        with open(os.open(file, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK), "rb") as opened:
            return opened.read()
    except FileNotFoundError:
        raise IntegrityBroken(f"{file} is missing.", OTHER) from None
    except HeadgateError:
        raise
    except OSError as problem:
        raise IntegrityBroken(f"{file} cannot be read ({reason_of(problem)}).", OTHER) from None
