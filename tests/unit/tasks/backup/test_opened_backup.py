"""Which backups a target holds: the one with the most events is the newest, whatever the clock said."""

from __future__ import annotations

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
