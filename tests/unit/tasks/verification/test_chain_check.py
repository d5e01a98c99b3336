from __future__ import annotations

from typing import Any

import pytest

from headgate.core.errors import StoreUnavailable
from tasks.verification import chain_check
from tasks.verification.chain_check import ChainCheck


def test_a_check_says_how_far_it_is_and_what_it_found(world: Any) -> None:
    world.published()
    check = ChainCheck(world.home, world.ledger)
    assert (check.last, check.running) == (None, False)
    check.start()
    check.start()
    check.wait(30)
    assert not check.running
    assert check.last is not None
    assert check.last.holds
    assert check.done == check.total == check.last.report.events == world.ledger.last().seq


def test_a_fault_and_a_check_that_could_not_be_made_are_told(world: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    publication = world.published()
    manifest = publication.folder / "report.html"
    manifest.chmod(0o644)
    manifest.write_text("changed")
    check = ChainCheck(world.home, world.ledger)
    check.start()
    check.wait(30)
    assert check.last is not None
    assert not check.last.holds
    assert check.last.report.faults

    def fails(*_: Any, **__: Any) -> None:
        raise StoreUnavailable("The store is away.", "Wait.")

    monkeypatch.setattr(chain_check, "examine_audit", fails)
    check.start()
    check.wait(30)
    assert (check.last.holds, check.last.problem.message) == (False, "The store is away.")
