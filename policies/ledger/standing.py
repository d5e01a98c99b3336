"""A release as its events have made it, and who has agreed to it."""

from __future__ import annotations

import datetime
from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace

from policies.ledger.states import State
from policies.sealed.manifest import SealedRole, Signer
from policies.words.publication_moment import PublicationMoment
from policies.words.quorum import Quorum


@dataclass(frozen=True)
class Decision:
    """One signed approval, request for changes or rejection. `roles`: those that the signer held when they signed."""

    signer: Signer
    approves: bool
    at: str
    roles: tuple[str, ...] = ()


@dataclass(frozen=True)
class Release:
    """The fold of a release's events. It is not stored, but folded again each time."""

    release_id: str
    dataset: str
    policy_digest: str
    runner: Signer
    machine: str = ""
    registered: str = ""
    started: str = ""
    state: State = State.RUNNING
    seen: frozenset[str] = frozenset({"run_started"})
    gates_passed: bool = False
    source_hmac: str = ""
    candidate: str = ""
    required: int = 0
    roles: tuple[SealedRole, ...] = ()
    signers: tuple[Signer, ...] = ()
    signers_digest: str = ""
    deadline: str | None = None
    not_before: PublicationMoment | None = None
    blind: bool = False
    answers: tuple[str, ...] = ()
    series: tuple[str, ...] | None = None
    decisions: tuple[Decision, ...] = ()
    version: int | None = None
    target: str = ""
    settled: bool = False  # nothing of the publication, or of the withdrawal after it, is left to do
    superseded_by: str = ""
    purged: str = ""  # when an operator, or the policy's rule, dropped who was in which group of it
    mlflow_run_id: str = ""
    events: int = 1

    @property
    def due(self) -> datetime.datetime | None:
        """From when on it may be published, by what was sealed and recorded alone. None: at once, or not approved."""
        return self.due_by(self.quorum)

    def due_by(
        self, quorum: Quorum, revoked: Collection[str] = (), held: Mapping[str, Collection[str]] | None = None
    ) -> datetime.datetime | None:
        """The first moment after the approval that was still missing, of those that count: what was agreed to by a key that is void by now
        has set no moment."""
        if self.not_before is None:
            return None
        for place, decision in enumerate(self.decisions, 1):
            if not quorum.missing(replace(self, decisions=self.decisions[:place]).agreeing(revoked, held)):
                return self.not_before.first_after(datetime.datetime.fromisoformat(decision.at))
        return None

    @property
    def came_out(self) -> bool:
        """Whether anybody may have a copy of it. It may be in place before an event says so, and a withdrawal brings no copy back."""
        return "publishing" in self.seen

    @property
    def ended_unpublished(self) -> bool:
        """Whether a candidate came to nothing: nobody has it, and nobody will."""
        return not self.came_out and self.state not in (State.RUNNING, State.AWAITING_APPROVAL, State.APPROVED)

    def overtaken_by(self, out: Collection[str]) -> bool:
        """Whether one of these candidates of its dataset came out that it was not measured with, so that it never may. `out`: without
        its own."""
        return self.series is not None and not set(out) <= set(self.series)

    @property
    def decided(self) -> str:
        """Under what the statements about it are kept: the candidate, or the run that has none."""
        return self.candidate or self.release_id

    @property
    def approvals(self) -> tuple[Decision, ...]:
        return tuple(decision for decision in self.decisions if decision.approves)

    @property
    def hides_votes(self) -> bool:
        """Whoever may still sign must not be swayed: who has agreed, as what and why is shown to nobody, only how many."""
        return self.blind and self.state is State.AWAITING_APPROVAL

    def is_runner(self, signer: Signer) -> bool:
        """By name or by key: a runner under another name, or with another key, is still the runner. So is the machine that ran it."""
        return signer.principal in self.runner_names or signer.fingerprint in {self.runner.fingerprint, self.machine}

    def is_sealed(self, signer: Signer) -> bool:
        return signer in self.signers

    @property
    def runner_names(self) -> frozenset[str]:
        """Everybody whose key ran it, by name."""
        keys = {self.runner.fingerprint, self.machine}
        return frozenset({self.runner.principal, *(sealed.principal for sealed in self.signers if sealed.fingerprint in keys)})

    def has_part(self, principal: str) -> bool:
        """Whether somebody may sign its candidate, or has run it."""
        return principal in self.runner_names or any(principal == sealed.principal for sealed in self.signers)

    def may_still_sign(self, principal: str) -> bool:
        """Whether their approval could still be one more: who has agreed already, or ran it, has no vote left to be swayed."""
        listed = principal not in self.runner_names and any(principal == sealed.principal for sealed in self.signers)
        return listed and all(decision.signer.principal != principal for decision in self.approvals)

    def hides_comment(self, author: str, reader: str) -> bool:
        """While votes are hidden, whoever may still sign reads what who ran it wrote, and their own: a comment that disappeared when its
        author signed would tell that they have."""
        return self.hides_votes and self.may_still_sign(reader) and author != reader and author not in self.runner_names

    @property
    def quorum(self) -> Quorum:
        """Who had to agree when the candidate was sealed."""
        return Quorum(max(1, self.required), {sealed.role: sealed.number for sealed in self.roles})

    def missing(self) -> Counter[str]:
        """What its quorum still needs, by what was sealed and recorded alone."""
        return self.quorum.missing(self.agreeing())

    def agreeing(self, revoked: Collection[str] = (), held: Mapping[str, Collection[str]] | None = None) -> dict[str, tuple[str, ...]]:
        """Whose approvals count, and which roles each can fill.

        They count by sealed keys that are not revoked, never by the runner. One person counts once, one key counts once. Who fills a role
        held it when the candidate was sealed and when they signed and, where `held` says what everybody holds now, still holds it."""
        sealed = {role.role: role.people for role in self.roles}
        people: dict[str, tuple[str, ...]] = {}
        keys: set[str] = set()
        for decision in self.approvals:
            signer = decision.signer
            if not self.is_sealed(signer) or self.is_runner(signer) or signer.fingerprint in revoked:
                continue
            if signer.principal in people or signer.fingerprint in keys:
                continue
            now = decision.roles if held is None else held.get(signer.principal, ())
            people[signer.principal] = tuple(role for role in decision.roles if signer.principal in sealed.get(role, ()) and role in now)
            keys.add(signer.fingerprint)
        return people

    def awaited(self) -> dict[str, tuple[str, ...]]:
        """Whose signature would give something of what is missing, and the roles that they held when it was sealed; while votes are
        hidden, everybody who may sign."""
        signed = {} if self.hides_votes else self.agreeing()
        missing = self.quorum.missing(signed).total()
        held = {
            signer.principal: tuple(role.role for role in self.roles if signer.principal in role.people)
            for signer in self.signers
            if not self.is_runner(signer) and signer.principal not in signed
        }
        return {who: roles for who, roles in held.items() if self.quorum.missing({**signed, who: roles}).total() < missing}

    def standing(self, revoked: Collection[str] = ()) -> int:
        """The number of people whose approvals count."""
        return len(self.agreeing(revoked))
