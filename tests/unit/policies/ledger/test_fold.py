"""A release's state is the fold of its events; an order or a content that headgate would not write is refused."""

from __future__ import annotations

import datetime
from dataclasses import replace

import pytest

from headgate.core.errors import IntegrityBroken
from policies.ledger.events import (
    CandidateApproved,
    CandidateRejected,
    CandidateSealed,
    CandidateViewed,
    Event,
    ExpectationsChecked,
    GatesJudged,
    PlanChosen,
    PublicationStarted,
    ReleasePublished,
    ReleaseWithdrawn,
    RunFailed,
    RunStarted,
    RunTracked,
    SourceIngested,
    TableAnonymized,
)
from policies.ledger.fold import EXPIRING, as_of, fold, overdue
from policies.ledger.standing import Release
from policies.ledger.states import State
from policies.sealed.manifest import SealedRole, Signer

AT = datetime.datetime(2026, 3, 1, tzinfo=datetime.UTC).isoformat()
BASE = {"release_id": "r1", "at": AT}
A, B, C, D = (letter * 64 for letter in "abcd")
RUNNER, ANN, BOB, EVE = (Signer(principal=name, fingerprint=f"SHA256:{name}") for name in ("rita", "ann", "bob", "eve"))
SIGNED = {**BASE, "candidate": C, "policy_digest": A, "statement_sha256": D, "reason_sha256": D}

STARTED = RunStarted(**BASE, dataset="clinic", policy_digest=A, runner=RUNNER, product="headgate 0")
INGESTED = SourceIngested(**BASE, rows=9, columns=3, source_hmac=B)
EXPECTED = ExpectationsChecked(**BASE, direction="inbound", expectations=4, successful=4)
PLANNED = PlanChosen(**BASE, method="single", tables=((0, 1),), association_loss=0.0, information_exposure=1.0, steps=0)
ANONYMIZED = TableAnonymized(**BASE, table=1, groups=3, suppressed=0, reached=True, risk=0.2)
GATED = GatesJudged(**BASE, verdicts=3, passed=3)
TRACKED = RunTracked(**BASE, mlflow_run_id="m1")
SEALED = CandidateSealed(**BASE, candidate=C, policy_digest=A, required=1, runner=RUNNER, signers=(ANN, BOB, RUNNER), signers_digest=D)
APPROVED = CandidateApproved(**SIGNED, signer=ANN)
PUBLISHING = PublicationStarted(**BASE, candidate=C, publisher="publish", target="clinic", version=3)
PUBLISHED = ReleasePublished(**BASE, candidate=C, version=3, attestation_sha256=D)
WITHDRAWN = ReleaseWithdrawn(**SIGNED, signer=BOB)
LAW_OF_BOB = SealedRole(role="law", number=1, people=("bob",))
WHOLE: list[Event] = [STARTED, INGESTED, EXPECTED, PLANNED, ANONYMIZED, GATED, TRACKED, SEALED, APPROVED, PUBLISHING, PUBLISHED, WITHDRAWN]


def test_the_whole_way_is_folded_step_by_step() -> None:
    states = [fold(WHOLE[: length + 1]).state for length in range(len(WHOLE))]
    assert states[:7] == [State.RUNNING] * 7
    assert states[7:] == [State.AWAITING_APPROVAL, State.APPROVED, State.PUBLISHING, State.PUBLISHED, State.WITHDRAWN]
    release = fold(WHOLE)
    assert (release.dataset, release.candidate, release.version, release.target) == ("clinic", C, 3, "clinic")
    assert release.standing() == 1
    assert release.events == len(WHOLE)


def test_leaving_out_any_event_before_the_last_is_noticed() -> None:
    for place in range(len(WHOLE) - 1):
        if WHOLE[place] is not PUBLISHED:  # withdrawing without it: a release is withdrawn while it is being published
            with pytest.raises(IntegrityBroken):
                fold(WHOLE[:place] + WHOLE[place + 1 :])
    assert fold([*WHOLE[:-2], WITHDRAWN]).state is State.WITHDRAWN


