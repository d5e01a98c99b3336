"""What there is to publish, as the ledger says it: asked often and by reading alone, so that nothing is started where there is nothing to
do."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from policies.ledger.events import moment
from policies.ledger.standing import Release
from policies.ledger.states import State
from tasks.ledger.event_log import Ledger
from tasks.ledger.history import History, read_history


@dataclass(frozen=True)
class PublicationQueue:
    """`due`: candidates that can be published now, or whose publication was cut short. `late`: a deadline has passed, and no event says
    so. `next`: when there will be something to do though nobody acts, if ever."""

    due: tuple[str, ...]
    late: bool
    next: datetime | None

    @property
    def waits(self) -> bool:
        return bool(self.due) or self.late


def publication_queue(ledger: Ledger) -> PublicationQueue:
    history, now = read_history(ledger), ledger.seen_now()
    waiting = history.open_candidates()
    moments = [release.due for release in waiting if release.state is State.APPROVED and release.due is not None]
    moments += [moment(release.deadline) for release in waiting if release.deadline is not None]
    later = min((at for at in moments if at >= now), default=None)
    return PublicationQueue(due_now(history, waiting, now), bool(history.overdue()), later)


def due_now(history: History, waiting: tuple[Release, ...], now: datetime) -> tuple[str, ...]:
    """Approved candidates whose moment has come, and publications that were cut short. What another version has overtaken is left out: it
    would fail each time."""
    due = [release for release in waiting if _is_due(release, now)]
    return tuple(release.candidate for release in due if not history.overtaken(release))


def _is_due(release: Release, now: datetime) -> bool:
    return release.state is State.PUBLISHING or (release.state is State.APPROVED and (release.due is None or release.due <= now))
