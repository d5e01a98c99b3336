"""`headgate publish`: which version it became and where; what is out is said on a non-zero exit too."""

from __future__ import annotations

import os
import shlex
import signal
from typing import Any

import pytest

from flows import publish as flow
from headgate.core.errors import StoreUnavailable
from tasks.runtime import prefect_server
from tasks.stores.store_folder import FolderDraft, FolderSeries


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


def gone(*_arguments: object) -> None:
    raise StoreUnavailable("The server is gone.", "Start it.")


def test_an_error_when_nothing_is_left_to_do_does_not_make_it_fail(run: Any, world: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """The version is out, recorded and named by `latest`; only then a server goes away."""
    candidate = world.seal()
    world.approve(candidate, "ann", "bob")
    monkeypatch.setattr(flow.steps, "audit", gone)
    published = run("publish", candidate.id, "--json")
    assert (published.code, published.json["version"]) == (0, 1)
    again = run("publish", candidate.id, "--json")
    assert (again.code, again.error["code"]) == (6, 6)


def test_an_error_while_something_is_left_to_do_says_what_is_out(run: Any, world: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    candidate = world.seal()
    world.approve(candidate, "ann", "bob")
    with monkeypatch.context() as broken:
        broken.setattr(FolderSeries, "point_latest", gone)
        failed = run("publish", candidate.id, "--json")
    assert (failed.code, failed.error["code"]) == (6, 6)
    assert failed.error["message"] == "Version 1 of people is out, and something is left to do. The server is gone."
    assert "Then publish again" in failed.error["cure"]
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


def test_what_cannot_be_published_is_said_before_a_server_is_started(run: Any, world: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """A server was started first, for 12 to 28 seconds."""

    def never(*_given: Any, **_named: Any) -> Any:
        raise AssertionError("a server was started")

    monkeypatch.setattr(prefect_server, "prefect_api", never)
    candidate = world.seal()
    world.approve(candidate, "ann")
    before = len(world.ledger.entries())
    assert run("publish", candidate.id, "--json").error["code"] == 4
    world.approve(candidate, "bob")
    world.revoke("bob")
    refused = run("publish", candidate.id, "--json")
    assert (refused.error["code"], "revoked" in refused.error["message"]) == (4, True)
    (world.home.root / "revoked_keys").unlink()
    assert run("publish", world.seal(dataset="others").id, "--json").error["code"] == 4
    report = candidate.folder / "report.html"
    report.chmod(0o600)
    report.write_text("<p>something else</p>")
    assert run("publish", candidate.id, "--json").error["code"] == 5
    assert not world.home.releases.exists()
    assert [entry.type for entry in world.ledger.entries()[before:] if entry.type == "publishing"] == []
