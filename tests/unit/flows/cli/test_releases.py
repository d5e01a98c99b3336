"""`headgate releases`: every release with its state; nothing is written."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from policies.words.publication_moment import PublicationMoment

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


def test_the_calendar_says_what_is_published_when_and_nothing_else(run: Any, world: Any) -> None:
    assert run("releases", "--calendar").out == "No approved candidate waits to be published.\n"
    tuesdays = PublicationMoment(cron="30 9 * * 2", timezone="Europe/Rome")
    world.published()
    waiting, at_once = world.seal(not_before=tuesdays), world.seal()
    world.seal()
    for candidate in (waiting, at_once):
        world.approve(candidate, "ann", "bob")
    rows = run("releases", "--calendar", "--json").json["calendar"]
    assert [(row["candidate"], row["due"], row["timezone"]) for row in rows] == [
        (at_once.id, None, None),
        (waiting.id, rows[1]["due"], "Europe/Rome"),
    ]
    due, approved = datetime.fromisoformat(rows[1]["due"]), datetime.fromisoformat(world.ledger.entries()[-3].at)
    assert (due.weekday(), due.hour, due.minute) == (1, 9, 30)
    assert approved < due <= approved + timedelta(days=7, hours=1)
    shown = run("releases", "--calendar").out
    assert "at once" in shown
    assert f"{due:%Y-%m-%dT%H:%M} Europe/Rome" in shown
