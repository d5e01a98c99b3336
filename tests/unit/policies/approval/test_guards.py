"""Each guard by what it refuses."""

from __future__ import annotations

import datetime
from dataclasses import replace

import pytest

from policies.approval.acts import Actor, OperatorRules
from policies.approval.decide import Refused, decide
from policies.ledger.events import (
    RunFailed,
)
from policies.ledger.fold import fold
from policies.ledger.standing import Release
from policies.ledger.states import Action, ActorRole, State
from policies.ledger.transitions import READING, TRANSITIONS
from policies.sealed.manifest import SealedRole, Signer
from policies.words.publication_moment import PublicationMoment
from policies.words.quorum import Quorum
from tests.unit.policies.approval.acting import (
    ANN,
    APPROVE_ANN,
    APPROVE_BOB,
    BASE,
    BOB,
    CUSTODIAN,
    DEADLINE,
    EVE,
    NOW,
    OPERATOR,
    PUBLISHER,
    RELEASES,
    RUN,
    RUNNER,
    SIGNERS,
    D,
    accepted,
    act,
    actor,
    measured,
    refused,
    sealing,
)


def test_the_runner_never_approves_by_name_or_by_key() -> None:
    release = RELEASES[State.AWAITING_APPROVAL]
    for signer in (RUNNER, Signer(principal="rita", fingerprint="SHA256:new"), Signer(principal="mallory", fingerprint="SHA256:rita")):
        assert "not_the_runner" in refused(release, Action.APPROVE, actor(signer, ActorRole.APPROVER))


def test_one_person_counts_once_under_two_keys_and_one_key_once_under_two_names() -> None:
    twins = (ANN, Signer(principal="ann", fingerprint="SHA256:ann2"), Signer(principal="anna", fingerprint="SHA256:ann"))
    sealed = sealing().model_copy(update={"signers": twins})
    release = accepted(fold(measured()), Action.SEAL, RUN, event=sealed)
    release = accepted(release, Action.APPROVE, APPROVE_ANN)
    for twin in twins:
        assert refused(release, Action.APPROVE, actor(twin, ActorRole.APPROVER)) == {"not_decided_yet"}


def test_the_same_decision_twice_is_refused_and_a_change_of_mind_is_not() -> None:
    release = accepted(RELEASES[State.AWAITING_APPROVAL], Action.APPROVE, APPROVE_ANN)
    assert refused(release, Action.APPROVE, APPROVE_ANN) == {"not_decided_yet"}
    assert accepted(release, Action.REJECT, APPROVE_ANN).state is State.REJECTED


def test_a_key_that_was_not_sealed_or_is_revoked_does_not_count() -> None:
    release = RELEASES[State.AWAITING_APPROVAL]
    assert refused(release, Action.APPROVE, actor(EVE, ActorRole.APPROVER)) == {"sealed_key"}
    other_key = Actor("ann", "SHA256:other", ActorRole.APPROVER)
    assert refused(release, Action.APPROVE, other_key) == {"sealed_key"}
    assert refused(release, Action.APPROVE, APPROVE_ANN, rules=OperatorRules(revoked=frozenset({ANN.fingerprint}))) == {"key_not_revoked"}


def test_an_approval_whose_key_is_revoked_later_is_void_until_another_stands_in() -> None:
    carl = Signer(principal="carl", fingerprint="SHA256:carl")
    release = accepted(fold(measured()), Action.SEAL, RUN, event=sealing().model_copy(update={"signers": (*SIGNERS, carl)}))
    release = accepted(accepted(release, Action.APPROVE, APPROVE_ANN), Action.APPROVE, APPROVE_BOB)
    rules = OperatorRules(revoked=frozenset({BOB.fingerprint}))
    assert refused(release, Action.PUBLISH, PUBLISHER, rules=rules) == {"enough_approvals"}
    release = accepted(release, Action.APPROVE, actor(carl, ActorRole.APPROVER), rules=rules)
    assert accepted(release, Action.PUBLISH, PUBLISHER, rules=rules).state is State.PUBLISHING


def test_the_operators_floor_holds_back_what_the_policy_would_let_through() -> None:
    release = accepted(fold(measured()), Action.SEAL, RUN, event=sealing(required=1))
    release = accepted(release, Action.APPROVE, APPROVE_ANN)
    assert release.state is State.APPROVED
    assert refused(release, Action.PUBLISH, PUBLISHER, rules=OperatorRules(floor=Quorum(2))) == {"enough_approvals"}
    release = accepted(release, Action.APPROVE, APPROVE_BOB)
    assert accepted(release, Action.PUBLISH, PUBLISHER, rules=OperatorRules(floor=Quorum(2))).state is State.PUBLISHING
    assert "reported" in refused(fold(measured()), Action.SEAL, RUN, rules=OperatorRules(floor=Quorum(2)), event=sealing(required=1))


