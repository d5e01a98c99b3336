"""Which events somebody looks for, and where in the ledger they can be: the number of an event grows with its moment."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta

from policies.ledger.events import moment

# An event's moment is read before it has its place, so that of two at once the later one may come first.
SLACK = timedelta(minutes=10)


@dataclass(frozen=True)
class Wanted:
    """What is empty is not asked. `since` and `until` are moments as events write them; `until` is not in it any more."""

    dataset: str = ""
    release: str = ""
    actor: str = ""
    type: str = ""
    since: str = ""
    until: str = ""

    def in_time(self, at: str) -> bool:
        return (not self.since or moment(at) >= moment(self.since)) and (not self.until or moment(at) < moment(self.until))


def places(wanted: Wanted, last: int, at_of: Callable[[int], str]) -> tuple[int, int]:
    """The first and the last number that an event of that time may have."""
    low = _first(last, at_of, wanted.since, -SLACK) if wanted.since else 1
    high = _first(last, at_of, wanted.until, SLACK) - 1 if wanted.until else last
    return low, high


def _first(last: int, at_of: Callable[[int], str], at: str, slack: timedelta) -> int:
    """The first event at this moment or after it, by halves."""
    try:
        sought = moment(at) + slack
    except OverflowError:  # at one end of the calendar
        sought = moment(at)
    low, high = 1, last + 1
    while low < high:
        middle = (low + high) // 2
        if moment(at_of(middle)) < sought:
            low = middle + 1
        else:
            high = middle
    return low
