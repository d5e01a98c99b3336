"""`headgate releases`: every release with its state; nothing is written."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from policies.ledger.events import RunFailed, RunStarted
from policies.words.publication_moment import PublicationMoment
from tasks.ledger.open_ledger import open_ledger
from tasks.runtime.home import Home

KEYS = ["dataset", "release", "started", "candidate", "state", "approvals", "required", "version"]


def test_without_a_release_there_is_a_sentence_and_an_empty_list(run: Any) -> None:
    open_ledger(Home.open())
    assert (run("releases").out, run("releases", "--json").json) == ("No releases yet.\n", {"releases": []})


def test_a_home_without_a_ledger_is_not_one_without_releases_and_none_is_made(run: Any, monkeypatch: Any, tmp_path: Path) -> None:
    """A mistyped home was made, and was green."""
    mistyped = tmp_path / "hme"
    monkeypatch.setenv("HEADGATE_HOME", str(mistyped))
    commands = (
        ("releases",), ("audit", "list"), ("audit", "verify"), ("audit", "export"), ("audit", "show", "release-1"), ("show", "0" * 64),
        ("publish", "0" * 64), ("audit", "export", "release-1", "--bundle"), ("attack", "0" * 64),
        ("statement", "0" * 64, "--as", "ann", "--reason", "read"),
    )  # fmt: skip
    for command in commands:
        outcome = run(*command)
        assert (outcome.code, mistyped.exists()) == (6, False), command
        assert f"There is no ledger in {mistyped}." in " ".join(outcome.err.split()), command


def test_each_release_has_its_line_in_the_order_of_the_ledger(run: Any, world: Any) -> None:
    first = world.published()
    second = world.seal()
    world.approve(second, "ann")
    listed = run("releases")
    assert (listed.code, listed.err) == (0, "")
    heading, *lines = [line.split() for line in listed.out.splitlines()]
    assert heading == ["dataset", "started", "id", "state", "approvals", "version"]
    assert [(line[0], line[3], line[-1]) for line in lines] == [
        ("people", first.release.candidate[:12], "1"),
        ("people", second.id[:12], "2"),
    ]
    assert "published" in listed.out
    assert "awaiting approval" in listed.out
    assert "1 of 2" in listed.out


def test_a_run_without_a_candidate_shows_the_id_that_every_command_takes(run: Any, world: Any) -> None:
    """It could be found in `--json` only."""
    runner, release = world.seal().manifest.runner, "0123456789abcdef"
    base = {"release_id": release, "at": world.ledger.now().isoformat()}
    begun = RunStarted(**base, dataset="people", policy_digest="a" * 64, runner=runner, product="headgate")
    world.ledger.append(release, (begun, RunFailed(**base, step="ingest", error="InputRejected", code=2)), 0, "runner")
    (line,) = [line.split() for line in run("releases", "--state", "failed").out.splitlines()[1:]]
    assert line[-2:] == [release[:12], "failed"]
    assert f"release {release}: failed" in run("audit", "show", release[:12]).out


def test_only_what_is_asked_for_is_listed(run: Any, world: Any) -> None:
    first, second = world.published(), world.seal()
    tomorrow = (datetime.now(UTC) + timedelta(days=1)).date().isoformat()
    both = [first.release.candidate, second.id]

    def listed(*options: str) -> list[str]:
        return [release["candidate"] for release in run("releases", *options, "--json").json["releases"]]

    assert listed("--dataset", "people") == both
    assert listed("--dataset", "others") == []
    assert listed("--state", "awaiting-approval") == listed("--state", "awaiting approval") == [second.id]
    assert listed("--dataset", "people", "--state", "published", "--since", "2020-01-01") == [first.release.candidate]
    assert (listed("--since", tomorrow), run("releases", "--since", tomorrow).out) == ([], "No release matches.\n")
    for wrong in (("--state", "refusd"), ("--since", "yesterday")):
        refused = run("releases", *wrong)
        assert (refused.code, wrong[1] in refused.err) == (2, True)


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
    assert f"{due:%Y-%m-%d %H:%M} Europe/Rome" in shown
