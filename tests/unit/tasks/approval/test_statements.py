from __future__ import annotations

import json

import pytest

from headgate.core.errors import IntegrityBroken
from tasks.approval.approvals import decisions_folder, kept_envelope
from tasks.approval.decisions import approve
from tasks.approval.statements import check_decision


def test_the_stored_statement_says_who_decided_what_about_which_bytes(world) -> None:
    import base64

    candidate = world.seal()
    decided = approve(world.home, world.ledger, candidate.id, world.keys["ann"], "read the report")
    envelope = json.loads((decisions_folder(world.home, candidate.id) / f"{decided.statement_sha256}.dsse.json").read_bytes())
    said = json.loads(base64.b64decode(envelope["payload"]))
    assert said["subject"] == [{"name": "manifest.json", "digest": {"sha256": candidate.id}}]
    assert said["predicate"]["policy_digest"] == candidate.manifest.policy_digest
    assert (said["predicate"]["principal"], said["predicate"]["action"]) == ("ann", "approve")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"reason_sha256": "9" * 64}, "something else"),
        ({"at": "2026-01-01T00:00:00+00:00"}, "something else"),
        ({"policy_digest": "9" * 64}, "something else"),
        ({"candidate": "9" * 64}, "another candidate"),
        ({"statement_sha256": "9" * 64}, "not the decision that the ledger recorded"),
    ],
    ids=lambda value: next(iter(value)) if isinstance(value, dict) else "",
)
def test_an_envelope_that_does_not_say_what_its_event_says_does_not_hold(world, change: dict[str, str], message: str) -> None:
    candidate = world.seal()
    decided = approve(world.home, world.ledger, candidate.id, world.keys["ann"], "read the report")
    (event,) = [event for event in world.ledger.events_of("release-1") if event.event == "approved"]
    envelope = kept_envelope(world.home, candidate.id, decided.statement_sha256)
    assert check_decision(envelope, event, "people", "The approval").principal == "ann"
    with pytest.raises(IntegrityBroken, match=message):
        check_decision(envelope, event.model_copy(update=change), "people", "The approval")
    with pytest.raises(IntegrityBroken, match="something else"):
        check_decision(envelope, event, "others", "The approval")


def test_an_envelope_signed_by_another_key_than_recorded_does_not_hold(world) -> None:
    candidate = world.seal()
    decided = approve(world.home, world.ledger, candidate.id, world.keys["ann"], "read the report")
    (event,) = [event for event in world.ledger.events_of("release-1") if event.event == "approved"]
    bob = event.signer.model_copy(update={"fingerprint": world.keys["bob"].fingerprint})
    with pytest.raises(IntegrityBroken, match="another key"):
        check_decision(
            kept_envelope(world.home, candidate.id, decided.statement_sha256), event.model_copy(update={"signer": bob}), "people", "It"
        )
