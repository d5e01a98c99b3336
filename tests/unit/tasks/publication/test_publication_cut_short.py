"""A publication that is cut short, stands still or finds no store goes on, or says why not."""

from __future__ import annotations

import time
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from headgate.core.errors import StoreUnavailable, TransitionRefused
from policies.approval.acts import Act, Actor, OperatorRules
from policies.approval.decide import decide
from policies.ledger.states import Action, ActorRole, State
from tasks.approval.operating import abandon, resume
from tasks.ledger.dataset_lock import acquire, this_process
from tasks.ledger.history import read_history
from tasks.ledger.record_transition import record_transition
from tasks.publication import publish_version
from tasks.publication.publish_version import publish
from tasks.publication.withdraw import withdraw
from tasks.stores.seal import Candidate
from tasks.stores.store_folder import FolderDraft, FolderStore
from tasks.verification.verify import verify_folder
from tests.unit.tasks.publication.test_publish_version import state, versions


def test_a_store_that_cannot_be_used_is_said_and_the_release_stays_approved(world, tmp_path: Path) -> None:
    candidate = world.seal()
    world.approve(candidate, "ann", "bob")
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(StoreUnavailable) as refusal:
        publish(world.home, world.ledger, candidate.id, store=FolderStore(tmp_path / "file"))
    assert refusal.value.code == 6
    (tmp_path / "store").mkdir()
    (tmp_path / "outside").mkdir()
    (tmp_path / "store" / "people").symlink_to(tmp_path / "outside")
    with pytest.raises(StoreUnavailable, match="out of the store"):
        publish(world.home, world.ledger, candidate.id, store=FolderStore(tmp_path / "store"))
    assert list((tmp_path / "outside").iterdir()) == []
    assert state(world, candidate) is State.APPROVED
    assert publish(world.home, world.ledger, candidate.id, store=FolderStore(tmp_path / "elsewhere")).version == 1


def started(world: Any) -> Candidate:
    """A process that dies after the start leaves the release publishing."""
    candidate = world.seal()
    world.approve(candidate, "ann", "bob")
    release = read_history(world.ledger).find(candidate.id)
    act = Act(Action.PUBLISH, candidate=candidate.id, policy_digest=release.policy_digest, target="people", version=1)
    start = decide(release, act, Actor("publisher", "", ActorRole.PUBLISHER), OperatorRules(), world.ledger.now())
    world.ledger.append(release.release_id, start.events, release.events, "publisher")
    return candidate


@pytest.mark.parametrize("begun", [False, True])
def test_what_somebody_ran_is_published_only_while_their_key_counts(world: Any, begun: bool) -> None:
    if begun:
        candidate = started(world)
    else:
        candidate = world.seal()
        world.approve(candidate, "ann", "bob")
    world.revoke("runner")
    with pytest.raises(TransitionRefused, match="the key of runner, who ran the release, is revoked"):
        world.publish(candidate)
    assert versions(world) == []
    (world.home.root / "revoked_keys").unlink()
    assert world.publish(candidate).version == 1


def test_a_publication_that_was_cut_short_goes_on_only_while_it_could_begin(world: Any) -> None:
    """It went on at any later time: neither deadline nor target were asked again."""
    world.expires = timedelta(days=30)
    candidate, operator = started(world), world.home.root / "operator.yaml"
    operator.write_text(f"targets: {{others: {world.home.root}}}\n")
    with pytest.raises(TransitionRefused, match="people is not a target"):
        world.publish(candidate)
    operator.unlink()
    world.clock.moment += timedelta(days=31)
    with pytest.raises(TransitionRefused, match="the deadline has passed") as refused:
        world.publish(candidate)
    assert (versions(world), "headgate withdraw" in refused.value.cure) == ([], True)
    assert withdraw(world.home, world.ledger, candidate.id, world.keys["bob"], "too late").release.state is State.WITHDRAWN


def test_a_version_in_place_is_finished_whatever_has_expired_since(world: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    world.expires, honest = timedelta(days=30), FolderDraft.place
    candidate = started(world)
    with monkeypatch.context() as dying:
        dying.setattr(FolderDraft, "place", lambda draft: honest(draft) / 0)
        with pytest.raises(ZeroDivisionError):
            world.publish(candidate)
    world.clock.moment += timedelta(days=31)
    assert world.publish(candidate).release.state is State.PUBLISHED


@pytest.mark.parametrize("meanwhile", ["withdrawn", "stalled", "publishing"])
def test_a_publication_that_stood_still_places_nothing_that_others_have_taken_over(
    world: Any, meanwhile: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Stopped for three minutes before its last step, it went on after its release was withdrawn: the version appeared, unmarked."""
    candidate, honest = started(world), FolderDraft.read

    def stopped(draft: FolderDraft) -> Any:
        files, store = honest(draft), world.ledger.store
        with store.writing() as stored:
            stored.set_lock(replace(stored.lock_of("people"), beat=0.0))
        if meanwhile == "publishing":
            acquire(store, "people", "release-1", this_process(), time.time())
        else:
            does = withdraw if meanwhile == "withdrawn" else abandon
            does(world.home, world.ledger, candidate.id, world.keys["cyd"], "it hangs")
        return files

    with monkeypatch.context() as sleeping:
        sleeping.setattr(FolderDraft, "read", stopped)
        with pytest.raises(TransitionRefused, match="This process stood still") as refused:
            world.publish(candidate)
    assert "may be out" not in refused.value.message
    assert (versions(world), state(world, candidate)) == ([], State(meanwhile))


def test_a_publication_that_stood_still_does_not_move_latest_after_a_withdrawal(world: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    candidate, honest = started(world), publish_version.latest_version

    def stopped(releases: Any) -> int | None:
        newest = honest(releases)
        with world.ledger.store.writing() as stored:
            stored.set_lock(replace(stored.lock_of("people"), beat=0.0))
        withdraw(world.home, world.ledger, candidate.id, world.keys["cyd"], "it hangs")
        return newest

    with monkeypatch.context() as sleeping:
        sleeping.setattr(publish_version, "latest_version", stopped)
        with pytest.raises(TransitionRefused, match="is out, and something is left to do. This process stood still"):
            world.publish(candidate)
    assert versions(world) == ["1"]
    assert verify_folder(world.home.releases / "people" / "1").withdrawn.startswith("by cyd")


def test_whoever_looks_at_a_release_while_it_is_published_does_not_stop_it(world: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    candidate, honest = started(world), FolderDraft.read

    def viewed(draft: FolderDraft) -> Any:
        release = read_history(world.ledger).find(candidate.id)
        view = Act(Action.VIEW, candidate=candidate.id, policy_digest=release.policy_digest)
        record_transition(world.ledger, release, view, Actor("reader", "", ActorRole.READER), "")
        return honest(draft)

    monkeypatch.setattr(FolderDraft, "read", viewed)
    assert world.publish(candidate).version == 1


def test_a_stalled_publication_is_resumed_by_the_operator(world) -> None:
    """The operator may stall what was left publishing, and let it go on, with reasons."""
    candidate = started(world)
    assert abandon(world.home, world.ledger, candidate.id, world.keys["cyd"], "the disk is full").state is State.STALLED
    with pytest.raises(TransitionRefused, match="stalled"):
        world.publish(candidate)
    assert resume(world.home, world.ledger, candidate.id, world.keys["cyd"], "there is room again").state is State.PUBLISHING
    assert verify_folder(world.publish(candidate).folder).version == 1
