"""What a home remembers of its last backup, so that its age can be told without the target."""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from policies.ledger.events import moment
from tasks.backup.backup_manifest import BackupManifest
from tasks.backup.opened_backup import backup_names
from tasks.runtime.home import Home
from tasks.stores.files import replace_file

FILE = "backup.json"


@dataclass(frozen=True)
class LastBackup:
    at: datetime
    seq: int
    target: str
    name: str


def note_backup(home: Home, manifest: BackupManifest, target: Path, name: str) -> None:
    """A note and no proof: the backup itself is signed."""
    said = {"at": manifest.at, "seq": manifest.seq, "target": str(target), "name": name}
    home.state.mkdir(mode=0o700, parents=True, exist_ok=True)
    replace_file(home.state / FILE, json.dumps(said).encode())


def last_backup(home: Home) -> LastBackup | None:
    """None where no backup was made, or the note of it cannot be read."""
    with suppress(OSError, ValueError, KeyError, TypeError):
        said = json.loads((home.state / FILE).read_bytes())
        return LastBackup(moment(said["at"]), int(said["seq"]), str(said["target"]), str(said["name"]))
    return None


def is_there(last: LastBackup) -> bool:
    """Where a disk is mounted lies an empty folder while it is not."""
    return last.name in backup_names(Path(last.target))
