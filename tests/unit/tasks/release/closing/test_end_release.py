"""How a run ends, as the ledger tells it."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from typing import Any

import pytest

from headgate.core.errors import HeadgateError, InputRejected, RequirementNotMet, StoreUnavailable, TransitionRefused
from policies.approval.acts import Act, Actor
from policies.ledger.events import CandidateSealed
from policies.ledger.states import Action, ActorRole, State
from tasks.approval.approvals import operator_roots
from tasks.ledger.history import read_history
from tasks.ledger.record_transition import record_transition
from tasks.release.closing.assemble import manifest_of
from tasks.release.closing.end_release import append_events, end_as_nothing_new, end_as_sealed, end_unsealed, has_ended, pending_candidate
from tasks.release.closing.so_far import SoFar
from tests.unit.tasks.release.finished import Made


def events_of(made: Made) -> tuple[Any, ...]:
    return tuple(made.run.ledger.events_of(made.run.release_id))


def test_what_has_happened_is_appended_in_order_under_the_runs_name(made: Made) -> None:
    happened = [made.read.happened, made.planned.happened]
    assert append_events(made.run, 1, happened) == 3
    assert [event.event for event in events_of(made)] == ["run_started", "ingested", "planned"]
    assert {event.release_id for event in events_of(made)} == {"run"}
    with pytest.raises(TransitionRefused):
        append_events(made.run, 1, happened)  # somebody counts from an older state


def test_a_requirement_that_is_not_met_refuses_the_release_with_a_report_of_figures(made: Made, canary: str) -> None:
    problem = RequirementNotMet("k is 6; at least 50 is required.", "Raise k.", "k", 6, 50)
    append_events(made.run, 1, [made.read.happened])
    assert not has_ended(made.run)
    state, folder = end_unsealed(made.run, made.so_far(), problem)
    assert (state, has_ended(made.run)) == (State.REFUSED, True)
    assert events_of(made)[-1].failed == ("k",)
    assert folder == made.run.home.refused / "run"
    assert folder.stat().st_mode & 0o777 == 0o700
    page = (folder / "report.html").read_text()
    assert "k is 6; at least 50 is required. Raise k." in page
    assert canary not in page


@pytest.mark.parametrize(
    ("problem", "code"),
    [
        (InputRejected("The source is empty.", "Give rows."), 2),
        (StoreUnavailable("MLflow did not answer.", "Start it."), 6),
        (RequirementNotMet("k is 6.", "Raise k.", "k"), 3),  # before the source was read there is nothing to report on
    ],
)
def test_all_else_is_a_failure_of_the_step_that_raised_it(made: Made, problem: HeadgateError, code: int) -> None:
    problem.step = "ingest"
    assert end_unsealed(made.run, SoFar(), problem) == (State.FAILED, None)
    last = events_of(made)[-1]
    assert (last.step, last.error, last.code) == ("ingest", type(problem).__name__, code)
    assert problem.message not in repr(last)
    assert not made.run.home.refused.exists()


def test_a_failure_outside_the_steps_is_that_of_the_last_step_that_began(made: Made) -> None:
    run = replace(made.run, clock=SimpleNamespace(latest="gate", seconds={}))
    end_unsealed(run, SoFar(), StoreUnavailable("The disk is full.", "Free some."))
    assert events_of(made)[-1].step == "gate"


def test_a_run_ends_once(made: Made) -> None:
    end_as_nothing_new(made.run, "c" * 64)
    assert has_ended(made.run)
    with pytest.raises(TransitionRefused):
        end_unsealed(made.run, SoFar(), InputRejected("No rows.", "Give some."))
    assert [event.event for event in events_of(made)] == ["run_started", "nothing_new"]


def sealed(made: Made) -> Any:
    """A candidate as sealing hands it over."""
    return SimpleNamespace(id="c" * 64, manifest=manifest_of(made.run, made.so_far(), operator_roots(made.run.home)))


@pytest.mark.parametrize("days", [None, 30])
def test_a_sealed_candidate_awaits_approval_until_the_policys_deadline(tracked: Made, days: int | None) -> None:
    approval = tracked.run.policy.approval.model_copy(update={"expires_days": days})
    policy = tracked.run.policy.model_copy(update={"approval": approval})
    run = replace(tracked.run, loaded=replace(tracked.run.loaded, policy=policy))
    assert end_as_sealed(run, sealed(tracked)) is State.AWAITING_APPROVAL
    last = events_of(tracked)[-1]
    assert isinstance(last, CandidateSealed)
    assert (last.candidate, last.policy_digest, last.required) == ("c" * 64, run.loaded.digest, 1)
    left = None if last.deadline is None else datetime.fromisoformat(last.deadline) - datetime.fromisoformat(last.at)
    assert left == (None if days is None else timedelta(days=days))


def test_a_candidate_of_the_same_source_and_policy_is_pending_and_of_another_is_not(tracked: Made) -> None:
    run, read = tracked.run, tracked.read
    assert pending_candidate(run, read) is None  # still running
    end_as_sealed(run, sealed(tracked))
    assert pending_candidate(run, read) == "c" * 64
    assert pending_candidate(run, replace(read, source_hmac="0" * 64)) is None
    assert pending_candidate(replace(run, loaded=replace(run.loaded, digest="0" * 64)), read) is None


def test_an_overdue_candidate_is_not_pending(tracked: Made) -> None:
    """Every scheduled run after it ended as nothing new, and nobody could decide on it any more."""
    approval = tracked.run.policy.approval.model_copy(update={"expires_days": 30})
    policy = tracked.run.policy.model_copy(update={"approval": approval})
    run = replace(tracked.run, loaded=replace(tracked.run.loaded, policy=policy))
    end_as_sealed(run, sealed(tracked))
    for days, pending in ((29, "c" * 64), (31, None)):
        moment = datetime.now(UTC) + timedelta(days=days)
        later = replace(run, ledger=replace(run.ledger, clock=lambda moment=moment: moment))
        assert pending_candidate(later, tracked.read) == pending


def test_a_candidate_that_another_version_has_overtaken_is_not_pending(tracked: Made) -> None:
    """It can never be published, and every scheduled run after it ended as nothing new."""
    run = tracked.run
    end_as_sealed(run, sealed(tracked))
    other = replace(read_history(run.ledger).find("c" * 64), candidate="d" * 64, seen=frozenset({"publishing"}))
    assert pending_candidate(run, tracked.read) == "c" * 64
    assert pending_candidate(replace(run, versions=(other,)), tracked.read) is None


def test_a_candidate_with_changes_requested_is_not_pending(tracked: Made) -> None:
    """A scheduled run of the same source and policy makes the candidate that answers it."""
    run = tracked.run
    end_as_sealed(run, sealed(tracked))
    release = read_history(run.ledger).find("c" * 64)
    signer = next(signer for signer in release.signers if signer.principal != run.runner.principal)
    act = Act(Action.REQUEST_CHANGES, "c" * 64, run.loaded.digest, "Too fine.", "e" * 64, "f" * 64)
    record_transition(run.ledger, release, act, Actor(signer.principal, signer.fingerprint, ActorRole.APPROVER), "")
    assert pending_candidate(run, tracked.read) is None
    assert sealed(tracked).manifest.answers == ("c" * 64,)
