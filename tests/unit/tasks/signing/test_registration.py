"""What lets a machine run a policy: signed, about this policy, this machine and this person, before the run."""

from __future__ import annotations

from typing import Any

import pytest

from headgate.core.errors import IntegrityBroken
from policies.sealed.manifest import Signer
from tasks.signing.registration import SignedRegistration, check_registration, read_registration, sign_registration
from tasks.signing.signatures import SCHEDULE, sign_statement, statement

AT = "2025-06-01T11:00:00+00:00"


@pytest.fixture
def said() -> SignedRegistration:
    return SignedRegistration(dataset="people", policy_digest="a" * 64, machine="SHA256:machine", place="b" * 64, principal="runner", at=AT)


@pytest.fixture
def manifest(made: Any, keys: Any) -> Any:
    runner = Signer(principal="runner", fingerprint=keys["runner"].fingerprint)
    return made.manifest.model_copy(update={"policy_digest": "a" * 64, "machine": "SHA256:machine", "runner": runner})


def test_a_registration_says_who_let_which_machine_run_what(said: SignedRegistration, keys: Any, manifest: Any) -> None:
    envelope = sign_registration(said, keys["runner"]).envelope
    read = read_registration(envelope, "It")
    assert (read.said, read.signer) == (said, Signer(principal="runner", fingerprint=keys["runner"].fingerprint))
    check_registration(envelope, manifest)


@pytest.mark.parametrize(
    "change",
    [
        {"dataset": "other"},
        {"policy_digest": "b" * 64},
        {"machine": "SHA256:other"},
        {"principal": "ann"},
        {"at": "2025-06-01T12:00:01+00:00"},
    ],
    ids=lambda change: next(iter(change)),
)
def test_a_registration_of_something_else_or_of_later_does_not_count(
    said: SignedRegistration, keys: Any, manifest: Any, change: dict[str, str]
) -> None:
    envelope = sign_registration(said.model_copy(update=change), keys["runner"]).envelope
    with pytest.raises(IntegrityBroken, match="does not let this machine run"):
        check_registration(envelope, manifest)


def test_a_registration_by_another_key_or_of_another_form_does_not_count(said: SignedRegistration, keys: Any, manifest: Any) -> None:
    with pytest.raises(IntegrityBroken, match="does not let this machine run"):
        check_registration(sign_registration(said, keys["bob"]).envelope, manifest)
    with pytest.raises(IntegrityBroken, match="does not say what was registered"):
        read_registration(sign_statement(statement({"policy": "a" * 64}, SCHEDULE, {}), keys["runner"]), "It")
    elsewhere = sign_statement(statement({"policy": "b" * 64}, SCHEDULE, said.model_dump(mode="json")), keys["runner"])
    with pytest.raises(IntegrityBroken, match="for another policy"):
        read_registration(elsewhere, "It")
    with pytest.raises(IntegrityBroken):
        read_registration(sign_registration(said, keys["runner"]).envelope.replace(b"SHA256", b"SHA257"), "It")
