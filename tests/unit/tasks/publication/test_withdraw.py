from __future__ import annotations

import json
import os
import signal

import pytest

from headgate.core.errors import PublicationFailed
from tasks.approval.operating import abandon
from tasks.publication.withdraw import withdraw
from tasks.stores.store_folder import FolderSeries
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
    assert mark["signatures"][0]["keyid"] == world.keys["cyd"].fingerprint
    assert verify_folder(second.folder).withdrawn == "by cyd on 2025-06-01"
    assert not verify_folder(first.folder).withdrawn
    again = withdraw(world.home, world.ledger, "release-2", world.keys["cyd"], "a wrong column")
    assert (again.latest, again.already) == (1, True)
    assert world.published().version == 3


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