def test_no_two_neighbours_may_change_places() -> None:
    for place in range(len(WHOLE) - 1):
        with pytest.raises(IntegrityBroken):
            fold([*WHOLE[:place], WHOLE[place + 1], WHOLE[place], *WHOLE[place + 2 :]])


def test_no_event_happens_twice_but_those_that_may() -> None:
    for place, event in enumerate(WHOLE):
        doubled = [*WHOLE[: place + 1], event, *WHOLE[place + 1 :]]
        if event in (EXPECTED, ANONYMIZED):
            assert fold(doubled).state is State.WITHDRAWN
        else:
            with pytest.raises(IntegrityBroken):
                fold(doubled)


SEALED_WAY = WHOLE[:8]
APPROVED_WAY = WHOLE[:9]


@pytest.mark.parametrize(
    "events",
    [
        [],
        [INGESTED],
        [STARTED, INGESTED.model_copy(update={"release_id": "r2"})],
        [*WHOLE[:5], GATED.model_copy(update={"passed": 2}), TRACKED, SEALED],
        [*WHOLE[:5], GATED.model_copy(update={"failed": ("k",)}), TRACKED, SEALED],
        [*WHOLE[:7], SEALED.model_copy(update={"policy_digest": B})],
        [*WHOLE[:7], SEALED.model_copy(update={"runner": EVE})],
        [*SEALED_WAY, APPROVED.model_copy(update={"candidate": B})],
        [*SEALED_WAY, APPROVED.model_copy(update={"policy_digest": B})],
        [*SEALED_WAY, APPROVED.model_copy(update={"signer": EVE})],
        [*SEALED_WAY, APPROVED.model_copy(update={"signer": RUNNER})],
        [*WHOLE[:7], SEALED.model_copy(update={"required": 2}), APPROVED, APPROVED],
        [*WHOLE[:7], SEALED.model_copy(update={"required": 2}), APPROVED, PUBLISHING],
        [*WHOLE[:7], SEALED.model_copy(update={"roles": (LAW_OF_BOB,)}), APPROVED.model_copy(update={"roles": ("law",)}), PUBLISHING],
        [*SEALED_WAY, CandidateRejected(**SIGNED, signer=EVE)],
        [*SEALED_WAY, CandidateRejected(**SIGNED, signer=BOB), APPROVED],
        [*APPROVED_WAY, PUBLISHING, PUBLISHED.model_copy(update={"version": 4})],
        [*APPROVED_WAY, WITHDRAWN.model_copy(update={"signer": EVE})],
        [*WHOLE, CandidateRejected(**SIGNED, signer=BOB)],
        [*SEALED_WAY, TRACKED],
        [*SEALED_WAY, ANONYMIZED],
        [*WHOLE[:4], RunFailed(**BASE, step="plan", error="RequirementNotMet", code=3), ANONYMIZED],
    ],
)
def test_what_headgate_would_not_write_breaks_the_fold(events: list[Event]) -> None:
    with pytest.raises(IntegrityBroken) as caught:
        fold(events)
    assert caught.value.cure


def test_a_run_may_fail_anywhere_and_a_candidate_may_be_viewed_at_any_time() -> None:
    for length in range(1, 8):
        assert fold([*WHOLE[:length], RunFailed(**BASE, step="any", error="Defect", code=1)]).state is State.FAILED
    viewed = CandidateViewed(**BASE, candidate=C, viewer="ann")
    for length in range(8, len(WHOLE) + 1):
        assert fold([*WHOLE[:length], viewed, viewed]).state is fold(WHOLE[:length]).state


def test_a_candidate_expires_by_time_alone_and_only_where_the_table_says_so() -> None:
    deadline = datetime.datetime(2026, 4, 1, tzinfo=datetime.UTC)
    after = deadline + datetime.timedelta(seconds=1)
    for state in State:
        release = Release("r1", "clinic", A, RUNNER, state=state, deadline=deadline.isoformat())
        assert as_of(release, deadline) == release
        assert as_of(release, after).state is (State.EXPIRED if state in EXPIRING else state)
        assert as_of(replace(release, deadline=None), after).state is state
    assert {State.AWAITING_APPROVAL, State.APPROVED} == EXPIRING
    assert overdue(release, after)
