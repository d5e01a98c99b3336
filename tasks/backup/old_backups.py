"""Of many nights the last few are enough: older backups go, and with them what no other one refers to."""

from __future__ import annotations

from pathlib import Path

from tasks.backup.opened_backup import FOLDER, OBJECTS, SIGNED, backup_names, open_backup
from tasks.stores.files import sync_folder


def drop_old(target: Path, keep: int, made: str | None = None) -> int:
    """All but the newest ones, of which the one that was just `made` is the first, whatever the clock said of others. First the signature,
    so that nothing is taken for a backup whose contents are going; IntegrityBroken, and no content removed, where one that stays cannot
    be read. The number of backups that went."""
    names = sorted(backup_names(target), key=lambda name: name != made)
    staying = [open_backup(target, name).manifest.objects for name in names[:keep]]
    for name in names[keep:]:
        for end in (SIGNED, ".json"):
            (target / FOLDER / f"{name}{end}").unlink(missing_ok=True)
    sync_folder(target / FOLDER)
    needed = set[str]().union(*staying)
    for content in (target / OBJECTS).glob("??/*"):
        if content.name not in needed:
            content.unlink()
    return len(names[keep:])
