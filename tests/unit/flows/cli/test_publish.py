"""`headgate publish`: which version it became and where; nothing is published on a non-zero exit."""

from __future__ import annotations

import os
import shlex
import signal
from typing import Any

import pytest

from tasks.stores.store_folder import FolderDraft


@pytest.fixture(autouse=True)
def _without_prefect(plain_publication: None, without_server: None) -> None:
    """The flow as a plain function; Prefect's own part is seen by functional tests."""


def test_the_version_and_its_folder_are_one_object(run: Any, world: Any) -> None:
    candidate = world.seal()
    world.approve(candidate, "ann", "bob")
    published = run("publish", candidate.id[:8], "--json")
    folder = world.home.releases / "people" / "1"
    assert (published.code, published.err) == (0, "")
    assert published.json == {"candidate": candidate.id, "state": "published", "version": 1, "folder": str(folder)}
    assert (folder / "manifest.json").exists()


def test_people_are_told_how_to_verify_it(run: Any, world: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    store = world.home.root / "a store"
    monkeypatch.setenv("HEADGATE_STORE", str(store))
    candidate = world.seal()
    world.approve(candidate, "ann", "bob")
    published = run("publish", candidate.id)
    assert (published.code, published.err) == (0, "")
    assert published.out.splitlines() == [
        f"Published as version 1: {store / 'people' / '1'}",
        f"  headgate verify {shlex.quote(str(store / 'people' / '1'))}",
    ]


def test_a_signal_after_the_rename_does_not_make_it_say_that_nothing_was_published(
    run: Any, world: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ctrl-C between the rename and the ledger's event left a version out, and the command said that there was none."""
    honest = FolderDraft.place

    def interrupted(self: FolderDraft) -> bool:
        placed = honest(self)
        os.kill(os.getpid(), signal.SIGINT)
        return placed

    candidate = world.seal()
    world.approve(candidate, "ann", "bob")
    with monkeypatch.context() as stopping:
        stopping.setattr(FolderDraft, "place", interrupted)
        published = run("publish", candidate.id, "--json")
    assert (published.code, published.err) == (0, "")
    assert (published.json["state"], published.json["version"]) == ("published", 1)
    assert (world.home.releases / "people" / "latest").exists()


def test_a_signal_before_the_rename_publishes_nothing_and_says_so(run: Any, world: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(self: FolderDraft, path: str, content: bytes) -> None:
        os.kill(os.getpid(), signal.SIGINT)

    candidate = world.seal()
    world.approve(candidate, "ann", "bob")
    with monkeypatch.context() as stopping:
        stopping.setattr(FolderDraft, "write", interrupted)
        stopped = run("publish", candidate.id, "--json")
    assert (stopped.code, stopped.error["code"]) == (130, 130)
    assert "nothing was published" in stopped.error["message"]
    assert list((world.home.releases / "people").iterdir()) == []
    assert run("publish", candidate.id, "--json").json["version"] == 1


def test_without_its_approvals_nothing_is_published(run: Any, world: Any) -> None:
    candidate = world.seal()
    world.approve(candidate, "ann")
    early = run("publish", candidate.id, "--json")
    assert early.error["code"] == 4
    assert "approvals" in early.error["message"]
    assert not world.home.releases.exists()


def test_an_unknown_candidate_is_bad_input(run: Any, world: Any) -> None:
    world.seal()
    assert run("publish", "0" * 12, "--json").error["code"] == 2
