from __future__ import annotations

import subprocess
import sys
import time
from datetime import UTC, datetime, timedelta

import pytest

from headgate.core.errors import StoreUnavailable
from tasks.ledger.machine_time import Uptime, machine_clock, machine_uptime, require_no_gap, require_no_jump, require_not_behind

NOON = datetime(2025, 6, 1, 12, tzinfo=UTC)


@pytest.mark.parametrize(("hours", "refused"), [(-24 * 365, False), (0.5, False), (1, False), (1.01, True), (24 * 365, True)])
def test_a_clock_that_was_set_back_by_more_than_an_hour_is_refused(hours: float, refused: bool) -> None:
    if not refused:
        require_not_behind(NOON, NOON + timedelta(hours=hours))
        return
    with pytest.raises(StoreUnavailable, match="hours behind the last event") as problem:
        require_not_behind(NOON, NOON + timedelta(hours=hours))
    assert problem.value.code == 6


@pytest.mark.parametrize(
    ("clock_hours", "up_hours", "refused"),
    [(0, 0, False), (48, 48, False), (48.9, 48, False), (49.1, 48, True), (24 * 365 * 74, 0.01, True), (48, 48.9, False)],
)
def test_a_clock_that_ran_ahead_of_the_machine_is_refused(clock_hours: float, up_hours: float, refused: bool) -> None:
    anchored, uptime = Uptime("this boot", 100.0), Uptime("this boot", 100.0 + 3600 * up_hours)
    present = NOON + timedelta(hours=clock_hours)
    if not refused:
        require_no_jump(present, uptime, NOON, anchored)
        return
    with pytest.raises(StoreUnavailable, match="set forward") as problem:
        require_no_jump(present, uptime, NOON, anchored)
    assert (problem.value.code, "--confirm-clock" in problem.value.cure) == (6, True)


def test_a_clock_that_was_set_back_in_a_quiet_time_is_refused() -> None:
    """Between the last event and now an expired key approved, though the home had known a later moment."""
    with pytest.raises(StoreUnavailable, match="set back by 72 hours") as problem:
        require_no_jump(NOON, Uptime("this boot", 100.0 + 3600 * 72), NOON, Uptime("this boot", 100.0))
    assert (problem.value.code, "--confirm-clock" in problem.value.cure) == (6, True)


@pytest.mark.parametrize(("uptime", "anchored"), [(None, Uptime("a", 1.0)), (Uptime("a", 1.0), None), (Uptime("b", 1.0), Uptime("a", 1.0))])
def test_after_a_restart_no_jump_is_measured(uptime: Uptime | None, anchored: Uptime | None) -> None:
    require_no_jump(NOON + timedelta(days=900), uptime, NOON, anchored)


def test_a_gap_longer_than_the_operator_allows_is_refused() -> None:
    require_no_gap(NOON + timedelta(days=30), NOON, lambda: 30)
    with pytest.raises(StoreUnavailable, match="last written 31 days ago; operator.yaml allows a gap of 30 days") as problem:
        require_no_gap(NOON + timedelta(days=31), NOON, lambda: 30)
    assert (problem.value.code, "--confirm-clock" in problem.value.cure) == (6, True)


def test_the_operator_is_not_asked_about_a_gap_of_a_day() -> None:
    def unreadable() -> int:
        raise AssertionError

    require_no_gap(NOON + timedelta(days=1), NOON, unreadable)


def test_the_machine_tells_its_boot_and_the_seconds_since() -> None:
    clock, before = machine_clock(), machine_uptime()  # between the two, and after the last, the machine may be busy
    if before is None:
        pytest.skip("this system has no /proc/uptime")
    time.sleep(0.05)
    after = machine_uptime()
    assert after is not None
    assert after.boot == before.boot
    assert 0.04 <= after.seconds - before.seconds <= (machine_clock() - clock).total_seconds() + 0.02


def test_another_process_sees_the_same_boot() -> None:
    script = "from tasks.ledger.machine_time import machine_uptime; found = machine_uptime(); print(found.boot if found else '')"
    said = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout.strip()
    here = machine_uptime()
    assert said == ("" if here is None else here.boot)
