"""All checks are made at once; one that breaks or hangs is a failure of its own, and says nothing of what it saw."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from headgate.core.errors import IntegrityBroken, StoreUnavailable
from tasks.checks.every_check import CHECKS, findings
from tasks.checks.finding import Finding, Situation, Status, well


def test_a_home_in_order_passes_every_check(situation: Situation, world: Any) -> None:
    world.published()
    found = findings(situation, [check for check in CHECKS if check[0] != "versions"])  # those of this machine may be newer
    assert [(each.name, each.message) for each in found if each.status is not Status.OK] == []
    assert list(dict.fromkeys(each.name for each in found)) == [name for name, _ in CHECKS if name != "versions"]


def test_what_hangs_or_breaks_is_a_failure_and_holds_up_nobody(situation: Situation) -> None:
    ends = threading.Event()

    def hangs(_: Situation) -> Iterator[Finding]:
        ends.wait(30)
        yield well("hangs", "at last")

    def breaks(_: Situation) -> Iterator[Finding]:
        raise ValueError("CANARY of somebody's data")

    def unusable(_: Situation) -> Iterator[Finding]:
        raise StoreUnavailable("It is gone.", "Start it.")

    def changed(_: Situation) -> Iterator[Finding]:
        raise IntegrityBroken("It was changed.", "Restore it.")

    def silent(_: Situation) -> Iterator[Finding]:
        yield from ()

    began = time.monotonic()
    checks = [("hangs", hangs), ("breaks", breaks), ("unusable", unusable), ("changed", changed), ("silent", silent)]
    found = {each.name: each for each in findings(situation, checks, seconds=0.3)}
    ends.set()
    assert time.monotonic() - began < 10
    assert {each.status for each in found.values()} == {Status.FAILURE}
    assert all(each.cure for each in found.values())
    assert "CANARY" not in str(found)
    assert [found[name].code for name, _ in checks] == [6, 6, 6, 5, 6]


def test_doctor_needs_nothing_that_only_an_extra_brings() -> None:
    """Where Dask was not installed, it did not even start."""
    code = "import sys; sys.modules.update(dask=None, distributed=None, opentelemetry=None); import tasks.checks.every_check"
    subprocess.run([sys.executable, "-c", code], check=True, cwd=Path(__file__).parents[4])
