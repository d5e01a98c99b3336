"""What is to happen by itself: schedules, backups, and messages to people."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from itertools import islice

from headgate.core.errors import HeadgateError
from headgate.core.units import counted
from policies.ledger.events import moment
from policies.ledger.run_due import run_due
from policies.ledger.standing import Release
from tasks.approval.registered_policies import RegisteredSchedule, registered_schedules
from tasks.attacks.origin import policy_place
from tasks.backup.last_backup import is_there, last_backup
from tasks.checks.finding import Finding, Situation, failed, warned, well
from tasks.ledger.history import History
from tasks.notification.waiting_notices import unread_since, waiting_notices
from tasks.reading.references import load_policy
from tasks.runtime.home import Home
from tasks.runtime.operator_settings import operator_in

MOST_RUNS = 200
REGISTER = "headgate serve POLICY --key KEY --register"
LATE = timedelta(hours=1)  # a run may wait for another, or for its machine; a message for a server that starts again


def check_schedules(situation: Situation) -> Iterator[Finding]:
    schedules = registered_schedules(situation.home)
    for schedule in schedules:
        yield _schedule(situation, schedule)
    if not schedules:
        yield well("schedules", "No policy is registered to run on a schedule.")


def _schedule(situation: Situation, schedule: RegisteredSchedule) -> Finding:
    dataset, now = schedule.dataset, situation.ledger.seen_now()
    releases = tuple(islice(History(situation.ledger).of_dataset(dataset), MOST_RUNS))
    changed = _changed(situation.home, schedule, releases)
    if changed:
        return changed
    if schedule.moments is None:
        return warned("schedules", f"The home does not keep the policy of {dataset}.", f"Register it again: {REGISTER}.")
    last = next((release for release in releases if release.machine), None)
    due = run_due(schedule.moments, schedule.registered, None if last is None else moment(last.started), now)
    if due is not None and now - due > LATE:
        cure = "Start `headgate serve` with its policy: it makes up for the last moment."
        return failed("schedules", f"{dataset} has had no run since it was due at {_shown(due)}.", cure)
    following = schedule.moments.first_after(now)
    return well("schedules", f"{dataset} {'has no further run' if following is None else f'runs next at {_shown(following)}'}.")


def _changed(home: Home, schedule: RegisteredSchedule, releases: tuple[Release, ...]) -> Finding | None:
    """Where the file of the policy is known from its last candidate: whether it is still the one that was registered."""
    dataset = schedule.dataset
    sealed = next((release.candidate for release in releases if release.candidate), "")
    place = policy_place(home, sealed) if sealed else None
    if place is None or not place.is_file():
        return None
    cure = f"Somebody who may run releases reads it and registers it: {REGISTER.replace('POLICY', str(place))}."
    try:
        digest = load_policy(place).digest
    except HeadgateError:
        return warned("schedules", f"The policy of {dataset} cannot be read where it lay ({place}).", cure)
    if digest == schedule.digest:
        return None
    return warned("schedules", f"The policy of {dataset} has changed since it was registered, so it does not run.", cure)


def _shown(at: datetime) -> str:
    return at.isoformat(timespec="minutes")


def check_backup(situation: Situation) -> Iterator[Finding]:
    rules, last = operator_in(situation.home.root).backup, last_backup(situation.home)
    if rules is None:
        yield well("backup", "operator.yaml asks for no backups." if last is None else f"{_made(last.at, situation)}.")
        return
    cure = "Run `headgate backup TARGET`, and find out why it did not run by itself."
    if last is None:
        yield failed("backup", f"There has been no backup; operator.yaml asks for one every {rules.every}.", cure)
    elif situation.ledger.seen_now() - last.at > timedelta(hours=rules.hours):
        yield failed("backup", f"{_made(last.at, situation)}; operator.yaml asks for one every {rules.every}.", cure)
    elif last.at - situation.ledger.seen_now() > LATE:
        yield failed("backup", f"The last backup was made at {_shown(last.at)}, which is yet to come: its age is not known.", cure)
    elif not is_there(last):
        cure = "Mount it, so that the next one succeeds. If it is mounted, find out who removed the backup, and make one."
        yield warned("backup", f"{_made(last.at, situation)}; its target {last.target} does not hold it now.", cure)
    else:
        yield well("backup", f"{_made(last.at, situation)}, up to event {last.seq}.")


def _made(at: datetime, situation: Situation) -> str:
    hours = (situation.ledger.seen_now() - at).total_seconds() / 3600
    return f"The last backup was made {hours:.0f} hours ago" if hours >= 1 else "The last backup was made less than an hour ago"


def check_messages(situation: Situation) -> Iterator[Finding]:
    addresses = waiting_notices(situation.home)
    for each in addresses:
        late = each.since and situation.ledger.seen_now() - moment(each.since) > LATE
        if not (each.failing or late):
            yield well("messages", f"{counted(each.waiting, 'message')} waiting for {each.address}.")
            continue
        why, since = each.why or "Nobody has tried to send.", each.since or each.failing
        cure = (
            "Check the address and its server. `headgate notify` and `headgate serve` try again by themselves: `headgate notify` says when."
        )
        yield warned("messages", f"{counted(each.waiting, 'message')} waiting for {each.address} since {since}. {why}", cure)
    if not addresses:
        yield well("messages", "operator.yaml names nobody to notify.")
        return
    unread = unread_since(situation.home, situation.ledger)
    if unread is not None and situation.ledger.seen_now() - unread > LATE:
        cure = "Start `headgate serve`, or have `headgate notify` run each minute."
        yield warned("messages", f"Nobody has looked at the ledger's events since {_shown(unread)}, so nobody is told of them.", cure)
