"""From the ledger to the outbox: each event that somebody wants to be told of, once; deadlines that come near; and a ledger that does not
hold. The ledger is only read, and whatever is wrong with the outbox stops no release."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from headgate.core.errors import HeadgateError, IntegrityBroken
from policies.ledger.events import CandidateSealed, moment
from policies.ledger.fold import fold
from policies.ledger.states import State
from policies.schema.notify_key import NotifyKey
from policies.words.notice_kind import NoticeKind
from tasks.ledger.chain import START, Entry, in_order
from tasks.ledger.event_log import Ledger, event_of
from tasks.ledger.history import ENDING
from tasks.notification.notice import KINDS, Notice, is_near, near_notice, notice_id, notice_of
from tasks.notification.outbox import Outbox, OutboxTransaction, Place

AT_ONCE = 2_000
AUDIT_EVERY = timedelta(days=1)
MOST_DEADLINES = 20  # told one by one; of more, how many
UNDECIDED = (State.AWAITING_APPROVAL, State.APPROVED)


@dataclass(frozen=True)
class Derived:
    """`clock`: why deadlines were not looked at, where the clock cannot be right."""

    made: tuple[Notice, ...] = ()
    broken: bool = False
    clock: str = ""


def derive_notices(ledger: Ledger, notify: tuple[NotifyKey, ...], outbox: Outbox, deadlines: bool = True) -> Derived:
    """What has happened since the last time. A new outbox begins with the ledger's end: what happened before is told to nobody, and
    neither is what happened while nobody was to be told."""
    if not notify:
        if outbox.begun:
            with outbox.writing() as stored:
                stored.keep_to(())
                end = _end(ledger)
                stored.move(replace(stored.place() or end, seq=end.seq, hash=end.hash))
        return Derived()
    made: list[Notice] = []
    broken = False
    try:
        ledger.require_remembered()
        while _read_on(ledger, notify, outbox, made):
            pass
        clock = _near(ledger, notify, outbox, made) if deadlines else ""
    except IntegrityBroken:
        clock, broken = "", True
    made += note_integrity(notify, outbox, broken)
    return Derived(tuple(made), broken, clock)


def note_integrity(notify: tuple[NotifyKey, ...], outbox: Outbox, broken: bool, audit: bool = False) -> list[Notice]:
    """Told once when it breaks, and again only after all was well in between. `audit`: by a whole audit, and not by the chain alone."""
    at = outbox.clock().isoformat(timespec="milliseconds")
    with outbox.writing() as stored:
        place = stored.place() or Place()
        known, other = (place.audit_broken, place.chain_broken) if audit else (place.chain_broken, place.audit_broken)
        since = (known or at) if broken else ""
        now = replace(place, audit_broken=since, audited=at) if audit else replace(place, chain_broken=since)
        if now != place:
            stored.move(now)
        if not broken or known or other:
            return []
        kind = NoticeKind.INTEGRITY_BROKEN
        return _told(stored, notify, [Notice(id=notice_id(kind, at, place.hash), kind=kind, at=at)])


def audit_is_due(notify: tuple[NotifyKey, ...], outbox: Outbox) -> bool:
    """Once a day, where somebody wants to be told of it. A clock that was set back puts it off by no more than a day."""
    if not outbox.begun or not any(NoticeKind.INTEGRITY_BROKEN in entry.kinds for entry in notify):
        return False
    with outbox.reading() as stored:
        place = stored.place()
    if place is None or not place.audited:
        return place is not None
    return abs(outbox.clock() - moment(place.audited)) > AUDIT_EVERY


def _end(ledger: Ledger) -> Place:
    last = ledger.last()
    return Place() if last is None else Place(last.seq, last.hash)


def _read_on(ledger: Ledger, notify: tuple[NotifyKey, ...], outbox: Outbox, made: list[Notice]) -> bool:
    """Some of the events that were not read yet; False where there are none. They are read, and what follows from them is kept, at once
    or not at all."""
    with outbox.writing() as stored:
        stored.keep_to(tuple(entry.to for entry in notify))
        place = stored.place()
        if place is None:
            stored.move(_end(ledger))
            return False
        entries = _following(ledger, place)
        if entries is None:  # the operator has accepted another ledger: the one that was read is gone
            end = _end(ledger)
            stored.move(replace(place, seq=end.seq, hash=end.hash))
            return False
        if not entries:
            return False
        notices = [notice for entry in entries if (notice := _notice(ledger, entry)) is not None]
        made += _told(stored, notify, notices)
        stored.move(replace(place, seq=entries[-1].seq, hash=entries[-1].hash))
        return True


def _following(ledger: Ledger, place: Place) -> tuple[Entry, ...] | None:
    """Each is checked to follow the one before; None where the one that was read last is not there any more."""
    with ledger.store.reading() as stored:
        read = tuple(entry for entry, _ in stored.following(max(place.seq, 1), AT_ONCE))
    if place.seq == 0:
        return tuple(in_order(read, 0, START))
    if not read or (read[0].seq, read[0].hash) != (place.seq, place.hash):
        return None
    return tuple(in_order(read[1:], place.seq, place.hash))


def _notice(ledger: Ledger, entry: Entry) -> Notice | None:
    if entry.type not in KINDS:
        return None
    own = ledger.entries(entry.release)[: entry.version]
    return notice_of(entry, event_of(entry), fold(map(event_of, own)))


def _told(stored: OutboxTransaction, notify: tuple[NotifyKey, ...], notices: Iterable[Notice]) -> list[Notice]:
    """Those that are new, whether or not anybody wants them: who is named later is not told of them."""
    return [notice for notice in notices if stored.add(notice, wanting(notify, notice))]


def wanting(notify: tuple[NotifyKey, ...], notice: Notice) -> tuple[str, ...]:
    return tuple(entry.to for entry in notify if entry.wants(notice.kind, notice.dataset))


def _near(ledger: Ledger, notify: tuple[NotifyKey, ...], outbox: Outbox, made: list[Notice]) -> str:
    """By a clock that the ledger trusts, or not at all: one that leaps would bring every deadline near at once."""
    try:
        now = ledger.now()
    except IntegrityBroken:
        raise
    except HeadgateError as problem:
        return problem.message
    with outbox.writing() as stored:
        near = [notice for notice in _near_now(ledger, now) if not stored.knows(notice.id)]
        told, more = near[:MOST_DEADLINES], near[MOST_DEADLINES:]
        if more:
            told[-1] = told[-1].model_copy(update={"more": len(more)})
        for notice in more:
            stored.add(notice, ())
        made += _told(stored, notify, told)
    return ""


def _near_now(ledger: Ledger, now: datetime) -> list[Notice]:
    """Of candidates that nothing has ended, only the event that sealed them is read, unless its deadline is near."""
    with ledger.store.reading() as stored:
        sealed = stored.having("sealed", ENDING)
    notices = []
    for entry in sealed:
        event = event_of(entry)
        if isinstance(event, CandidateSealed) and is_near(event, now):
            release = fold(ledger.events_of(entry.release))
            if release.state in UNDECIDED:
                notices.append(near_notice(entry, release))
    return notices
