"""A target is private, belongs to one home, and is used by one command at a time."""

from __future__ import annotations

import stat
from pathlib import Path
from typing import Any

import pytest

from headgate.core.errors import InputRejected, StoreUnavailable
from tasks.backup.backup_target import only_user


def test_nobody_else_can_read_what_lies_in_a_target(kept: Any) -> None:
    kept.target.mkdir(mode=0o755)
    kept.back_up()
    open_to_others = [path for path in (kept.target, *kept.target.rglob("*")) if stat.S_IMODE(path.lstat().st_mode) & 0o077]
    assert open_to_others == []
    texts = [path.read_bytes() for path in kept.target.rglob("*") if path.is_file()]
    secrets = [path.read_bytes().strip() for path in kept.world.home.keys.rglob("*") if path.is_file() and path.suffix != ".pub"]
    assert len(secrets) > 1
    assert [secret for secret in secrets if any(secret in text for text in texts)] == []


def test_a_target_belongs_to_one_home_and_lies_outside_of_it(kept: Any, world: Any, tmp_path: Path) -> None:
    kept.back_up()
    (world.home.keys / "ledger").unlink()
    (world.home.keys / "ledger.pub").unlink()
    world.ledger.memory.file.unlink()
    with pytest.raises(InputRejected, match="of another home"):
        kept.back_up()
    with pytest.raises(InputRejected, match="lies in the home"):
        kept.back_up(target=world.home.root / "target")
    other = tmp_path / "other"
    other.mkdir()
    (other / "thesis.odt").write_text("a")
    with pytest.raises(InputRejected, match="holds 1 other file or folder"):
        kept.back_up(target=other)


def test_two_at_once_are_refused(kept: Any) -> None:
    kept.back_up()
    with only_user(kept.target), pytest.raises(StoreUnavailable, match="Another command uses"):
        kept.back_up()