@pytest.mark.parametrize(
    "action", [Action.APPROVE, Action.REQUEST_CHANGES, Action.REJECT, Action.WITHDRAW, Action.PUBLISH, *sorted(READING)]
)
def test_a_decision_is_bound_to_the_candidate_and_the_policy_that_were_read(action: Action) -> None:
    state = State.APPROVED if action is Action.PUBLISH else State.AWAITING_APPROVAL
    role = next(row.role for row in TRANSITIONS if row.action is action)
    for changed in ({"candidate": D["f"]}, {"policy_digest": D["f"]}, {"candidate": ""}, {"policy_digest": ""}):
        assert refused(RELEASES[state], action, actor(ANN, role), **changed) == {"bound"}


@pytest.mark.parametrize("action", [Action.APPROVE, Action.REQUEST_CHANGES, Action.REJECT, Action.WITHDRAW])
def test_people_give_a_reason_of_a_readable_length_and_a_signature(action: Action) -> None:
    role = next(row.role for row in TRANSITIONS if row.action is action)
    release = RELEASES[State.AWAITING_APPROVAL]
    assert refused(release, action, actor(ANN, role), reason="") == {"reason"}
    assert refused(release, action, actor(ANN, role), reason="x" * 2001) == {"reason"}
    assert refused(release, action, actor(ANN, role), statement_sha256="yes") == {"signed"}


def test_after_the_deadline_nothing_is_decided_and_only_then_it_expires() -> None:
    late = DEADLINE + datetime.timedelta(seconds=1)
    release = RELEASES[State.AWAITING_APPROVAL]
    assert refused(release, Action.APPROVE, APPROVE_ANN, late) == {"within_deadline"}
    assert refused(RELEASES[State.APPROVED], Action.PUBLISH, PUBLISHER, late) == {"within_deadline"}
    assert refused(release, Action.EXPIRE, OPERATOR, DEADLINE) == {"deadline_passed"}
    assert accepted(RELEASES[State.APPROVED], Action.EXPIRE, OPERATOR, late).state is State.EXPIRED


def test_nothing_is_published_before_its_moment_which_the_last_needed_approval_sets() -> None:
    tuesdays = PublicationMoment(cron="30 9 * * 2", timezone="Europe/Rome")
    moment = datetime.datetime.fromisoformat

    def approved(release: Release, by: Actor, at: str) -> Release:
        return accepted(release, Action.APPROVE, by, moment(at))

    release = accepted(fold(measured()), Action.SEAL, RUN, event=sealing().model_copy(update={"not_before": tuesdays, "deadline": None}))
    release = approved(release, APPROVE_ANN, "2026-03-02T12:00:00+00:00")
    assert release.due is None
    release = approved(release, APPROVE_BOB, "2026-03-04T12:00:00+00:00")
    assert release.due == moment("2026-03-10T08:30:00+00:00")
    assert refused(release, Action.PUBLISH, PUBLISHER, moment("2026-03-10T08:29:59+00:00")) == {"moment"}
    assert accepted(release, Action.PUBLISH, PUBLISHER, moment("2026-03-10T08:30:00+00:00")).state is State.PUBLISHING


def test_an_approval_that_is_void_sets_no_moment_of_publication() -> None:
    """The moment was counted from the first time that a quorum was met. Whoever's key was revoked since had started the waiting, and the
    approval that stood in for theirs was followed by none."""
    tuesdays = PublicationMoment(cron="30 9 * * 2", timezone="Europe/Rome")
    moment = datetime.datetime.fromisoformat
    sealed = sealing().model_copy(update={"not_before": tuesdays, "deadline": None, "signers": (*SIGNERS, EVE)})
    release = accepted(fold(measured()), Action.SEAL, RUN, event=sealed)
    for who, at in ((ANN, "2026-03-02"), (BOB, "2026-03-04"), (EVE, "2026-03-17")):
        release = accepted(release, Action.APPROVE, actor(who, ActorRole.APPROVER), moment(f"{at}T12:00:00+00:00"))
    assert release.due == moment("2026-03-10T08:30:00+00:00")
    on_time, too_early = moment("2026-03-24T08:30:00+00:00"), moment("2026-03-24T08:29:59+00:00")
    assert accepted(release, Action.PUBLISH, PUBLISHER, too_early).state is State.PUBLISHING
    for void in (ANN, BOB):
        rules = OperatorRules(revoked=frozenset({void.fingerprint}))
        assert refused(release, Action.PUBLISH, PUBLISHER, too_early, rules) == {"moment"}
        assert accepted(release, Action.PUBLISH, PUBLISHER, on_time, rules).state is State.PUBLISHING
    assert release.due_by(Quorum(3)) == on_time
    assert release.due_by(Quorum(4)) is None


