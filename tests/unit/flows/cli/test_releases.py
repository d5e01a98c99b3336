"""`headgate releases`: every release with its state; nothing is written."""

from __future__ import annotations

from typing import Any

KEYS = ["dataset", "release", "started", "candidate", "state", "approvals", "required", "version"]


def test_without_a_release_there_is_a_sentence_and_an_empty_list(run: Any) -> None:
    assert (run("releases").out, run("releases", "--json").json) == ("No releases yet.\n", {"releases": []})


def test_each_release_has_its_line_in_the_order_of_the_ledger(run: Any, world: Any) -> None:
    first = world.published()
    second = world.seal()
    world.approve(second, "ann")
    listed = run("releases")
    assert (listed.code, listed.err) == (0, "")
    heading, *lines = [line.split() for line in listed.out.splitlines()]
    assert heading == ["dataset", "started", "candidate", "state", "approvals", "version"]
    assert [(line[0], line[3], line[-1]) for line in lines] == [
        ("people", first.release.candidate[:12], "1"),
        ("people", second.id[:12], "2"),
    ]
    assert "published" in listed.out
    assert "awaiting approval" in listed.out
    assert "1 of 2" in listed.out


def test_the_document_has_the_keys_of_the_contract(run: Any, world: Any) -> None:
    candidate = world.seal()
    before = len(world.ledger.entries())
    (release,) = run("releases", "--json").json["releases"]
    assert list(release) == KEYS
    assert release["started"] == world.ledger.entries()[0].at
    assert {**release, "started": ""} == {
        "dataset": "people",
        "release": "release-1",
        "started": "",
        "candidate": candidate.id,
        "state": "awaiting_approval",
        "approvals": 0,
        "required": 2,
        "version": None,
    }
    assert len(world.ledger.entries()) == before


def test_audit_list_is_the_same_command(run: Any, world: Any) -> None:
    world.seal()
    assert run("audit", "list").out == run("releases").out
    assert run("audit", "list", "--json").json == run("releases", "--json").json


def test_a_home_that_cannot_be_used_is_told_as_that(run: Any, tmp_path: Any) -> None:
    (tmp_path / "home").write_text("a file where the folder should be")
    assert run("releases", "--json").error["code"] == 6
