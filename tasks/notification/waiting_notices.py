"""How many messages wait, since when, and at which address: for `headgate doctor` and for metrics. Nothing is made or sent by looking."""

from __future__ import annotations

from datetime import datetime

from policies.ledger.events import moment
from tasks.ledger.event_log import Ledger
from tasks.notification.outbox import Outbox, Waiting
from tasks.runtime.home import Home
from tasks.runtime.operator_settings import operator_in


def waiting_notices(home: Home) -> tuple[Waiting, ...]:
    """One line for each address of operator.yaml, by its reference; none where nobody is to be told."""
    addresses = tuple(entry.to for entry in operator_in(home.root).notify)
    outbox = Outbox.of(home)
    if not addresses or not outbox.begun:
        return tuple(Waiting(address, 0, "", "", "", 0) for address in addresses)
    with outbox.reading() as stored:
        return stored.waiting(addresses)


def unread_since(home: Home, ledger: Ledger) -> datetime | None:
    """When the first event was recorded from which no message was made yet, because no process looks."""
    outbox, place = Outbox.of(home), None
    if outbox.begun:
        with outbox.reading() as stored:
            place = stored.place()
    with ledger.store.reading() as events:
        unread = events.following(1 if place is None else place.seq + 1, 1)
    return moment(unread[0][0].at) if unread else None
