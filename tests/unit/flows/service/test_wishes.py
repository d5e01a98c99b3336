from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from flows.service.wishes import wish_of
from tasks.reading.references import load_policy
from tasks.service.asked_to_sign import Cosign, Decide, Seal
from tests.unit.flows.schedules.test_scheduled_policies import written

SALT = "ab" * 32


@pytest.mark.parametrize(("name", "action"), [("approve", "approve"), ("request_changes", "request-changes"), ("reject", "reject")])
def test_a_decision_is_wished_for_the_candidate_that_was_named_with_the_reason_that_was_typed(name: str, action: str) -> None:
    digest = hashlib.sha256(f"{SALT}\nfine".encode()).hexdigest()
    assert wish_of(name, {"candidate": "abcdef0123", "reason": " fine\n"}, SALT) == Decide(action, "abcdef0123", digest)


@pytest.mark.parametrize("name", ["withdraw", "resume", "abandon"])
def test_what_is_named_by_its_release_is_wished_for_that(name: str) -> None:
    digest = hashlib.sha256(f"{SALT}\n".encode()).hexdigest()
    assert wish_of(name, {"release": "0011", "reason": None}, SALT) == Decide(name, "0011", digest)


def test_a_release_is_wished_for_the_policy_as_it_is_read_here(tmp_path: Path) -> None:
    policy = written(tmp_path, "policy.yaml", "people")
    assert wish_of("release", {"policy": policy}, SALT) == Seal("people", load_policy(policy).digest)


def test_an_auditor_wishes_for_the_head() -> None:
    assert wish_of("audit cosign", {}, SALT) == Cosign()
