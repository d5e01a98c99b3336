"""Which releases a list shows: of a dataset, in a state, begun since a day."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from headgate.core.errors import InputRejected
from policies.ledger.states import State

if TYPE_CHECKING:
    from policies.ledger.standing import Release


@dataclass(frozen=True)
class ReleaseFilters:
    """None lets every release through."""

    dataset: str | None = None
    state: State | None = None
    since: datetime | None = None

    @classmethod
    def of(cls, dataset: str | None, state: str | None, since: str | None) -> ReleaseFilters:
        """As typed on the command line."""
        return cls(dataset, None if state is None else _state(state), None if since is None else _moment(since))

    def among(self, releases: Iterable[Release]) -> tuple[Release, ...]:
        return tuple(release for release in releases if self._lets_through(release))

    def _lets_through(self, release: Release) -> bool:
        return (
            self.dataset in (None, release.dataset)
            and self.state in (None, release.state)
            and (self.since is None or datetime.fromisoformat(release.started) >= self.since)
        )


def _state(text: str) -> State:
    word = text.strip().lower().replace(" ", "_").replace("-", "_")
    if word not in [str(state) for state in State]:
        raise InputRejected(f"No release is ever in the state '{text[:40]}'.", f"Use one of {', '.join(State)}.")
    return State(word)


def _moment(text: str) -> datetime:
    """Without a zone it is in UTC, as the times of the list are."""
    try:
        moment = datetime.fromisoformat(text.strip())
    except ValueError:
        raise InputRejected(f"'{text[:40]}' is not a day.", "Write --since 2026-11-19, or 2026-11-19T14:30 for a time of UTC.") from None
    return moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)
