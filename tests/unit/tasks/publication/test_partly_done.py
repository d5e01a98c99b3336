"""An error after a version is out, or after a withdrawal is recorded."""

from __future__ import annotations

from typing import Any

import pytest

import tasks.publication.publish_version as module
from headgate.core.errors import IntegrityBroken, PublicationFailed, StoreUnavailable
from policies.approval.acts import Act
from policies.ledger.states import Action
from tasks.publication.partly_done import partly_done
from tasks.publication.withdraw import withdraw
from tasks.stores.store_folder import FolderDraft, FolderSeries
from tasks.verification.audit import verify_audit


@pytest.mark.parametrize("problem", [StoreUnavailable("The server is gone.", "Start it."), IntegrityBroken("A link broke.", "Look.")])
def test_an_error_keeps_its_kind_and_says_first_what_is_done(problem: Any) -> None:
    message, cure = problem.message, problem.cure
    with pytest.raises(type(problem)) as failed, partly_done("It is out.", "/people", "publish"):
        raise problem
    assert failed.value.message == f"It is out. {message}"
    assert failed.value.cure == f"{cure} Then publish again: that finishes what is left."


def test_a_disk_that_fails_is_said_in_its_own_words_and_without_its_path() -> None:
    with pytest.raises(PublicationFailed) as failed, partly_done("It is out.", "/people", "publish"):
        raise OSError(28, "CANARY", "CANARY")
    assert failed.value.message == "It is out. /people could not be written (No space left on device)."
    assert "CANARY" not in str(failed.value)


def full(*_arguments: object) -> None:
    raise OSError(28, "No space left on device")


def gone(*_arguments: object) -> None:
    raise StoreUnavailable("The ledger's database cannot be used.", "Check that it runs.")


@pytest.mark.parametrize(
    ("owner", "name", "act", "code"), [(FolderSeries, "point_latest", full, 6), (module, "_record", gone, 6), (module, "_settle", gone, 6)]
)
def test_a_version_that_is_out_is_said_to_be_out_whatever_fails_after_it(
    world: Any, monkeypatch: pytest.MonkeyPatch, owner: Any, name: str, act: Any, code: int
) -> None:
    candidate, honest = world.seal(), getattr(owner, name)
    world.approve(candidate, "ann", "bob")

    def at_the_end(*arguments: Any) -> Any:
        begins = any(isinstance(argument, Act) and argument.action is Action.PUBLISH for argument in arguments)
        return honest(*arguments) if begins else act()

    with monkeypatch.context() as broken:
        broken.setattr(owner, name, at_the_end)
        with pytest.raises(PublicationFailed if act is full else StoreUnavailable) as failed:
            world.publish(candidate)
    assert failed.value.message.startswith("Version 1 of people is out, and something is left to do. ")
    assert failed.value.cure.endswith("Then publish again: that finishes what is left.")
    assert failed.value.code == code
    assert (world.home.releases / "people" / "1" / "manifest.json").is_file()
    assert world.publish(candidate).version == 1
    assert verify_audit(world.home, world.ledger).unfinished == ()


def test_where_the_last_step_itself_fails_nobody_says_that_nothing_is_out(world: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """The rename is done, and its folder cannot be flushed to disk."""
    candidate, honest = world.seal(), FolderDraft.place
    world.approve(candidate, "ann", "bob")

    def placed(self: FolderDraft) -> bool:
        honest(self)
        raise OSError(5, "Input/output error")

    with monkeypatch.context() as broken:
        broken.setattr(FolderDraft, "place", placed)
        with pytest.raises(PublicationFailed, match=r"^Version 1 of people may be out already\. .*Input/output error"):
            world.publish(candidate)
    assert world.publish(candidate).version == 1
    assert verify_audit(world.home, world.ledger).unfinished == ()


def test_a_withdrawal_that_is_recorded_is_said_to_be(world: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    world.published()
    with monkeypatch.context() as broken:
        broken.setattr(FolderSeries, "point_latest", gone)
        with pytest.raises(StoreUnavailable) as failed:
            withdraw(world.home, world.ledger, "release-1", world.keys["ann"], "a mistake")
    assert failed.value.message.startswith("The withdrawal is signed and recorded, and something is left to do. ")
    assert failed.value.cure.endswith("Then withdraw again: that finishes what is left.")
    withdraw(world.home, world.ledger, "release-1", world.keys["ann"], "a mistake")
    assert verify_audit(world.home, world.ledger).unfinished == ()
