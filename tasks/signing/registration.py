"""Who lets a machine run a policy on its schedule: a statement that somebody who may run it has signed, over the policy's digest and the
machine's key. It lies in the home for the runs to come, and in each candidate that a run made."""

from __future__ import annotations

from dataclasses import dataclass

from pydantic import ValidationError

from headgate.core.errors import IntegrityBroken
from policies.ledger.event_base import Digest, Moment
from policies.ledger.events import moment
from policies.sealed.manifest import Manifest, Signer
from policies.words.frozen import Frozen
from tasks.signing.keys import PrivateKey
from tasks.signing.public_keys import PublicKey
from tasks.signing.signatures import SCHEDULE, sign_statement, statement, verify_envelope

REGISTRATION = "registration.dsse.json"
SUBJECT = "policy"


class SignedRegistration(Frozen):
    """The predicate. `machine`: the fingerprint of the home's key. `place`: an HMAC by the home of where the policy lies."""

    dataset: str
    policy_digest: Digest
    machine: str
    place: Digest
    principal: str
    at: Moment


@dataclass(frozen=True)
class Registration:
    """The signature holds. Whether this person may still run it is asked at every run."""

    said: SignedRegistration
    key: PublicKey
    envelope: bytes

    @property
    def signer(self) -> Signer:
        return Signer(principal=self.said.principal, fingerprint=self.key.fingerprint)


def sign_registration(said: SignedRegistration, key: PrivateKey) -> Registration:
    envelope = sign_statement(statement({SUBJECT: said.policy_digest}, SCHEDULE, said.model_dump(mode="json")), key)
    return Registration(said, key.key, envelope)


def read_registration(envelope: bytes, what: str) -> Registration:
    """IntegrityBroken unless it is what somebody signed."""
    signed = verify_envelope(envelope, what, SCHEDULE)
    try:
        said = SignedRegistration.model_validate(signed.statement.predicate)
    except ValidationError:
        raise IntegrityBroken(f"{what} does not say what was registered.", "Register the policy again.") from None
    if signed.statement.digests != {SUBJECT: said.policy_digest}:
        raise IntegrityBroken(f"{what} was signed for another policy.", "Register the policy again.")
    return Registration(said, signed.key, envelope)


def check_registration(envelope: bytes, manifest: Manifest) -> None:
    """That the runner whom the manifest names let this machine run this policy, before it did."""
    registration = read_registration(envelope, REGISTRATION)
    said = registration.said
    claims = (manifest.runner, manifest.machine, manifest.policy_digest, manifest.dataset)
    if (registration.signer, said.machine, said.policy_digest, said.dataset) != claims or moment(said.at) > moment(manifest.created):
        raise IntegrityBroken(f"{REGISTRATION} does not let this machine run this policy for its runner.", "Run the release again.")
