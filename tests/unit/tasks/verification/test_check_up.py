from __future__ import annotations

import pytest

from headgate.core.errors import IntegrityBroken
from tasks.approval.approvals import operator_roots
from tasks.approval.decisions import reject
from tasks.signing.home_keys import machine_key
from tasks.verification.audit import verify_audit
from tasks.verification.check_up import accept_ledger, check_up, confirm_clock


def test_a_sound_home_is_said_to_be_sound(world) -> None:
    world.seal()
    found = check_up(world.home, world.ledger)
    assert (found.events, found.last_event, found.clock, found.ledger, found.signers, found.series) == (
        8,
        world.ledger.entries()[-1].at,
        *("", "", "", ""),
    )


def test_confirming_the_clock_does_not_accept_another_ledger(world) -> None:
    candidate = world.seal()
    older = world.home.ledger.read_bytes()
    reject(world.home, world.ledger, candidate.id, world.keys["cyd"], "too small")
    world.home.ledger.write_bytes(older)
    assert "an older ledger was put back" in check_up(world.home, world.ledger).ledger
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


def test_a_version_that_no_later_one_can_be_measured_with_is_told(world) -> None:
    promise = world.made.manifest.promise.model_copy(update={"people_checked": True})
    world.published(promise=promise, known_versions=())
    assert "version 1 of people" in check_up(world.home, world.ledger).series
    assert verify_audit(world.home, world.ledger).lacking == ()  # as in a copy for an auditor
    world.home.series.mkdir()
    assert len(verify_audit(world.home, world.ledger).lacking) == 1


def test_a_line_whose_key_is_or_was_the_homes_own_is_named(world) -> None:
    world.seal()
    own = machine_key(world.home.keys)
    world.write_signers(world.line("ann"), f'dora namespaces="headgate" {own.key.line}')
    assert "listed for dora and counts for nobody" in check_up(world.home, world.ledger).signers
    for file in ("runner", "runner.pub"):
        (world.home.keys / file).unlink()
    assert machine_key(world.home.keys).fingerprint != own.fingerprint
    assert "listed for dora" in check_up(world.home, world.ledger).signers
    assert operator_roots(world.home).why_not(own.fingerprint, "dora", world.ledger.now()) == "is the home's own and speaks for nobody"
    world.home.signers.unlink()
    assert "does not exist" in check_up(world.home, world.ledger).signers


def test_a_name_that_the_operator_spells_otherwise_than_the_list_is_told(world) -> None:
    """Somebody with a role was misspelt, and releases were refused for want of a person without a word on whom."""
    (world.home.root / "operator.yaml").write_text("runners: [runner, stewart]\nroles: {law: [ann, alcie], methods: [alcie]}\n")
    assert check_up(world.home, world.ledger).signers == (
        "operator.yaml names alcie, stewart, and no line of signers does: correct the name, or add a line."
    )
    (world.home.root / "operator.yaml").write_text("runners: [runner]\nroles: {law: [ann]}\n")
    assert check_up(world.home, world.ledger).signers == ""
