"""A release as its events have made it, and who has agreed to it."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from policies.ledger.states import State
from policies.sealed.manifest import Signer


@dataclass(frozen=True)
class Decision:
    """One signed approval or rejection."""

    signer: Signer
    approves: bool
    at: str


@dataclass(frozen=True)
class Release:
    """The fold of a release's events. It is not stored, but folded again each time."""

    release_id: str
    dataset: str
    policy_digest: str
    runner: Signer
    state: State = State.RUNNING
    seen: frozenset[str] = frozenset({"run_started"})
    gates_passed: bool = False
    source_hmac: str = ""
    candidate: str = ""
    required: int = 0
    signers: tuple[Signer, ...] = ()
    signers_digest: str = ""
    deadline: str | None = None
    decisions: tuple[Decision, ...] = ()
    version: int | None = None
    target: str = ""
    superseded_by: str = ""
    mlflow_run_id: str = ""
    events: int = 1

    @property
    def approvals(self) -> tuple[Decision, ...]:
        return tuple(decision for decision in self.decisions if decision.approves)

    def is_runner(self, signer: Signer) -> bool:
        """By name or by key: a runner under another name, or with another key, is still the runner."""
        return signer.principal == self.runner.principal or signer.fingerprint == self.runner.fingerprint

    def is_sealed(self, signer: Signer) -> bool:
        return signer in self.signers

    def standing(self, revoked: Collection[str] = ()) -> int:
        """Approvals that count: by sealed keys that are not revoked, never by the runner. One person counts once, one key counts once."""
        valid = [
            decision.signer
            for decision in self.approvals
            if self.is_sealed(decision.signer) and not self.is_runner(decision.signer) and decision.signer.fingerprint not in revoked
        ]
        return min(len({signer.principal for signer in valid}), len({signer.fingerprint for signer in valid}))
