"""Which scheduled run is due. Each moment of a schedule has one run; of moments that passed without one, only the last is made up for."""

from __future__ import annotations

import datetime

from policies.words.cron_moments import CronMoments


def run_due(
    schedule: CronMoments, registered: datetime.datetime, last_run: datetime.datetime | None, now: datetime.datetime
) -> datetime.datetime | None:
    """The last moment of the schedule, if no run of it has begun since. A moment before somebody registered the policy was nobody's."""
    due = schedule.last_until(now)
    if due <= registered or (last_run is not None and last_run >= due):
        return None
    return due
