from __future__ import annotations

import dataclasses

import pytest

from policies.approval.acts import Act, Actor, OperatorRules
from policies.ledger.states import Action, ActorRole
from policies.sealed.manifest import Signer
from policies.words.quorum import Quorum


def test_an_actor_signs_under_name_and_key() -> None:
    assert Actor("ann", "SHA256:ann", ActorRole.APPROVER).signer == Signer(principal="ann", fingerprint="SHA256:ann")


def test_by_themselves_rules_ask_for_one_approval_and_revoke_nobody() -> None:
    assert (OperatorRules().floor, OperatorRules().revoked, OperatorRules().held) == (Quorum(1), frozenset(), {})


def test_what_was_asked_cannot_be_changed_while_it_is_decided() -> None:
    for asked, name in ((Act(Action.VIEW), "candidate"), (Actor("ann", "f", ActorRole.READER), "role"), (OperatorRules(), "floor")):
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(asked, name, "another")
