"""A home with two releases, one of them published, its operator's key, and what a restored home must be like."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tasks.backup.make_backup import BackedUp, back_up
from tasks.backup.restore_home import Restored, restore
from tasks.backup.verified_backup import Wanted
from tasks.ledger.open_ledger import open_ledger
from tasks.runtime.home import Home
from tasks.verification.audit import verify_audit
from tests.unit.tasks.world import World


@pytest.fixture
def kept(world: World, tmp_path: Path, key_folder: Path) -> Any:
    return Kept(world, tmp_path, key_folder)


class Kept:
    """`opener`: the operator's key, in no list of the home."""

    def __init__(self, world: World, folder: Path, key_folder: Path) -> None:
        self.world, self.folder = world, folder
        self.target = folder / "target"
        self.opener = Path(shutil.copy2(key_folder / "stranger", folder / "opener"))
        self.opener.chmod(0o600)
        self.recipient = (key_folder / "stranger.pub").read_text().strip()

    def back_up(self, **changes: Any) -> BackedUp:
        return back_up(self.world.home, self.world.ledger, **{"target": self.target, "recipients": [self.recipient], **changes})

    def restore(self, to: str = "restored", **changes: Any) -> Restored:
        return restore(self.wanted(**changes), self.folder / to)

    def wanted(self, **changes: Any) -> Wanted:
        return Wanted(**{"target": self.target, "key": self.opener, **changes})

    def world_of(self, restored: Restored) -> World:
        """The world goes on in the restored home."""
        home = Home.open(restored.home)
        opened = open_ledger(home)
        assert opened.memory is not None
        memory = replace(opened.memory, uptime=self.world.clock.uptime)
        return replace(self.world, home=home, ledger=replace(opened, clock=self.world.clock, memory=memory))

    def whole(self, restored: Restored) -> int:
        """The number of events of a home in which an audit finds nothing wrong."""
        world = self.world_of(restored)
        return verify_audit(world.home, world.ledger).events


def files_below(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


@pytest.fixture
def below() -> Callable[[Path], dict[str, bytes]]:
    return files_below
