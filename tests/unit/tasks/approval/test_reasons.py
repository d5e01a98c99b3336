from __future__ import annotations

import hashlib

import pytest

from headgate.core.errors import IntegrityBroken
from tasks.approval.approvals import decisions_folder
from tasks.approval.decisions import approve
from tasks.approval.reasons import keep_reason, kept_reason, reason_file, salted
from tasks.signing.given_key import callers_key


def test_the_same_reason_has_another_digest_each_time() -> None:
    """A plain digest would let people confirm a guess of the reason."""
    one, two = salted("fine"), salted("fine")
    assert one.digest != two.digest
    assert len(one.salt) == 64
    assert hashlib.sha256(b"fine").hexdigest() not in (one.digest, two.digest)


def test_whoever_holds_their_key_elsewhere_chose_the_salt_and_knows_the_digest(world) -> None:
    ann = callers_key(world.keys["ann"].key, "ab" * 32, bytes)
    assert salted("fine", ann).digest == hashlib.sha256(b"ab" * 32 + b"\nfine").hexdigest()
    assert salted("fine", world.keys["ann"]).salt != salted("fine", world.keys["ann"]).salt


def test_the_file_that_is_kept_has_the_digest_that_is_signed(world) -> None:
    reason = salted("read it,\nall of it")
    keep_reason(world.home, "c" * 64, reason)
    content = (decisions_folder(world.home, "c" * 64) / reason_file(reason.digest)).read_bytes()
    assert hashlib.sha256(content).hexdigest() == reason.digest
    assert content == f"{reason.salt}\nread it,\nall of it".encode()
    assert kept_reason(world.home, "c" * 64, reason.digest) == reason


def test_a_reason_that_was_changed_or_is_gone_does_not_hold(world) -> None:
    reason = salted("fine")
    keep_reason(world.home, "c" * 64, reason)
    path = decisions_folder(world.home, "c" * 64) / reason_file(reason.digest)
    path.write_bytes(path.read_bytes().replace(b"fine", b"bad!"))
    with pytest.raises(IntegrityBroken, match="not the one that was signed"):
        kept_reason(world.home, "c" * 64, reason.digest)
    path.unlink()
    with pytest.raises(IntegrityBroken, match="missing"):
        kept_reason(world.home, "c" * 64, reason.digest)


def test_a_decision_keeps_its_reason_and_signs_the_digest(world) -> None:
    candidate = world.seal()
    approve(world.home, world.ledger, candidate.id, world.keys["ann"], " read the report ")
    (event,) = [event for event in world.ledger.events_of("release-1") if event.event == "approved"]
    assert kept_reason(world.home, candidate.id, event.reason_sha256).text == "read the report"
    assert "read the report" not in "".join(entry.payload for entry in world.ledger.entries())
