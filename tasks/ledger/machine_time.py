"""What the machine says of time: its clock, which may be set to anything, and how long it has been up, which nobody sets."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from headgate.core.errors import StoreUnavailable

MOST_BEHIND = timedelta(hours=1)
MOST_AHEAD = timedelta(hours=1)
CONFIRM = "Set the clock. If it is right, the operator confirms it: headgate doctor --confirm-clock."


@dataclass(frozen=True)
class Uptime:
    """One run of the machine, and the seconds since it began, those spent asleep included."""

    boot: str
    seconds: float


def machine_clock() -> datetime:
    return datetime.now(UTC)


def machine_uptime() -> Uptime | None:
    """CLOCK_BOOTTIME as the kernel writes it: what is loaded into a process to deceive its clock does not reach these files. None where
    the system has no such files."""
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
        return Uptime(boot, float(Path("/proc/uptime").read_text().split()[0]))
    except (OSError, ValueError, IndexError):
        return None


def require_not_behind(present: datetime, last: datetime) -> None:
    """Nothing may be signed or recorded by a clock that is an hour behind the ledger: keys that have expired since would count again."""
    if last - present > MOST_BEHIND:
        raise StoreUnavailable(
            f"This machine's clock is {_hours(last - present)} hours behind the last event of the ledger.",
            "Set the clock. If it is right, the ledger was written with a wrong one: ask the operator.",
        )


def require_no_jump(present: datetime, uptime: Uptime | None, anchor: datetime, anchored: Uptime | None) -> None:
    """The ledger's time never comes back from a clock that was set forward, and by one that was set back in a quiet time a key that has
    expired would count again. Measured from the first write since the machine started, so that no number of small steps adds up."""
    if uptime is None or anchored is None or uptime.boot != anchored.boot:
        return
    ahead = (present - anchor) - timedelta(seconds=uptime.seconds - anchored.seconds)
    if -ahead > MOST_BEHIND:
        raise StoreUnavailable(f"This machine's clock was set back by {_hours(-ahead)} hours since the ledger was last written.", CONFIRM)
    if ahead > MOST_AHEAD:
        raise StoreUnavailable(f"This machine's clock was set forward by {_hours(ahead)} hours since the ledger was last written.", CONFIRM)


def require_no_gap(present: datetime, last: datetime, longest_days: Callable[[], int]) -> None:
    """The operator is asked only where a gap is long enough to matter."""
    gap = present - last
    if gap <= timedelta(days=1):
        return
    days = longest_days()
    if gap > timedelta(days=days):
        raise StoreUnavailable(f"The ledger was last written {gap.days} days ago; operator.yaml allows a gap of {days} days.", CONFIRM)


def _hours(span: timedelta) -> str:
    return f"{span.total_seconds() / 3600:,.0f}"
