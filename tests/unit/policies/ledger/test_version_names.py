"""Versions are called by number and date; one at another target is not named there."""

from __future__ import annotations

from dataclasses import replace

from policies.approval.acts import Actor
from policies.ledger.states import Action, ActorRole, State
from policies.ledger.version_names import version_names
from tests.unit.policies.approval.acting import ANN, RELEASES, accepted


def test_a_version_has_the_number_of_its_target_and_one_elsewhere_has_none() -> None:
    published = RELEASES[State.PUBLISHED]
    day = published.started[:10]
    elsewhere = replace(published, target="inner-circle", version=7, candidate="e" * 64)
    names = version_names([published, elsewhere], published.target)
    assert names == {published.candidate: f"version 1 of {day}", "e" * 64: f"a version of {day} that was published elsewhere"}


def test_a_withdrawn_version_is_called_so() -> None:
    withdrawn = accepted(RELEASES[State.PUBLISHED], Action.WITHDRAW, Actor(ANN.principal, ANN.fingerprint, ActorRole.CUSTODIAN))
    (name,) = version_names([withdrawn], withdrawn.target).values()
    assert name.endswith(" (withdrawn)")
