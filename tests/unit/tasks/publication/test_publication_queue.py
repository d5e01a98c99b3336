"""What there is to publish is read from the ledger, with the moment at which there will be more."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from policies.ledger.events import moment
from policies.sealed.manifest import PublicationMoment
from tasks.ledger.history import read_history
from tasks.publication.publication_queue import publication_queue

EVERY_MINUTE = PublicationMoment(cron="* * * * *", timezone="Europe/Rome")


def sealed_with_deadline(world: Any) -> datetime:
    world.expires = timedelta(days=30)
    deadline = read_history(world.ledger).find(world.seal().id).deadline
    assert deadline is not None
    return moment(deadline)


def test_the_next_moment_is_that_of_a_publication_or_of_a_deadline(world: Any) -> None:
    assert publication_queue(world.ledger).next is None
    deadline = sealed_with_deadline(world)
    first = publication_queue(world.ledger)
    assert (first.due, first.late, first.waits, first.next) == ((), False, False, deadline)
    later = world.seal(not_before=EVERY_MINUTE)
    world.approve(later, "ann", "bob")
    queue = publication_queue(world.ledger)
    assert (queue.due, queue.waits) == ((), False)
    assert queue.next is not None
    assert timedelta() < queue.next - world.clock.moment <= timedelta(minutes=1)
    world.clock.moment = queue.next
    assert publication_queue(world.ledger).due == (later.id,)


def test_a_deadline_counts_from_the_moment_after_it(world: Any) -> None:
    """A look at exactly that moment must not be the last."""
    at_the_deadline = replace(world.ledger, clock=lambda: deadline)
    deadline = sealed_with_deadline(world)
    queue = publication_queue(at_the_deadline)
    assert (queue.late, queue.next) == (False, deadline)
    world.clock.moment = deadline + timedelta(seconds=1)
    assert publication_queue(world.ledger).late
