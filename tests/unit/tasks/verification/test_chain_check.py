from __future__ import annotations

from typing import Any

import pytest

from headgate.core.errors import StoreUnavailable
from tasks.ledger.followed_ledger import FollowedLedger
from tasks.verification import chain_check
from tasks.verification.chain_check import ChainCheck, checked_before


def test_a_check_says_how_far_it_is_and_what_it_found(world: Any) -> None:
    world.published()
    check = ChainCheck(world.home, world.ledger)
    assert (check.last, check.running) == (None, False)
    check.start("ann")
    check.start("ann")
    check.wait(30)
    assert not check.running
    assert check.last is not None
    assert check.last.holds
    assert check.done == check.total == check.last.report.events == world.ledger.last().seq - 1


def test_a_fault_and_a_check_that_could_not_be_made_are_told(world: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    publication = world.published()
    manifest = publication.folder / "report.html"
    manifest.chmod(0o644)
    manifest.write_text("changed")
    check = ChainCheck(world.home, world.ledger)
    check.start("ann")
    check.wait(30)
    assert check.last is not None
    assert not check.last.holds
    assert check.last.report.faults

    def fails(*_: Any, **__: Any) -> None:
        raise StoreUnavailable("The store is away.", "Wait.")

    monkeypatch.setattr(chain_check, "examine_audit", fails)
    check.start("ann")
    check.wait(30)
    assert (check.last.holds, check.last.problem.message) == (False, "The store is away.")


def test_what_was_checked_is_known_after_a_restart_and_only_while_the_ledger_continues_it(world: Any) -> None:
    world.seal()
    check = ChainCheck(world.home, world.ledger)
    assert checked_before(world.ledger, FollowedLedger(world.ledger).history().of_home) is None
    last = world.ledger.last()
    check.start("ann")
    check.wait(30)
    of_home = FollowedLedger(world.ledger).history().of_home
    event = checked_before(world.ledger, of_home)
    assert event is not None
    assert (event.checked_by, event.up_to, event.head, event.faults) == ("ann", last.seq, last.hash, 0)
    for change in ({"head": "0" * 64}, {"up_to": last.seq - 1}, {"up_to": last.seq + 1}, {"up_to": last.seq + 5}):
        assert checked_before(world.ledger, ((of_home[-1][0], event.model_copy(update=change)),)) is None


def test_faults_are_known_after_a_restart_too(world: Any) -> None:
    publication = world.published()
    (publication.folder / "report.html").chmod(0o644)
    (publication.folder / "report.html").write_text("changed")
    check = ChainCheck(world.home, world.ledger)
    check.start("ann")
    check.wait(30)
    event = checked_before(world.ledger, FollowedLedger(world.ledger).history().of_home)
    assert event is not None
    assert event.faults > 0
