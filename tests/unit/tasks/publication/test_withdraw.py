from __future__ import annotations

import json
import os
import signal

import pytest

from headgate.core.errors import PublicationFailed, TransitionRefused
from policies.ledger.states import State
from tasks.approval.inspection import view_candidate
from tasks.approval.operating import abandon
from tasks.ledger.history import read_whole
from tasks.publication.withdraw import withdraw
from tasks.signing.home_keys import ledger_key
from tasks.stores.store_folder import FolderDraft, FolderSeries
from tasks.verification.audit import verify_audit
from tasks.verification.verify import verify_folder
from tests.unit.tasks.publication.test_publish_version import versions


def test_withdrawing_the_latest_marks_it_and_moves_latest_back(world) -> None:
    first, second = world.published(), world.published()
    done = withdraw(world.home, world.ledger, "release-2", world.keys["cyd"], "a wrong column")
    assert (done.latest, done.already) == (1, False)
    assert FolderSeries(world.home.releases, "people").latest() == 1
    path = second.folder / "withdrawn.json"
    mark = json.loads(path.read_text())
    assert (path.stat().st_mode & 0o777, second.folder.stat().st_mode & 0o777) == (0o444, 0o755)
    assert mark["signatures"][0]["keyid"] == ledger_key(world.home.keys).fingerprint
    assert verify_folder(second.folder).withdrawn == "by cyd on 2025-06-01"
    assert not verify_folder(first.folder).withdrawn
    again = withdraw(world.home, world.ledger, "release-2", world.keys["cyd"], "a wrong column")
    assert (again.latest, again.already) == (1, True)
    assert world.published().version == 3


def test_the_version_that_latest_names_again_counts_as_published(world) -> None:
    """It stayed "superseded" by a version that nobody may use."""

    def states() -> list[str]:
        return [str(release.state) for release in read_whole(world.ledger).releases()]

    first = world.published()
    world.published()
    assert states() == ["superseded", "published"]
    withdraw(world.home, world.ledger, "release-2", world.keys["cyd"], "a wrong column")
    assert states() == ["published", "withdrawn"]
    viewed = view_candidate(world.home, world.ledger, "release-1")
    assert (viewed.candidate.manifest.release_id, str(viewed.release.state), first.version) == ("release-1", "published", 1)
    assert verify_audit(world.home, world.ledger).unfinished == ()
    world.published()
    assert states() == ["superseded", "withdrawn", "published"]


def test_withdrawing_an_older_version_leaves_latest_and_the_only_one_leaves_none(world) -> None:
    world.published()
    world.published()
    assert withdraw(world.home, world.ledger, "release-1", world.keys["ann"], "old").latest == 2
    assert withdraw(world.home, world.ledger, "release-2", world.keys["ann"], "too").latest is None
    assert versions(world) == ["1", "2"]


def test_a_candidate_that_was_never_put_in_place_has_nothing_to_mark(world, monkeypatch: pytest.MonkeyPatch) -> None:
    import tasks.publication.publish_version

    first, candidate = world.published(), world.seal()
    world.approve(candidate, "ann", "bob")

    def gone(*_arguments: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as broken:
        broken.setattr(tasks.publication.publish_version, "_put_in_place", gone)
        with pytest.raises(PublicationFailed):
            world.publish(candidate)
    abandon(world.home, world.ledger, candidate.id, world.keys["cyd"], "the disk is full")
    done = withdraw(world.home, world.ledger, candidate.id, world.keys["ann"], "not needed any more")
    assert (done.release.version, done.latest) == (2, first.version)
    assert versions(world) == ["1", "latest"]
    assert verify_audit(world.home, world.ledger).unfinished == ()


def test_a_withdrawal_that_cannot_be_written_is_unfinished_and_finished_later(world, monkeypatch: pytest.MonkeyPatch) -> None:
    world.published()
    second = world.published()

    def full(*_arguments: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as broken:
        broken.setattr(FolderSeries, "mark_withdrawn", full)
        with pytest.raises(PublicationFailed, match="No space left") as failed:
            withdraw(world.home, world.ledger, "release-2", world.keys["cyd"], "a wrong column")
    assert "withdraw again" in failed.value.cure
    assert len(verify_audit(world.home, world.ledger).unfinished) == 1
    assert not verify_folder(second.folder).withdrawn
    withdraw(world.home, world.ledger, "release-2", world.keys["cyd"], "a wrong column")
    assert verify_folder(second.folder).withdrawn
    assert verify_audit(world.home, world.ledger).unfinished == ()


def test_a_signal_during_the_withdrawal_is_obeyed_when_it_is_whole(world, monkeypatch: pytest.MonkeyPatch) -> None:
    world.published()
    second = world.published()
    honest = FolderSeries.point_latest

    def interrupted(self: FolderSeries, number: int | None) -> None:
        os.kill(os.getpid(), signal.SIGINT)
        honest(self, number)

    monkeypatch.setattr(FolderSeries, "point_latest", interrupted)
    with pytest.raises(KeyboardInterrupt):
        withdraw(world.home, world.ledger, "release-2", world.keys["cyd"], "a wrong column")
    assert verify_folder(second.folder).withdrawn
    assert verify_audit(world.home, world.ledger).unfinished == ()


@pytest.mark.parametrize("placed", [False, True])
def test_what_a_killed_publication_left_is_taken_back_by_those_who_agreed_to_it(
    world, placed: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever publishes could kill their own command after its first event: from then on nobody else could take back what was agreed, and
    they published it whenever they liked."""
    candidate, honest = world.seal(), FolderDraft.place
    world.approve(candidate, "ann", "bob")

    def killed(draft: FolderDraft) -> bool:
        if placed:
            honest(draft)
        raise OSError(5, "Input/output error")

    with monkeypatch.context() as dying:
        dying.setattr(FolderDraft, "place", killed)
        with pytest.raises(PublicationFailed):
            world.publish(candidate)
    assert verify_audit(world.home, world.ledger).unfinished == (
        f"Version 1 of people: publish {candidate.id[:12]} again to finish it, or withdraw it.",
    )
    with pytest.raises(TransitionRefused, match="not on the list"):
        withdraw(world.home, world.ledger, candidate.id, world.keys["stranger"], "mischief")
    done = withdraw(world.home, world.ledger, candidate.id, world.keys["ann"], "must not go out")
    assert (done.release.state, done.latest) == (State.WITHDRAWN, None)
    assert verify_audit(world.home, world.ledger).unfinished == ()
    with pytest.raises(TransitionRefused, match="'publish' is not possible"):
        world.publish(candidate)
    assert versions(world) == (["1"] if placed else [])
    assert not placed or verify_folder(world.home.releases / "people" / "1").withdrawn.startswith("by ann")
    assert world.published().version == 2
    assert verify_audit(world.home, world.ledger).versions == (2 if placed else 1)