def test_the_runner_may_take_back_and_a_stranger_may_not() -> None:
    for state in (State.AWAITING_APPROVAL, State.PUBLISHED):
        assert accepted(RELEASES[state], Action.WITHDRAW, actor(RUNNER, ActorRole.CUSTODIAN)).state is State.WITHDRAWN
        assert refused(RELEASES[state], Action.WITHDRAW, actor(EVE, ActorRole.CUSTODIAN)) == {"sealed_or_runner_key"}


def test_a_run_is_ended_by_its_own_runner_with_its_own_report() -> None:
    running = RELEASES[State.RUNNING]
    assert refused(running, Action.SEAL, actor(ANN, ActorRole.RUNNER)) == {"is_the_runner"}
    assert refused(running, Action.SEAL, RUN, event=None) == {"reported"}
    assert refused(running, Action.SEAL, RUN, event=RunFailed(**BASE, step="gate", error="E", code=1)) == {"reported"}
    other = sealing().model_copy(update={"release_id": "r9"})
    assert refused(running, Action.SEAL, RUN, event=other) == {"reported"}


def test_nothing_is_sealed_that_failed_a_gate_or_was_not_tracked() -> None:
    assert refused(fold(measured(passed=False)), Action.SEAL, RUN) == {"passed_and_tracked"}
    assert refused(fold(measured()[:-1]), Action.SEAL, RUN) == {"reported", "passed_and_tracked"}


def test_what_is_published_is_the_version_that_was_started() -> None:
    assert refused(RELEASES[State.PUBLISHING], Action.COMPLETE, PUBLISHER, version=2) == {"attested"}
    assert refused(RELEASES[State.PUBLISHING], Action.COMPLETE, PUBLISHER, attestation_sha256="") == {"attested"}
    assert refused(RELEASES[State.APPROVED], Action.PUBLISH, PUBLISHER, target="") == {"target"}
    assert refused(RELEASES[State.PUBLISHED], Action.SUPERSEDE, PUBLISHER, superseded_by="r1") == {"newer_release"}


CARL = Signer(principal="carl", fingerprint="SHA256:carl")
LAW, METHODS = "law", "methods"
HELD = {"ann": (LAW, METHODS), "bob": (METHODS,)}


def sealed_with_roles(required: int = 2, **roles: tuple[str, ...]) -> Release:
    sealed = tuple(SealedRole(role=role, number=1, people=people) for role, people in roles.items())
    event = sealing(required).model_copy(update={"signers": (*SIGNERS, CARL), "roles": sealed})
    return accepted(fold(measured()), Action.SEAL, RUN, event=event)


def approved_by(release: Release, held: dict[str, tuple[str, ...]], *signers: Signer) -> Release:
    for signer in signers:
        release = accepted(release, Action.APPROVE, actor(signer, ActorRole.APPROVER), rules=OperatorRules(held=held))
    return release


def test_two_roles_are_filled_by_two_people() -> None:
    """Ann holds both roles and Carl none: two signatures, and one role is open."""
    release = approved_by(sealed_with_roles(law=("ann",), methods=("ann", "bob")), HELD, ANN, CARL)
    assert release.state is State.AWAITING_APPROVAL
    release = approved_by(release, HELD, BOB)
    assert release.state is State.APPROVED
    rules = OperatorRules(held=HELD)
    assert accepted(release, Action.PUBLISH, PUBLISHER, rules=rules).state is State.PUBLISHING


def test_who_is_no_longer_in_a_role_does_not_fill_it() -> None:
    release = approved_by(sealed_with_roles(law=("ann",)), HELD, ANN, BOB)
    assert release.state is State.APPROVED
    for held in ({}, {"ann": (METHODS,)}, {"bob": (LAW,)}):
        assert refused(release, Action.PUBLISH, PUBLISHER, rules=OperatorRules(held=held)) == {"enough_approvals"}
    assert accepted(release, Action.PUBLISH, PUBLISHER, rules=OperatorRules(held={"ann": (LAW,)})).state is State.PUBLISHING


