"""Versions that came out are kept and compared; candidates that came to nothing are dropped."""

from __future__ import annotations

from datetime import timedelta

import pytest

from headgate.core.errors import IntegrityBroken, StoreUnavailable, TransitionRefused
from policies.ledger.states import State
from tasks.approval import decisions
from tasks.approval.decisions import record_expiries, reject, request_changes
from tasks.ledger.history import read_history
from tasks.publication import publish_version
from tasks.publication.withdraw import withdraw
from tasks.series import known_versions as known
from tasks.series.known_versions import drop_ended, known_versions
from tasks.series.side_store import drop, keep, kept_candidates
from tests.unit.tasks.series.some_version import some_version


def out(world):
    return read_history(world.ledger).came_out("people")


def test_every_version_that_anybody_may_have_counts_withdrawn_or_at_another_target(world) -> None:
    one, two = world.published(), world.published(publish_to="elsewhere")
    withdraw(world.home, world.ledger, one.release.candidate, world.keys["ann"], "wrong")
    world.seal()
    assert [release.candidate for release in out(world)] == [one.release.candidate, two.release.candidate]
    assert read_history(world.ledger).came_out("another") == ()


def test_a_version_that_the_home_does_not_keep_stops_the_measuring_unless_the_policy_says_why(world) -> None:
    one, two = world.published(), world.published()
    for number, published in enumerate((one, two)):
        keep(world.home, "people", published.release.candidate, some_version(seed=number))
    assert [known.candidate for known in known_versions(world.home, "people", out(world), accepted=False)] == [
        one.release.candidate,
        two.release.candidate,
    ]
    drop(world.home, "people", one.release.candidate)
    with pytest.raises(StoreUnavailable, match="of 1 version of people") as refused:
        known_versions(world.home, "people", out(world), accepted=False)
    assert refused.value.cure == (
        "Restore the folder series/ of the home, and keys/, from one backup; or write gates.series: {unmeasured: REASON} beside its "
        "bounds; approvers read the reason."
    )
    assert [known.candidate for known in known_versions(world.home, "people", out(world), accepted=True)] == [two.release.candidate]


def test_a_version_that_cannot_be_read_is_left_out_where_the_policy_says_why(world) -> None:
    """The refusal said to write a reason, and was the same with one."""
    one, two = world.published(), world.published()
    for published in (one, two):
        keep(world.home, "people", published.release.candidate, some_version())
    file = world.home.series / "people" / one.release.candidate
    file.write_bytes(file.read_bytes()[:-1])
    with pytest.raises(IntegrityBroken, match="cut short") as refused:
        known_versions(world.home, "people", out(world), accepted=False)
    assert "unmeasured: REASON" in refused.value.cure
    assert [known.candidate for known in known_versions(world.home, "people", out(world), accepted=True)] == [two.release.candidate]


@pytest.mark.parametrize("ending", ["rejected", "changes requested", "expired", "withdrawn"])
def test_what_came_to_nothing_is_dropped_at_once(world, ending: str) -> None:
    world.expires = timedelta(days=1) if ending == "expired" else None
    candidate = world.seal()
    keep(world.home, "people", candidate.id, some_version())
    if ending == "rejected":
        reject(world.home, world.ledger, candidate.id, world.keys["ann"], "no")
    elif ending == "changes requested":
        request_changes(world.home, world.ledger, candidate.id, world.keys["ann"], "coarser")
    elif ending == "withdrawn":
        withdraw(world.home, world.ledger, candidate.id, world.keys["ann"], "no")
    else:
        world.clock.moment += timedelta(days=2)
        record_expiries(world.home, world.ledger)
    assert kept_candidates(world.home, "people") == ()


def test_a_candidate_that_somebody_else_brought_further_at_its_deadline_loses_nothing(world, monkeypatch) -> None:
    """Whoever was faster may have begun to publish it: the next version must be measured with it."""
    world.expires = timedelta(days=1)
    candidate = world.seal()
    keep(world.home, "people", candidate.id, some_version())
    world.clock.moment += timedelta(days=2)
    monkeypatch.setattr(decisions, "record_transition", too_late)
    record_expiries(world.home, world.ledger)
    assert kept_candidates(world.home, "people") == (candidate.id,)


def gone(*_given):
    raise PermissionError(13, "Permission denied")


def test_a_file_that_cannot_be_removed_undoes_no_decision_and_stops_the_next_run(world, monkeypatch) -> None:
    candidate = world.seal()
    keep(world.home, "people", candidate.id, some_version())
    with monkeypatch.context() as broken:
        broken.setattr(decisions, "drop", gone)
        assert reject(world.home, world.ledger, candidate.id, world.keys["bob"], "too few").release.state is State.REJECTED
    with monkeypatch.context() as broken:
        broken.setattr(known, "drop", gone)
        with pytest.raises(StoreUnavailable, match="could not be removed"):
            drop_ended(world.home, read_history(world.ledger), "people")
    assert drop_ended(world.home, read_history(world.ledger), "people") == 1


def too_late(*_given):
    raise TransitionRefused([], "")


def test_of_published_and_waiting_candidates_nothing_is_dropped(world) -> None:
    published, waiting = world.published(), world.seal()
    withdrawn = world.published()
    withdraw(world.home, world.ledger, withdrawn.release.candidate, world.keys["ann"], "wrong")
    wanted = {published.release.candidate, waiting.id, withdrawn.release.candidate}
    for candidate in wanted:
        keep(world.home, "people", candidate, some_version())
    assert drop_ended(world.home, read_history(world.ledger), "people") == 0
    assert set(kept_candidates(world.home, "people")) == wanted


def test_what_a_run_left_that_died_before_the_ledger_knew_its_candidate_is_dropped(world) -> None:
    keep(world.home, "people", "ab" * 32, some_version())
    assert drop_ended(world.home, read_history(world.ledger), "people") == 1
    assert kept_candidates(world.home, "people") == ()


def test_a_version_that_was_withdrawn_while_it_was_put_in_place_counts(world, monkeypatch) -> None:
    """Its files may have been seen: the event comes after them."""
    candidate = world.seal()
    world.approve(candidate, "ann", "bob")
    keep(world.home, "people", candidate.id, some_version())
    with monkeypatch.context() as patched:
        patched.setattr(publish_version, "_put_in_place", broken)
        with pytest.raises(KeyError):
            world.publish(candidate)
    withdraw(world.home, world.ledger, candidate.id, world.keys["ann"], "wrong")
    assert [release.candidate for release in out(world)] == [candidate.id]
    assert kept_candidates(world.home, "people") == (candidate.id,)


def broken(*_given):
    raise KeyError
