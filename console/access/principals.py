"""What operator.yaml and the list of signers make of a principal. An account by itself only reads."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from headgate.core.errors import HeadgateError
from policies.ledger.states import ActorRole
from tasks.approval.operator_demands import operator_demands
from tasks.runtime.home import Home
from tasks.signing.revocation import REVOKED
from tasks.signing.trust_roots import TrustRoots, trust_roots


@dataclass(frozen=True)
class Person:
    """`roles`: what the table of transitions calls them. `held`: the operator's roles, such as data-protection."""

    principal: str
    roles: frozenset[ActorRole] = frozenset({ActorRole.READER})
    held: tuple[str, ...] = ()

    @property
    def approves(self) -> bool:
        return ActorRole.APPROVER in self.roles

    @property
    def operates(self) -> bool:
        return ActorRole.OPERATOR in self.roles

    @property
    def runs(self) -> bool:
        return ActorRole.RUNNER in self.roles


@dataclass(frozen=True)
class People:
    """Whom the operator's files name at one moment."""

    signers: tuple[str, ...] = ()
    runners: tuple[str, ...] = ()
    operators: tuple[str, ...] = ()
    held: tuple[tuple[str, tuple[str, ...]], ...] = ()

    @property
    def everybody(self) -> tuple[str, ...]:
        return tuple(sorted({*self.signers, *self.runners, *self.operators, *(person for person, _ in self.held)}))

    def person(self, principal: str) -> Person:
        names = {
            ActorRole.APPROVER: self.signers,
            ActorRole.RUNNER: self.runners,
            ActorRole.OPERATOR: self.operators,
            ActorRole.CUSTODIAN: self.signers,
        }
        roles = {role for role, people in names.items() if principal in people}
        return Person(principal, frozenset({ActorRole.READER, *roles}), dict(self.held).get(principal, ()))


def people_now(home: Home, now: datetime) -> People:
    """Nobody where the list of signers cannot be believed; where no file says who runs, everybody who signs may."""
    try:
        signers = public_roots(home).people(now)
    except HeadgateError:
        signers = ()
    demands = operator_demands(home)
    runners, operators = demands.operator.runners, demands.operators
    return People(
        signers,
        signers if runners is None else runners,
        signers if operators is None else operators,
        tuple(sorted(demands.operator.held.items())),
    )


def public_roots(home: Home) -> TrustRoots:
    """The operator's signers and revoked keys; of the home's own keys only the public halves are read."""
    from tasks.signing.home_keys import public_fingerprints

    return trust_roots(home.signers, home.root / REVOKED, public_fingerprints(home.keys))
