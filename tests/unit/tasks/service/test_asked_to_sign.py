"""A service that lies gets no other statement signed than the one that the person asked for."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from headgate.core.errors import TransitionRefused
from tasks.service.asked_to_sign import Cosign, Decide, Seal, require_wished

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
CANDIDATE, OTHER, POLICY, REASON = "ab" * 32, "cd" * 32, "ef" * 32, "12" * 32
HOME = "SHA256:" + "A" * 43
WISH = Decide("approve", CANDIDATE[:12], REASON)


def written(document: dict[str, Any]) -> bytes:
    """Canonical JSON, as long as there are no floats in it and all of it is ASCII."""
    return json.dumps(document, sort_keys=True, separators=(",", ":")).encode()


def statement(kind: str, subject: dict[str, str], predicate: dict[str, Any]) -> dict[str, Any]:
    return {
        "_type": "https://in-toto.io/Statement/v1",
        "predicate": predicate,
        "predicateType": f"urn:headgate:{kind}:1",
        "subject": [{"digest": {"sha256": digest}, "name": name} for name, digest in subject.items()],
    }


def decision(kind: str = "approval", subject: str = CANDIDATE, **changes: str) -> dict[str, Any]:
    said = {
        "action": "approve",
        "at": NOW.isoformat(),
        "candidate": CANDIDATE,
        "dataset": "people",
        "policy_digest": POLICY,
        "principal": "ann",
        "reason_sha256": REASON,
        "release": "0011223344556677",
    }
    return statement(kind, {"manifest.json": subject}, said | changes)


def test_what_was_asked_for_is_signed_by_candidate_or_by_release() -> None:
    require_wished(written(decision()), WISH, NOW)
    require_wished(written(decision()), Decide("approve", CANDIDATE.upper(), REASON), NOW + timedelta(minutes=59))
    withdrawn = written(decision("withdrawal", action="withdraw"))
    require_wished(withdrawn, Decide("withdraw", "0011223344556677", REASON), NOW)
    abandoned = statement("operation", {"policy": POLICY}, decision(action="abandon", candidate="")["predicate"])
    require_wished(written(abandoned), Decide("abandon", "0011223344556677", REASON), NOW)


@pytest.mark.parametrize(
    ("said", "why"),
    [
        (decision(action="reject"), "another action"),
        (decision(candidate=OTHER, subject=OTHER), "another candidate"),
        (decision(subject=OTHER), "another candidate"),
        (decision(candidate=""), "another candidate"),
        (decision(reason_sha256=OTHER), "another reason"),
        (decision(at=(NOW + timedelta(hours=2)).isoformat()), "a moment that is not now"),
        (decision(at=(NOW - timedelta(days=3)).isoformat()), "a moment that is not now"),
        (decision("withdrawal", action="withdraw"), "another kind"),
        (decision("operation", action="resume"), "another kind"),
        (statement("candidate", {"manifest.json": CANDIDATE}, {"dataset": "people", "policy": POLICY, "release": "r"}), "another kind"),
        (statement("cosigned-head", {"head": OTHER}, {"at": "x", "hash": OTHER, "release": "r", "seq": 1}), "another kind"),
        ({**decision(), "more": 1}, "not a statement"),
        ({"amount": 100}, "not a statement"),
    ],
)
def test_nothing_else_is_signed_for_an_approval(said: dict[str, Any], why: str) -> None:
    with pytest.raises(TransitionRefused, match=why):
        require_wished(written(said), WISH, NOW)


@pytest.mark.parametrize(
    "spelt",
    [
        lambda text: text.replace(b'"action":"approve"', b'"action":"reject","action":"approve"'),
        lambda text: text + b"\n",
        lambda text: text.replace(b":", b": "),
        lambda text: b"[" * 100_000,
        lambda text: b"\xff",
    ],
)
def test_a_statement_that_two_readers_could_take_differently_is_not_signed(spelt: Callable[[bytes], bytes]) -> None:
    with pytest.raises(TransitionRefused):
        require_wished(spelt(written(decision())), WISH, NOW)


def test_a_name_too_short_to_mean_one_candidate_is_not_enough() -> None:
    with pytest.raises(TransitionRefused, match="another candidate"):
        require_wished(written(decision()), Decide("approve", "", REASON), NOW)


def test_a_release_is_signed_for_the_policy_that_was_sent_only() -> None:
    sealed = statement("candidate", {"manifest.json": OTHER}, {"dataset": "people", "home": HOME, "policy": POLICY, "release": "r"})
    require_wished(written(sealed), Seal("people", POLICY, HOME), NOW)
    wrong = (
        (Seal("people", OTHER, HOME), "policy"),
        (Seal("others", POLICY, HOME), "dataset"),
        (Seal("people", POLICY, "SHA256:x"), "home"),
    )
    for wish, why in wrong:
        with pytest.raises(TransitionRefused, match=f"another {why}"):
            require_wished(written(sealed), wish, NOW)
    with pytest.raises(TransitionRefused, match="another kind"):
        require_wished(written(decision()), Seal("people", POLICY, HOME), NOW)


def test_a_cosigned_head_is_nothing_but_a_head() -> None:
    head = {"at": "2026-03-01T12:00:00+00:00", "hash": OTHER, "release": "r", "seq": 7}
    require_wished(written(statement("cosigned-head", {"head": OTHER}, head)), Cosign(), NOW)
    for said in (statement("cosigned-head", {"head": POLICY}, head), statement("head", {"head": OTHER}, head), decision()):
        with pytest.raises(TransitionRefused, match="another kind"):
            require_wished(written(said), Cosign(), NOW)
