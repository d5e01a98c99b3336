"""How many messages wait, since when, and at which address: for `headgate doctor` and for metrics. Nothing is made or sent by looking."""

from __future__ import annotations

from tasks.notification.outbox import Outbox, Waiting
from tasks.runtime.home import Home
from tasks.runtime.operator_settings import read_operator


def waiting_notices(home: Home) -> tuple[Waiting, ...]:
    """One line for each address of operator.yaml, by its reference; none where nobody is to be told."""
    said = read_operator(home.root)
    addresses = () if said is None else tuple(entry.to for entry in said[0].notify)
    outbox = Outbox.of(home)
    if not addresses or not outbox.begun:
        return tuple(Waiting(address, 0, "", "", "", 0) for address in addresses)
    with outbox.reading() as stored:
        return stored.waiting(addresses)
