"""`headgate releases --calendar --json` (docs/reference-cli.md). Every moment is ISO 8601 with its offset."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flows.views.shapes import problem_shape

if TYPE_CHECKING:
    from tasks.approval.release_calendar import Awaiting, Due, ReleaseCalendar, Running, ScheduledRun, Stuck


def calendar_document(calendar: ReleaseCalendar) -> dict[str, Any]:
    """`calendar`: what is published when, the next first."""
    return {
        "now": calendar.now.isoformat(),
        "running": [_running(running) for running in calendar.running],
        "awaiting": [_awaiting(awaiting) for awaiting in calendar.awaiting],
        "stalled": [{**_waiting(stuck), "abandoned": stuck.abandoned} for stuck in calendar.stalled],
        "changes_requested": [_waiting(stuck) for stuck in calendar.changes_requested],
        "calendar": [_due(due) for due in calendar.due],
        "runs": [_run(run) for run in calendar.runs],
    }


def _waiting(waiting: Awaiting | Due | Stuck) -> dict[str, Any]:
    release = waiting.release
    return {
        "dataset": release.dataset,
        "release": release.release_id,
        "candidate": release.candidate,
        "since": waiting.since.isoformat(),
    }


def _running(running: Running) -> dict[str, Any]:
    release = running.release
    return {
        "dataset": release.dataset,
        "release": release.release_id,
        "since": running.since.isoformat(),
        "runner": release.runner.principal,
        "scheduled": bool(release.machine),
        "alive": running.alive,
    }


def _awaiting(awaiting: Awaiting) -> dict[str, Any]:
    """`signed` is null while votes are hidden; `missing` and `could_sign` are then those of a candidate that nobody has signed."""
    release = awaiting.release
    return {
        **_waiting(awaiting),
        "blind": release.blind,
        "approvals": release.standing(),
        "required": release.required,
        "signed": None if release.hides_votes else _people(awaiting.signed),
        "missing": {"roles": {role: count for role, count in sorted(awaiting.missing.items()) if role}, "others": awaiting.missing[""]},
        "could_sign": _people(awaiting.could_sign),
        "overtaken": awaiting.overtaken,
        "expires": release.deadline,
    }


def _people(people: dict[str, tuple[str, ...]]) -> list[dict[str, Any]]:
    return [{"principal": who, "roles": list(roles)} for who, roles in people.items()]


def _due(due: Due) -> dict[str, Any]:
    """`due` is null where nothing keeps one waiting."""
    return {
        **_waiting(due),
        "state": str(due.release.state),
        "due": None if due.at is None else due.at.isoformat(),
        "timezone": None if due.release.not_before is None else due.release.not_before.timezone,
        "overtaken": due.overtaken,
        "expires": due.release.deadline,
    }


def _run(run: ScheduledRun) -> dict[str, Any]:
    """`missed`: the moment that passed without a run. `next` and `schedule` are null where the home does not know the schedule."""
    last = run.last
    return {
        "dataset": run.dataset,
        "registered_by": run.registered_by,
        "schedule": None if run.schedule is None else run.schedule.model_dump(),
        "next": None if run.next is None else run.next.isoformat(),
        "missed": None if run.due is None else run.due.isoformat(),
        "last": None
        if last is None
        else {
            "release": last.release_id,
            "candidate": last.candidate or None,
            "started": last.started,
            "state": str(last.state),
            **problem_shape(run.problem),
        },
    }
