"""Clock, disk and packages."""

from __future__ import annotations

from collections import namedtuple
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from tasks.checks import machine
from tasks.checks.finding import Situation, Status
from tasks.checks.machine import check_clock, check_disk, check_versions, largest_release

Usage = namedtuple("Usage", "total used free")


def test_a_clock_behind_the_ledger_is_a_failure_with_its_cure(situation: Situation, world: Any) -> None:
    world.seal()
    assert [found.status for found in check_clock(situation)] == [Status.OK]
    world.clock.moment -= timedelta(hours=3)
    (found,) = check_clock(situation)
    assert (found.status, bool(found.cure), found.code) == (Status.FAILURE, True, 6)


def test_room_is_measured_in_releases(situation: Situation, world: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    world.seal()
    largest = largest_release(world.home.candidates)
    assert largest > 1000
    for free, told in ((largest - 1, Status.FAILURE), (2**30 - 1, Status.WARNING), (2**40, Status.OK)):
        monkeypatch.setattr(machine.shutil, "disk_usage", lambda _, free=free: Usage(2**50, 0, free))
        assert [found.status for found in check_disk(situation)] == [told]


def test_packages_are_compared_with_the_lock_or_with_what_headgate_requires(
    situation: Situation, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lock = tmp_path / "lock"
    monkeypatch.setattr(machine, "LOCK", lock)
    here = machine.version("pydantic")
    lock.write_text(f"pydantic==0.1 ; python_version < '3' \\\n    --hash=x\npydantic=={here}\nno-such-tool==1.0\n")
    assert [found.status for found in check_versions(situation)] == [Status.OK]
    lock.write_text("pydantic==0.1\n")
    (found,) = check_versions(situation)
    assert (found.status, "pydantic" in found.message) == (Status.WARNING, True)
    lock.unlink()
    monkeypatch.setattr(machine, "requires", lambda _: ["pydantic>=2", 'no-such-tool>=1; extra == "dev"'])
    assert [found.status for found in check_versions(situation)] == [Status.OK]
    monkeypatch.setattr(machine, "requires", lambda _: ["pydantic>=99", "no-such-package"])
    (found,) = check_versions(situation)
    assert "pydantic, no-such-package" in found.message
