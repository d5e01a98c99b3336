"""`headgate doctor`: how ledger and clock stand, and what only the operator confirms."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

from tasks.ledger.machine_time import machine_uptime


def test_a_new_home_has_nothing_to_say(run: Any) -> None:
    said = run("doctor")
    assert (said.code, said.err) == (0, "")
    assert "ledger  0 events. It is the one this home has seen." in said.out


def test_after_a_long_gap_nothing_is_written_until_the_clock_is_confirmed(run: Any, world: Any) -> None:
    """As if the world's last event were 500 days old: the machine's clock comes back after that."""
    world.clock.moment -= timedelta(days=500)
    world.ledger.remember_anew()
    candidate = world.seal()
    refused = run("show", candidate.id, "--json")
    assert (refused.code, "--confirm-clock" in refused.error["cure"]) == (6, True)
    report = run("doctor", "--json").json
    assert report["events"] == 8
    assert report["clock"].startswith("The ledger was last written 49")
    assert report["ledger"] is None
    assert run("releases").code == 0
    confirmed = run("doctor", "--confirm-clock")
    assert (confirmed.code, "It is believed." in confirmed.out) == (0, True)
    assert run("show", candidate.id).code == 0


def test_a_clock_set_forward_for_one_command_writes_nothing(run: Any, world: Any) -> None:
    """The home remembers that its clock was right at this second of the machine's own time; then the clock says two hours more."""
    candidate = world.seal()
    world.ledger.memory.file.unlink()
    replace(world.ledger.memory, uptime=machine_uptime).remember(world.ledger.entries()[-1], world.clock() - timedelta(hours=2))
    if machine_uptime() is None:
        return
    before = world.ledger.entries()
    refused = run("show", candidate.id, "--json")
    assert (refused.code, "was set forward by 2 hours" in refused.error["message"]) == (6, True)
    assert world.ledger.entries() == before


def test_a_ledger_that_was_lost_and_restored_older_counts_only_when_the_operator_says_so(run: Any, world: Any) -> None:
    candidate = world.seal()
    older = world.home.ledger.read_bytes()
    assert run("show", candidate.id).code == 0
    world.home.ledger.write_bytes(older)
    assert run("show", candidate.id).code == 5
    assert "an older ledger was put back" in run("doctor").out
    assert run("doctor", "--confirm-clock").code == 5
    assert run("doctor", "--accept-ledger").code == 0
    assert run("show", candidate.id).code == 0
    world.ledger.memory.file.unlink()
    assert run("show", candidate.id).code == 5
    assert run("doctor", "--accept-ledger").code == 0
    assert run("show", candidate.id).code == 0
