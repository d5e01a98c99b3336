"""`headgate releases`: every release with its state; nothing is written."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from policies.ledger.events import NothingNew, ReleaseRefused, RunFailed, RunStarted, SourceIngested
from policies.sealed.manifest import Signer
from policies.words.publication_moment import PublicationMoment
from tasks.approval.decisions import request_changes
from tasks.approval.kept_policies import keep_policy
from tasks.approval.registered_policies import register
from tasks.ledger.open_ledger import open_ledger
from tasks.reading.references import load_policy
from tasks.release.run import scheduled_policy
from tasks.runtime.home import Home
from tasks.signing.home_keys import machine_key
from tests.unit.flows.schedules.test_scheduled_policies import SCHEDULE, written

KEYS = ["dataset", "release", "started", "candidate", "state", "approvals", "required", "version", "purged"]


def test_without_a_release_there_is_a_sentence_and_an_empty_list(run: Any) -> None:
    open_ledger(Home.open())
    assert (run("releases").out, run("releases", "--json").json) == ("No releases yet.\n", {"releases": []})


def test_an_empty_ledger_of_a_home_that_has_seen_another_is_not_one_without_releases(run: Any, world: Any, monkeypatch: Any) -> None:
    """HEADGATE_DATABASE_URL was forgotten, and a home full of releases was said to have none."""
    world.published()
    monkeypatch.setenv("HEADGATE_DATABASE_URL", f"sqlite:///{world.home.root}/another.db")
    open_ledger(Home.open())
    outcome = run("releases")
    assert (outcome.code, outcome.out) == (5, "")
    assert "HEADGATE_DATABASE_URL" in outcome.err


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
    line = run("releases", "--state", "failed").out.splitlines()[1].split()
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
        "purged": None,
    }
    assert len(world.ledger.entries()) == before


def test_audit_list_is_the_same_command(run: Any, world: Any) -> None:
    world.seal()
    assert run("audit", "list").out == run("releases").out
    assert run("audit", "list", "--json").json == run("releases", "--json").json


def test_a_home_that_cannot_be_used_is_told_as_that(run: Any, tmp_path: Any) -> None:
    (tmp_path / "home").write_text("a file where the folder should be")
    assert run("releases", "--json").error["code"] == 6


def run_of(world: Any, dataset: str, *ends: tuple[Any, dict[str, Any]], scheduled: bool = True) -> str:
    """A run that came to no candidate."""
    key, release = world.keys["runner"], f"{len(world.ledger.entries()):016x}"
    base = {"release_id": release, "at": world.ledger.now().isoformat()}
    machine = {"machine": machine_key(world.home.keys).fingerprint, "registered": base["at"]} if scheduled else {}
    runner = Signer(principal="runner", fingerprint=key.fingerprint)
    begun = RunStarted(**base, dataset=dataset, policy_digest="a" * 64, runner=runner, product="headgate", **machine)
    world.ledger.append(release, [begun, *(kind(**base, **payload) for kind, payload in ends)], 0, "runner")
    return release


INGESTED = (SourceIngested, {"rows": 5, "columns": 2, "source_hmac": "c" * 64})
UNREACHABLE = (RunFailed, {"step": "ingest", "error": "StoreUnavailable", "code": 6})
REFUSED = (ReleaseRefused, {"failed": ("k", "linkability")})


def registered_policy(world: Any, folder: Path, dataset: str, schedule: str = SCHEDULE) -> None:
    loaded, key = load_policy(written(folder, f"{dataset}.yaml", dataset, schedule)), world.keys["runner"]
    keep_policy(world.home, loaded)
    register(world.home, world.ledger, scheduled_policy(loaded), Signer(principal="runner", fingerprint=key.fingerprint), key)


def test_a_run_that_failed_and_one_that_was_refused_say_what_to_do(run: Any, world: Any) -> None:
    """The list said `failed` and `refused`, and nothing else."""
    refused, failed = run_of(world, "survey", INGESTED, REFUSED), run_of(world, "clinic", UNREACHABLE)
    report = world.home.refused / refused / "report.html"
    report.parent.mkdir(parents=True)
    report.write_text("<p>figures</p>")
    shown = run("releases").out
    assert f"survey: release {refused[:12]} was refused: k and linkability were not met.\nCure: Read {report}: it says" in shown
    assert f"clinic: release {failed[:12]} failed while reading the source: a store, a server or the home could not be used.\n" in shown
    assert "run `headgate release POLICY`" in shown
    problems = [release["problem"] for release in run("releases", "--json").json["releases"]]
    assert [(problem["step"], problem["code"], problem["failed"]) for problem in problems] == [
        (None, 3, ["k", "linkability"]),
        ("ingest", 6, []),
    ]


def test_what_a_later_run_has_made_good_is_said_only_to_whoever_looks_for_it(run: Any, world: Any) -> None:
    run_of(world, "people", UNREACHABLE)
    world.seal()
    assert "failed while" not in run("releases").out
    assert "failed while" in run("releases", "--state", "failed").out


def test_the_calendar_says_when_each_schedule_runs_next_and_how_it_ended_last(run: Any, world: Any, tmp_path: Path) -> None:
    registered_policy(world, tmp_path, "clinic")
    registered_policy(world, tmp_path, "survey", SCHEDULE.replace("0 3 1 * *", "* * * * *"))
    run_of(world, "clinic", INGESTED, REFUSED)
    world.seal(dataset="survey")  # by hand: not a run of the schedule
    survey, clinic = run("releases", "--calendar", "--json").json["runs"]
    assert (survey["dataset"], survey["last"], survey["registered_by"]) == ("survey", None, "runner")
    assert clinic["schedule"] == {"cron": "0 3 1 * *", "timezone": "Europe/Rome"}
    upcoming = datetime.fromisoformat(clinic["next"])
    assert (upcoming.day, upcoming.hour) == (1, 3)
    assert upcoming > datetime.now(UTC)
    assert (clinic["last"]["state"], clinic["last"]["problem"]["failed"]) == ("refused", ["k", "linkability"])
    shown = run("releases", "--calendar").out
    assert f"  clinic: next run on {upcoming:%Y-%m-%d} 03:00 Europe/Rome (UTC+" in shown
    assert "was refused: k and linkability were not met." in shown
    assert "Last: no run on this schedule yet." in shown
    assert [each["dataset"] for each in run("releases", "--calendar", "--dataset", "clinic", "--json").json["runs"]] == ["clinic"]


def test_a_moment_that_passed_without_a_run_is_seen(run: Any, world: Any, tmp_path: Path) -> None:
    """As when the machine was off, or nobody runs `serve`."""
    now = world.clock.moment
    world.clock.moment = now - timedelta(days=40)
    registered_policy(world, tmp_path, "clinic")
    world.clock.moment = now
    (clinic,) = run("releases", "--calendar", "--json").json["runs"]
    assert datetime.fromisoformat(clinic["missed"]) <= now
    assert "A run has been due since " in run("releases", "--calendar").out
    run_of(world, "clinic", INGESTED, (NothingNew, {"candidate": "d" * 64}))
    (clinic,) = run("releases", "--calendar", "--json").json["runs"]
    assert (clinic["missed"], clinic["last"]["state"]) == (None, "nothing_new")


def test_a_schedule_whose_policy_the_home_does_not_keep_is_named(run: Any, world: Any, tmp_path: Path) -> None:
    """Earlier versions kept a policy when it ran first."""
    registered_policy(world, tmp_path, "clinic")
    for file in world.home.policies.iterdir():
        file.unlink()
    (clinic,) = run("releases", "--calendar", "--json").json["runs"]
    assert (clinic["schedule"], clinic["next"]) == (None, None)
    assert "clinic: its schedule is not known here." in run("releases", "--calendar").out


def test_the_calendar_says_who_has_signed_what_is_needed_and_who_could_give_it(run: Any, world: Any) -> None:
    world.expires = timedelta(days=30)
    candidate = world.seal(roles_required=world.hold_roles(methods=("bob",)))
    world.approve(candidate, "ann")
    (awaiting,) = run("releases", "--calendar", "--json").json["awaiting"]
    assert awaiting["signed"] == [{"principal": "ann", "roles": []}]
    assert awaiting["missing"] == {"roles": {"methods": 1}, "others": 0}
    assert awaiting["could_sign"] == [{"principal": "bob", "roles": ["methods"]}]
    assert datetime.fromisoformat(awaiting["expires"]) > datetime.fromisoformat(awaiting["since"]) + timedelta(days=29)
    shown = run("releases", "--calendar").out
    for line in ("Signed: ann.", "Still needed: 1 more person with the role methods.", "Could sign: bob (methods)."):
        assert f"    {line}\n" in shown
    assert f"    Expires: {awaiting['expires'][:16].replace('T', ' ')} UTC.\n" in shown


def test_the_calendar_does_not_say_who_has_signed_where_votes_are_hidden(run: Any, world: Any) -> None:
    """Nor by leaving out of those who may sign the one who has."""
    world.approve(world.seal(blind=True), "ann")
    (awaiting,) = run("releases", "--calendar", "--json").json["awaiting"]
    assert (awaiting["approvals"], awaiting["signed"]) == (1, None)
    assert [each["principal"] for each in awaiting["could_sign"]] == ["ann", "bob", "cyd"]
    shown = run("releases", "--calendar").out
    assert "    Signed: 1 person. Who signed is hidden until it is decided.\n    Needed in all: 2 people.\n" in shown
    assert "May sign: ann, bob, cyd." in shown


def test_the_calendar_says_what_runs_and_whether_its_process_lives(run: Any, world: Any) -> None:
    gone, here = run_of(world, "survey"), run_of(world, "clinic", scheduled=False)
    with world.ledger.lock("clinic", here):
        running = run("releases", "--calendar", "--json").json["running"]
        shown = run("releases", "--calendar").out
    assert [(each["release"], each["scheduled"], each["alive"]) for each in running] == [(gone, True, False), (here, False, True)]
    assert f"clinic: release {here[:12]}, running since " in shown
    assert shown.count("Its process has ended.") == 1
    assert f"`headgate abandon {gone[:12]} " in shown


def test_changes_that_nobody_has_answered_wait_for_who_ran_it(run: Any, world: Any) -> None:
    candidate = world.seal()
    request_changes(world.home, world.ledger, candidate.id, world.keys["ann"], "coarser ages")
    (asked,) = run("releases", "--calendar", "--json").json["changes_requested"]
    assert asked["candidate"] == candidate.id
    assert ", changes requested, waiting for a new run by runner since " in run("releases", "--calendar").out
    world.seal(answers=(candidate.id,))
    assert run("releases", "--calendar", "--json").json["changes_requested"] == []


def test_the_calendar_says_what_is_published_when(run: Any, world: Any) -> None:
    assert run("releases", "--calendar").out.endswith("Nothing runs, nothing waits, and no policy is registered to run on a schedule.\n")
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
    assert "as soon as `headgate serve` or `headgate publish` runs" in shown
    assert f"{due:%Y-%m-%d %H:%M} Europe/Rome" in shown
