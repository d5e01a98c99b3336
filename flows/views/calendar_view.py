"""`headgate releases --calendar` for a person: what runs, what waits for whom, what is published when, and when schedules run."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

from flows.terminal.output import plain, results, tell
from flows.views.shown_figures import in_words
from headgate.core.units import counted
from policies.approval.guards import OVERTAKEN
from policies.ledger.events import moment
from policies.words.cron_moments import in_zone
from policies.words.quorum import in_words as missing_in_words

if TYPE_CHECKING:
    from policies.ledger.run_problem import RunProblem
    from policies.ledger.standing import Release
    from tasks.approval.release_calendar import Awaiting, Due, ReleaseCalendar, Running, ScheduledRun, Stuck

SHORT = 12  # digits of an id; every command takes them
UTC = ZoneInfo("UTC")


def show_calendar(calendar: ReleaseCalendar) -> None:
    """Each entry is a line and, indented below it, what else there is to know."""
    _say(f"Now: {_utc(calendar.now)}")
    _section("Running", map(_running, calendar.running))
    _section(
        "Waiting for people",
        [*map(_awaiting, calendar.awaiting), *map(_stalled, calendar.stalled), *map(_asked, calendar.changes_requested)],
    )
    _section("To be published", map(_due, calendar.due))
    _section("Scheduled runs", map(_scheduled, calendar.runs))
    if calendar.empty:
        _say("Nothing runs, nothing waits, and no policy is registered to run on a schedule.")


def problem_lines(problem: RunProblem, subject: str) -> list[str]:
    """What stopped a run, and the cure."""
    return [f"{subject} {problem.what}.", f"Cure: {problem.cure}"]


def _section(title: str, entries: Iterable[list[str]]) -> None:
    for place, (first, *more) in enumerate(entries):
        if place == 0:
            _say("")
            results().print(title, style="bold")
        _say(f"  {first}")
        for line in more:
            _say(f"    {line}")


def _say(text: str) -> None:
    tell(results(), plain(text))


def _running(running: Running) -> list[str]:
    release = running.release
    who = f"{'scheduled, registered' if release.machine else 'started'} by {release.runner.principal}"
    lines = [f"{release.dataset}: release {_id(release)}, running since {_utc(running.since)} ({who})"]
    if not running.alive:
        lines.append(
            "Its process has ended. The next run of this dataset records it as failed; "
            f"so does `headgate abandon {_id(release)} --key KEY --reason TEXT`."
        )
    return lines


def _awaiting(awaiting: Awaiting) -> list[str]:
    release = awaiting.release
    lines = [f"{_candidate(release)}, awaiting approval since {_utc(awaiting.since)}", *_overtaken(awaiting)]
    needed = missing_in_words(awaiting.missing)
    if release.hides_votes:
        needed = needed.replace(" more ", " ")  # before anybody has signed
        signed = counted(release.standing(), "person", "people")
        lines += [f"Signed: {signed}. Who signed is hidden until it is decided.", f"Needed in all: {needed}."]
    else:
        lines += [f"Signed: {_people(awaiting.signed) or 'nobody yet'}.", f"Still needed: {needed}."]
    who = "May sign" if release.hides_votes else "Could sign"
    lines.append(f"{who}: {_people(awaiting.could_sign) or 'nobody who was on the list of signers when it was sealed'}.")
    return lines + _expiry(release)


def _people(people: dict[str, tuple[str, ...]]) -> str:
    return ", ".join(f"{who} ({', '.join(roles)})" if roles else who for who, roles in people.items())


def _overtaken(waiting: Awaiting | Due) -> list[str]:
    """Nobody should wait for it, or sign it."""
    if not waiting.overtaken:
        return []
    return [f"It cannot be published: {OVERTAKEN}.", f"Withdraw it and run the release again: {_command('withdraw', waiting.release)}"]


def _expiry(release: Release) -> list[str]:
    return [] if release.deadline is None else [f"Expires: {_utc(moment(release.deadline))}."]


def _stalled(stuck: Stuck) -> list[str]:
    how = "abandoned" if stuck.abandoned else "stalled"
    cure = "" if stuck.abandoned else "Remove what lies in the place of its version, then: "
    return [
        f"{_candidate(stuck.release)}, publication {how}, waiting for an operator since {_utc(stuck.since)}",
        f"{cure}{_command('resume', stuck.release)}",
    ]


def _asked(stuck: Stuck) -> list[str]:
    release = stuck.release
    return [
        f"{_candidate(release)}, changes requested, waiting for a new run by {release.runner.principal} since {_utc(stuck.since)}",
        f"`headgate show {_id(release)}` says what was asked for.",
    ]


def _due(due: Due) -> list[str]:
    release = due.release
    if release.state == "publishing":
        return [f"{_candidate(release)}, publication has begun; `headgate publish {_id(release)}` finishes it if it was cut short"]
    if due.overtaken:
        return [f"{_candidate(release)}, approved on {_utc(due.since)}", *_overtaken(due), *_expiry(release)]
    when = "as soon as `headgate serve` or `headgate publish` runs" if due.at is None else f"on {in_zone(due.at)}"
    return [f"{_candidate(release)}, {when}; approved on {_utc(due.since)}", *_expiry(release)]


def _scheduled(run: ScheduledRun) -> list[str]:
    if run.schedule is None or run.next is None:
        lines = [f"{run.dataset}: its schedule is not known here. It is shown once the policy has run, or is registered again."]
    else:
        lines = [f"{run.dataset}: next run on {in_zone(run.next)} (cron {run.schedule.cron}); registered by {run.registered_by}"]
    if run.due is not None:
        lines.append(
            f"A run has been due since {in_zone(run.due)}. Check that `headgate serve` is running with this policy: it starts the run."
        )
    if run.last is None:
        return [*lines, "Last: no run on this schedule yet."]
    started = moment(run.last.started).astimezone(UTC if run.schedule is None else ZoneInfo(run.schedule.timezone))
    if run.problem is not None:
        return [*lines, *problem_lines(run.problem, f"Last: {in_zone(started)}; release {_id(run.last)}")]
    return [*lines, f"Last: {in_zone(started)}, {_ended(run.last)}."]


def _ended(release: Release) -> str:
    if release.state == "running":
        return "still running"
    if release.state == "nothing_new":
        return "nothing new: the same source and policy have a candidate already"
    return f"candidate {_id(release)}: {in_words(release.state)}"


def _candidate(release: Release) -> str:
    return f"{release.dataset}: candidate {_id(release)}"


def _command(name: str, release: Release) -> str:
    return f"headgate {name} {_id(release)} --key KEY --reason TEXT"


def _id(release: Release) -> str:
    return release.decided[:SHORT]


def _utc(instant: datetime) -> str:
    return in_zone(instant.astimezone(UTC))
