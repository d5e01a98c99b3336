"""What the operator demands, as operator.yaml says it now. Without that file the strictest reading holds."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime

from headgate.attacks.success import people_counted
from headgate.core.errors import InputRejected, Refusal, TransitionRefused
from headgate.core.units import counted
from policies.approval.acts import OperatorRules
from policies.schema.operator_file import Floor, Operator
from policies.sealed.manifest import SealedRole, Signer
from policies.words.quorum import Quorum, in_words
from tasks.runtime.home import Home
from tasks.runtime.operator_settings import OPERATOR_FILE, read_operator
from tasks.signing.public_keys import PublicKey
from tasks.signing.trust_roots import TrustRoots

FLOOR_ELSEWHERE = 2  # approvals for what leaves the home's own store, where the operator has said nothing


@dataclass(frozen=True)
class Demands:
    """`digest`: SHA-256 of the file; empty where none is there."""

    operator: Operator
    digest: str = ""

    @property
    def operators(self) -> tuple[str, ...] | None:
        """Who may resume, abandon and purge; None: everybody on the operator's own list."""
        return self.operator.runners if self.operator.operators is None else self.operator.operators

    @property
    def floor(self) -> Quorum:
        return self.operator.floor.quorum

    def rules(self, revoked: frozenset[str] = frozenset()) -> OperatorRules:
        """For a decision now. `revoked`: fingerprints whose signatures do not count."""
        return OperatorRules(self.floor, revoked, self.operator.held)

    def required_roles(self, quorum: Quorum, signers: Collection[str]) -> tuple[SealedRole, ...]:
        """The roles of a quorum with those who hold them now and may sign; who else holds them is nobody's business."""
        holders = {
            role: tuple(person for person in self.operator.roles.get(role, ()) if person in signers) for role in sorted(quorum.roles)
        }
        return tuple(SealedRole(role=role, number=quorum.roles[role], people=people) for role, people in holders.items())

    def require_reachable(self, quorum: Quorum, people: Collection[str], own_signers: bool) -> None:
        """That these people, who may sign, can be such a quorum: better to hear it before the work than after. Whoever writes a list of
        signers could write anybody's name there, so that roles are filled by people of the operator's list only."""
        if own_signers and quorum.roles:
            raise InputRejected(
                f"The role {min(quorum.roles)} is required, and the policy names signers of its own, who can fill no role.",
                "Remove approval.signers from the policy; the people of the operator's list then sign.",
            )
        unheld = sorted(role for role in quorum.roles if role not in self.operator.roles)
        if unheld:
            raise InputRejected(
                f"The role {unheld[0]} is required, and nobody holds it.",
                f"The operator names who does in {OPERATOR_FILE} (roles: {{{unheld[0]}: [NAME, …]}}); or remove it from approval.roles.",
            )
        held = self.operator.held
        missing = quorum.missing({person: held.get(person, ()) for person in people})
        if len(people) < quorum.approvals:
            raise InputRejected(
                f"{counted(quorum.approvals, 'approval')} {'is' if quorum.approvals == 1 else 'are'} required, and "
                f"{people_counted(len(people))} besides the runner may give one.",
                "Add people to the signers file, run with another key, or lower approval.required.",
            )
        if missing:
            raise InputRejected(
                f"Besides the runner too few people may sign: {in_words(missing)} would be needed, since nobody fills two roles.",
                f"The operator adds people to signers and, under the same name, to roles in {OPERATOR_FILE}; or run with another key.",
            )

    def require_target(self, target: str) -> None:
        """Where the operator names targets, there are no others."""
        if self.operator.targets and target not in self.operator.targets:
            raise TransitionRefused(
                [Refusal("target", f"{target} is not a target of {OPERATOR_FILE}")],
                f"Name one of these in publish.to: {', '.join(self.operator.targets)}; or the operator adds it to `targets`.",
            )

    def why_no_passkey(self, key: PublicKey, origin: str | None) -> str:
        """Why a passkey does not count, as the end of a sentence; empty if it does, or if it is a key of another kind."""
        passkeys = self.operator.passkeys
        if origin is None:
            return ""
        if passkeys is None:
            return f"is a passkey, and {OPERATOR_FILE} names no site whose passkeys count (passkeys: {{rp: …, origins: […]}})"
        if key.application != passkeys.rp or origin not in passkeys.origins:
            return f"is a passkey of a site that {OPERATOR_FILE} does not name"
        return ""

    def require_no_policy_signers(self) -> None:
        """Signers that come with a policy count only where the operator has said so."""
        if not self.operator.policy_signers:
            raise TransitionRefused(
                [Refusal("policy_signers", "the policy names signers of its own, and the operator does not allow that")],
                f"Remove approval.signers from the policy; or the operator writes policy_signers: true in {OPERATOR_FILE}.",
            )


def operator_demands(home: Home) -> Demands:
    said = read_operator(home.root)
    if said is None:
        return Demands(Operator(floor=Floor(approvals=FLOOR_ELSEWHERE if home.publishes_elsewhere else 1)))
    return Demands(*said)


def require_runner(key: PublicKey, roots: TrustRoots, demands: Demands, now: datetime) -> Signer:
    """Who runs with this key: somebody on the operator's own list, under the name there, so that nobody can run as one and approve as
    another. A list that comes with a policy could give anybody's name to any key."""
    return _require_listed(key, roots, demands.operator.runners, now, "runner", "run releases")


def require_operator(key: PublicKey, roots: TrustRoots, demands: Demands, now: datetime) -> Signer:
    """Who unsticks releases with this key: somebody on the operator's own list, whom `operators` names, or else `runners`."""
    return _require_listed(key, roots, demands.operators, now, "operator", "resume, abandon and purge releases")


def _require_listed(key: PublicKey, roots: TrustRoots, people: Collection[str] | None, now: datetime, role: str, does: str) -> Signer:
    principal, listing = roots.principal_of(key.fingerprint), f'NAME namespaces="headgate" {key.line}'
    why_not, otherwise = roots.why_not(key.fingerprint, principal or "", now), ""
    if key.fingerprint in roots.own:
        why_not, listing = f"the key that was given {why_not}", ""
    elif principal is None:
        why_not = f"nobody on the list of signers has the key that was given ({key.fingerprint})"
    elif why_not:
        why_not = f"the key of {principal} {why_not}"
    elif people is not None and principal not in people:
        why_not, listing = f"{principal} is not among those who may {does}", ""
        otherwise = f" Otherwise the operator adds {principal} to the {role}s of {OPERATOR_FILE}."
    else:
        return Signer(principal=principal, fingerprint=key.fingerprint)
    cure = f"Give --key (or HEADGATE_KEY) with the key of somebody who may {does}."
    if listing:
        otherwise = " Otherwise the operator adds this line to signers, and the name to the "
        otherwise += f"{role}s of {OPERATOR_FILE}, if that lists any: {listing}"
    raise TransitionRefused([Refusal(role, why_not)], cure + otherwise)
