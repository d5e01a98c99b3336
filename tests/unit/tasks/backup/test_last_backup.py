"""What a home remembers of its last backup."""

from __future__ import annotations

from typing import Any

from tasks.backup.last_backup import last_backup


def test_the_last_backup_is_remembered_and_damage_to_the_note_is_none(kept: Any) -> None:
    home = kept.world.home
    assert last_backup(home) is None
    made = kept.back_up()
    noted = last_backup(home)
    assert noted is not None
    assert (noted.name, noted.seq, noted.target) == (made.name, made.manifest.seq, str(kept.target))
    (home.state / "backup.json").write_text("{}")
    assert last_backup(home) is None
