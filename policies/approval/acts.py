"""What the rules decide about: who acts in which role, what they want to do, and what the operator demands."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from policies.ledger.events import CandidateSealed, NothingNew, ReleaseRefused, RunFailed
from policies.ledger.states import Action, ActorRole
from policies.sealed.manifest import Signer
from policies.words.quorum import Quorum


@dataclass(frozen=True)
class Actor:
    """Who acts, in which role. The caller has checked the signature; `fingerprint` is the key it was made with."""

    principal: str
    fingerprint: str
    role: ActorRole

    @property
    def signer(self) -> Signer:
        return Signer(principal=self.principal, fingerprint=self.fingerprint)


@dataclass(frozen=True)
class OperatorRules:
    """What the operator demands now, whatever the policy said: at least `floor`, and nobody's word by a revoked key. `held`: the roles that
    each person holds now."""

    floor: Quorum = field(default_factory=Quorum)
    revoked: frozenset[str] = frozenset()  # fingerprints, keys no longer valid among them
    held: Mapping[str, Collection[str]] = field(default_factory=dict)


@dataclass(frozen=True)
class Act:
    """What is to be done. `candidate` and `policy_digest` are those that were read and signed; `event` is what a run's end reports; `out`
    are the candidates of the dataset's other versions that came out."""

    action: Action
    candidate: str = ""
    policy_digest: str = ""
    reason: str = ""
    statement_sha256: str = ""
    reason_sha256: str = ""
    target: str = ""
    version: int = 0
    attestation_sha256: str = ""
    superseded_by: str = ""
    out: tuple[str, ...] = ()
    kept: bool = False  # whether the home keeps who was in which group
    rule: str = ""  # of the policy, by which that is dropped now
    error: str = ""
    comment: str = ""
    comment_sha256: str = ""
    file_sha256: str = ""
    event: CandidateSealed | ReleaseRefused | RunFailed | NothingNew | None = None