def test_who_got_a_role_after_the_candidate_was_sealed_or_after_signing_does_not_fill_it() -> None:
    now = {"ann": (LAW,), "bob": (LAW,)}
    late = approved_by(sealed_with_roles(law=("ann",)), now, BOB, CARL)
    assert late.state is State.AWAITING_APPROVAL
    signed_before = approved_by(sealed_with_roles(law=("ann",)), {}, ANN, BOB)
    assert signed_before.state is State.AWAITING_APPROVAL
    assert signed_before.agreeing(held=now) == {"ann": (), "bob": ()}


def test_a_role_of_the_operators_floor_cannot_be_left_out() -> None:
    floor = Quorum(1, {LAW: 1})
    assert refused(fold(measured()), Action.SEAL, RUN, rules=OperatorRules(floor)) == {"reported"}
    release = approved_by(sealed_with_roles(methods=("bob",)), HELD, ANN, BOB)
    assert release.state is State.APPROVED
    assert refused(release, Action.PUBLISH, PUBLISHER, rules=OperatorRules(floor, held=HELD)) == {"enough_approvals"}
    two = Quorum(1, {METHODS: 2})
    assert refused(release, Action.PUBLISH, PUBLISHER, rules=OperatorRules(two, held=HELD)) == {"enough_approvals"}


def test_while_votes_are_hidden_a_refusal_does_not_say_which_role_is_open() -> None:
    release = replace(approved_by(sealed_with_roles(law=("ann",), methods=("bob",)), HELD, ANN, CARL), blind=True)
    answer = decide(release, act(Action.PUBLISH), PUBLISHER, OperatorRules(held=HELD), NOW)
    assert isinstance(answer, Refused)
    (said,) = [reason.reason for reason in answer.reasons if reason.rule == "enough_approvals"]
    assert said == "2 of 2 required approvals are valid, but a required role is still open"
    shown = decide(replace(release, blind=False), act(Action.PUBLISH), PUBLISHER, OperatorRules(held=HELD), NOW)
    assert isinstance(shown, Refused)
    assert shown.reasons[-1].reason.endswith("still needed: 1 more person with the role methods")


def test_what_was_never_published_is_not_purged_nor_is_anything_twice_or_for_nothing() -> None:
    taken_back = accepted(RELEASES[State.AWAITING_APPROVAL], Action.WITHDRAW, CUSTODIAN)
    assert refused(taken_back, Action.PURGE, OPERATOR) == {"came_out"}
    for state in (State.PUBLISHED, State.SUPERSEDED, State.WITHDRAWN):
        assert refused(RELEASES[state], Action.PURGE, OPERATOR, kept=False) == {"kept"}
        purged = accepted(RELEASES[state], Action.PURGE, OPERATOR)
        assert (purged.state, purged.purged[:10]) == (state, NOW.isoformat()[:10])
        assert refused(purged, Action.PURGE, OPERATOR) == {"kept"}


def test_what_no_rule_of_the_policy_names_is_not_purged_by_rule_nor_is_anything_twice() -> None:
    for state in (State.PUBLISHED, State.SUPERSEDED, State.WITHDRAWN):
        assert refused(RELEASES[state], Action.PURGE_BY_RULE, OPERATOR, rule="") == {"by_rule"}
        assert refused(RELEASES[state], Action.PURGE_BY_RULE, OPERATOR, kept=False) == {"kept"}
        purged = accepted(RELEASES[state], Action.PURGE_BY_RULE, OPERATOR)
        assert (purged.state, purged.purged[:10]) == (state, NOW.isoformat()[:10])
        assert refused(purged, Action.PURGE, OPERATOR) == {"kept"}


def test_comments_are_of_those_who_may_sign_or_ran_it_and_of_a_readable_length() -> None:
    release = RELEASES[State.AWAITING_APPROVAL]
    for author in ("ann", "rita"):
        assert accepted(release, Action.COMMENT, Actor(author, "", ActorRole.CUSTODIAN)).state is release.state
    assert refused(release, Action.COMMENT, Actor("olga", "", ActorRole.CUSTODIAN)) == {"takes_part"}
    for changed in ({"comment": " "}, {"comment": "x" * 4001}, {"comment_sha256": "no"}):
        assert refused(release, Action.COMMENT, Actor("ann", "", ActorRole.CUSTODIAN), **changed) == {"commented"}


def test_what_is_taken_away_is_named_by_its_digest() -> None:
    assert refused(RELEASES[State.PUBLISHED], Action.DOWNLOAD, Actor("olga", "", ActorRole.READER), file_sha256="x.csv") == {"downloaded"}
