from __future__ import annotations

import pytest

from headgate.core.errors import IntegrityBroken
from tasks.approval.decisions import reject
from tasks.verification.check_up import accept_ledger, check_up, confirm_clock


def test_a_sound_home_is_said_to_be_sound(world) -> None:
    world.seal()
    found = check_up(world.ledger)
    assert (found.events, found.last_event, found.clock, found.ledger) == (8, world.ledger.entries()[-1].at, "", "")


def test_confirming_the_clock_does_not_accept_another_ledger(world) -> None:
    candidate = world.seal()
    older = world.home.ledger.read_bytes()
    reject(world.home, world.ledger, candidate.id, world.keys["cyd"], "too small")
    world.home.ledger.write_bytes(older)
    assert "an older ledger was put back" in check_up(world.ledger).ledger
    with pytest.raises(IntegrityBroken, match="an older ledger was put back"):
        confirm_clock(world.ledger)


def test_a_ledger_that_something_else_contradicts_is_not_accepted(world) -> None:
    candidate = world.seal()
    older = world.home.ledger.read_bytes()
    reject(world.home, world.ledger, candidate.id, world.keys["cyd"], "too small")
    world.home.ledger.write_bytes(older)
    with pytest.raises(IntegrityBroken, match="1 signed decision on candidate"):
        accept_ledger(world.home, world.ledger)
    (kept,) = (world.home.root / "decisions" / candidate.id).glob("*.dsse.json")
    kept.unlink()
    assert accept_ledger(world.home, world.ledger) == 8
    world.approve(candidate, "ann")
