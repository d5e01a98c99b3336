"""`headgate publish`: which version it became and where; nothing is published on a non-zero exit."""

from __future__ import annotations

import shlex
from typing import Any

import pytest


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
