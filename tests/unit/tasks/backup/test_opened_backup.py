"""Which backups a target holds: the one with the most events is the newest, whatever the clock said."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from headgate.core.errors import IntegrityBroken
from tasks.backup.opened_backup import backup_names, open_backup

NAMES = ("20990101T000000Z-8-1", "20260102T000000Z-9-1", "20260101T000000Z-9-2")


def test_the_newest_is_the_one_with_the_most_events(tmp_path: Path) -> None:
    (tmp_path / "backups").mkdir()
    for name in (*NAMES, "other"):
        (tmp_path / "backups" / f"{name}.dsse.json").write_text("")
    (tmp_path / "backups" / "20260103T000000Z-9-1.json").write_text("")
    assert backup_names(tmp_path) == ("20260102T000000Z-9-1", "20260101T000000Z-9-2", "20990101T000000Z-8-1")
    assert backup_names(tmp_path / "nowhere") == ()


def test_a_manifest_behind_a_link_or_gone_is_refused(kept: Any) -> None:
    name = kept.back_up().name
    file = kept.target / "backups" / f"{name}.json"
    file.rename(kept.folder / "elsewhere.json")
    with pytest.raises(IntegrityBroken, match="is missing"):
        open_backup(kept.target)
    file.symlink_to(kept.folder / "elsewhere.json")
    with pytest.raises(IntegrityBroken, match="cannot be read"):
        open_backup(kept.target)


def test_an_old_backup_under_the_name_of_a_newer_one_is_neither_restored_nor_kept_in_its_place(kept: Any) -> None:
    """Whoever could write to the target once gave an old backup a name with many events: it was restored as the newest, and `--keep`
    dropped each new backup in the moment in which it was made, and said that all was well."""
    kept.world.seal()
    old, planted = kept.back_up(), "20990101T000000Z-999999-1"
    kept.world.seal()
    new = kept.back_up()
    for end in (".json", ".dsse.json"):
        shutil.copy2(kept.target / "backups" / f"{old.name}{end}", kept.target / "backups" / f"{planted}{end}")
    with pytest.raises(IntegrityBroken, match=f"{planted} has another's name"):
        kept.restore()
    assert kept.whole(kept.restore(name=new.name)) == new.manifest.seq
    with pytest.raises(IntegrityBroken, match="another's name"):
        kept.back_up(keep=2)
    assert {old.name, new.name} < set(backup_names(kept.target))
