"""Recording what is of the home as a whole and of no release: who was let in, whose access ended, who took the ledger's events along."""

from __future__ import annotations

from collections.abc import Callable

from headgate.core.errors import TransitionRefused
from policies.ledger.events_of_home import HOME, OfHome
from tasks.ledger.event_log import Ledger

ATTEMPTS = 5


def record_of_home(ledger: Ledger, event_at: Callable[[str], OfHome], who: str) -> OfHome:
    """The event as it was recorded, of the ledger's moment. It may be the first of the ledger."""
    if ledger.memory is not None and not ledger.memory.file.exists():
        with ledger.store.reading() as stored:
            ledger.memory.begin(stored, ledger.clock())
    for attempt in range(1, ATTEMPTS + 1):
        event = event_at(ledger.now().isoformat())
        with ledger.store.reading() as stored:
            last = stored.last(HOME)
        try:
            ledger.append(HOME, (event,), 0 if last is None else last.version, who)
            break
        except TransitionRefused:
            if attempt == ATTEMPTS:
                raise
    return event
