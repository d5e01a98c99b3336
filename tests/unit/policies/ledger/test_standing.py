"""Approvals that count, whatever was recorded: the fold refuses to record them twice, and `standing` does not rely on it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from policies.ledger.standing import Decision, Release
from policies.ledger.states import State
from policies.sealed.manifest import SealedRole, Signer

AT = "2026-03-01T12:00:00+00:00"
RUNNER = Signer(principal="rita", fingerprint="SHA256:rita")
ANN, ANN_SECOND, ANNA = (
    Signer(principal=name, fingerprint=f"SHA256:{key}") for name, key in (("ann", "ann"), ("ann", "second"), ("anna", "ann"))
)
BOB, EVE = (Signer(principal=name, fingerprint=f"SHA256:{name}") for name in ("bob", "eve"))
RITA_SECOND = Signer(principal="rita", fingerprint="SHA256:other")


def standing(*signers: Signer, approves: bool = True, revoked: tuple[str, ...] = ()) -> int:
    release = Release(
        "r1",
        "clinic",
        "a" * 64,
        RUNNER,
        signers=(ANN, ANN_SECOND, ANNA, BOB, RUNNER, RITA_SECOND),
        decisions=tuple(Decision(signer, approves, AT) for signer in signers),
    )
    return release.standing(revoked)


def test_two_people_with_a_key_each_are_two() -> None:
    assert standing(ANN, BOB) == 2


@pytest.mark.parametrize("signers", [(ANN, ANN), (ANN, ANN_SECOND), (ANN, ANNA)], ids=["twice", "two keys", "two names"])
def test_one_person_counts_once_and_one_key_counts_once(signers: tuple[Signer, Signer]) -> None:
    assert standing(*signers) == 1


@pytest.mark.parametrize("signer", [RUNNER, RITA_SECOND, EVE], ids=["the runner", "the runner's other key", "a stranger"])
def test_who_may_not_approve_does_not_count(signer: Signer) -> None:
    assert standing(ANN, signer) == 1


def test_neither_the_person_who_registered_a_schedule_nor_its_machine_approves_under_any_name_or_key() -> None:
    machine, machines_other = Signer(principal="cron", fingerprint="SHA256:machine"), Signer(principal="cron", fingerprint="SHA256:spare")
    release = Release(
        "r1", "clinic", "a" * 64, RUNNER, machine="SHA256:machine", signers=(ANN, RUNNER, RITA_SECOND, machine, machines_other)
    )
    assert [release.is_runner(signer) for signer in release.signers] == [False, True, True, True, True]
    assert not replace(release, machine="").is_runner(machine)


def test_rejections_and_revoked_keys_do_not_count() -> None:
    assert standing(ANN, BOB, approves=False) == 0
    assert standing(ANN, BOB, revoked=(BOB.fingerprint,)) == 1


def test_a_role_is_filled_by_who_held_it_when_sealed_when_signing_and_now() -> None:
    release = Release(
        "r1",
        "clinic",
        "a" * 64,
        RUNNER,
        required=2,
        roles=(SealedRole(role="law", number=1, people=("ann", "bob")),),
        signers=(ANN, BOB),
        decisions=(Decision(ANN, True, AT, ("law", "press")), Decision(BOB, True, AT)),
    )
    assert release.agreeing() == {"ann": ("law",), "bob": ()}
    assert release.agreeing(held={"ann": (), "bob": ("law",)}) == {"ann": (), "bob": ()}
    assert not release.missing()
    assert Release("r1", "clinic", "a" * 64, RUNNER, required=1, roles=release.roles).missing() == {"law": 1}


@pytest.mark.parametrize("state", list(State))
def test_votes_are_hidden_only_of_a_blind_candidate_that_awaits_them(state: State) -> None:
    release = Release("r1", "clinic", "a" * 64, RUNNER, state=state, blind=True)
    assert release.hides_votes is (state is State.AWAITING_APPROVAL)
    assert not Release("r1", "clinic", "a" * 64, RUNNER, state=state).hides_votes


def test_comments_of_others_are_hidden_from_those_who_may_still_sign_a_blind_candidate() -> None:
    """What is hidden does not depend on who has signed: a comment that disappeared with its author's vote would tell of it."""
    before = Release("r1", "clinic", "a" * 64, RUNNER, state=State.AWAITING_APPROVAL, signers=(ANN, BOB, RUNNER), required=2, blind=True)
    after = replace(before, decisions=(Decision(ANN, True, AT),))
    for release in (before, after):
        hidden = {author: release.hides_comment(author, "bob") for author in ("ann", "bob", "rita")}
        assert hidden == {"ann": True, "bob": False, "rita": False}
        assert not any(release.hides_comment(author, "rita") for author in ("ann", "bob", "rita"))
    assert before.hides_comment("bob", "ann")
    assert not after.hides_comment("bob", "ann")  # who has signed cannot be swayed
    for shown in (replace(before, blind=False), replace(before, state=State.APPROVED)):
        assert not shown.hides_comment("ann", "bob")


def test_who_has_part_in_a_candidate_may_sign_it_or_ran_it() -> None:
    release = Release("r1", "clinic", "a" * 64, RUNNER, signers=(ANN, BOB))
    assert [release.has_part(name) for name in ("rita", "ann", "bob", "eve")] == [True, True, True, False]


def test_awaited_is_whoever_could_give_something_of_what_is_missing() -> None:
    law = SealedRole(role="law", number=1, people=("ann", "bob"))
    release = Release("r1", "clinic", "a" * 64, RUNNER, required=2, roles=(law,), signers=(ANN, BOB, EVE, RUNNER))
    assert release.awaited() == {"ann": ("law",), "bob": ("law",), "eve": ()}
    signed = replace(release, decisions=(Decision(EVE, True, AT),))
    assert signed.awaited() == {"ann": ("law",), "bob": ("law",)}
    signed = replace(release, decisions=(Decision(ANN, True, AT, ("law",)),))
    assert signed.awaited() == {"bob": ("law",), "eve": ()}
    hidden = replace(signed, blind=True, state=State.AWAITING_APPROVAL)
    assert hidden.awaited() == release.awaited()
