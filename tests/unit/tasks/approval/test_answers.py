"""Changes are requested of a candidate, and the dataset's next one answers it."""

from __future__ import annotations

import shutil
from typing import Any

import pytest

from headgate.core.errors import TransitionRefused
from policies.changes.figure_changes import FigureChange
from policies.ledger.states import State
from tasks.approval.answers import last_word
from tasks.approval.approvals import decisions_folder
from tasks.approval.decisions import approve, reject, request_changes
from tasks.approval.inspection import view_candidate
from tasks.ledger.history import read_history

WHY = "Region is too fine."


def asked(world: Any, **changes: object) -> Any:
    candidate = world.seal(**changes)
    request_changes(world.home, world.ledger, candidate.id, world.keys["bob"], WHY)
    return candidate


@pytest.mark.parametrize("approvers", [(), ("ann",), ("ann", "cyd")])
def test_a_candidate_with_changes_requested_is_never_approved_or_published(world: Any, approvers: tuple[str, ...]) -> None:
    candidate = world.seal()
    world.approve(candidate, *approvers)
    decided = request_changes(world.home, world.ledger, candidate.id, world.keys["bob"], WHY)
    assert (decided.release.state, decided.principal) == (State.CHANGES_REQUESTED, "bob")
    for act in (approve, reject, request_changes):
        with pytest.raises(TransitionRefused, match="in the state 'changes requested'"):
            act(world.home, world.ledger, candidate.id, world.keys["cyd"], "all the same")
    with pytest.raises(TransitionRefused, match="'publish' is not possible"):
        world.publish(candidate)


def change(figure: str, table: str, before: float | None, after: float | None, better: bool | None = None) -> FigureChange:
    return FigureChange(figure=figure, table=table, before=before, after=after, better=better)


@pytest.mark.parametrize("name", ["runner", "stranger"])
def test_who_may_not_decide_requests_nothing(world: Any, name: str) -> None:
    candidate = world.seal()
    with pytest.raises(TransitionRefused):
        request_changes(world.home, world.ledger, candidate.id, world.keys[name], WHY)
    assert read_history(world.ledger).find(candidate.id).state is State.AWAITING_APPROVAL


def test_the_next_candidate_is_seen_with_what_was_asked_and_what_changed(world: Any) -> None:
    first = asked(world)
    assert read_history(world.ledger).unanswered("people") == (first.id,)
    figures = world.made.manifest.tables
    coarser = (figures[0].model_copy(update={"ncp": 0.75, "groups": 5}), figures[1])
    second = world.seal(answers=(first.id,), suppressed=3, tables=coarser, policy_digest="9" * 64)
    assert read_history(world.ledger).unanswered("people") == ()
    seen = view_candidate(world.home, world.ledger, second.id)
    (answer,) = seen.answers
    said = (answer.request.candidate, answer.request.event, answer.request.principal, answer.request.reason, answer.policy_changed)
    assert said == (first.id, "changes_requested", "bob", WHY, True)
    assert answer.changes == (
        change("suppressed", "", 0, 3, False),
        change("groups", "table-1", figures[0].groups, 5),
        change("loss (NCP)", "table-1", figures[0].ncp, 0.75, False),
    )
    before = view_candidate(world.home, world.ledger, first.id)
    assert before.last_word == answer.request
    assert (before.answered_by, before.answers, seen.answered_by) == ((second.id,), (), ())


def test_a_table_is_compared_with_the_one_that_holds_the_same_attributes(world: Any) -> None:
    first = asked(world)
    one, other = world.made.manifest.tables
    new = other.model_copy(update={"name": "table-1", "sensitive": ("weight",), "groups": 7})
    second = world.seal(answers=(first.id,), tables=(new, one.model_copy(update={"name": "table-2", "groups": 5})))
    (answer,) = view_candidate(world.home, world.ledger, second.id).answers
    figures = [(change.figure, change.table, change.before, change.after) for change in answer.changes or ()]
    assert figures == [("groups", "table-2", one.groups, 5)]  # of the other table, which is new, nothing is worse


def test_what_is_no_longer_in_the_home_is_said_so(world: Any) -> None:
    first = asked(world)
    second = world.seal(answers=(first.id,))
    shutil.rmtree(first.folder)
    shutil.rmtree(decisions_folder(world.home, first.id))
    (answer,) = view_candidate(world.home, world.ledger, second.id).answers
    assert (answer.changes, answer.request.reason, answer.policy_changed) == (None, None, False)


def test_the_last_word_is_the_one_that_ended_the_candidate(world: Any) -> None:
    candidate = world.seal()
    world.approve(candidate, "ann")
    history = read_history(world.ledger)
    assert last_word(world.home, history.events("release-1")) is None
    reject(world.home, world.ledger, candidate.id, world.keys["bob"], "No.")
    said = last_word(world.home, read_history(world.ledger).events("release-1"))
    assert said is not None
    assert (said.event, said.principal, said.reason) == ("rejected", "bob", "No.")


def test_each_request_is_answered_once_and_by_its_own_dataset(world: Any) -> None:
    first, second = world.seal(), world.seal()
    other = asked(world, dataset="others")
    for candidate in (first, second):
        request_changes(world.home, world.ledger, candidate.id, world.keys["bob"], WHY)
    history = read_history(world.ledger)
    assert (history.unanswered("people"), history.unanswered("others")) == ((first.id, second.id), (other.id,))
    world.seal(answers=(first.id, second.id))
    assert read_history(world.ledger).unanswered("people") == ()
