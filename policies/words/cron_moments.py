"""The moments that cron text names, by the local clock of a time zone.

The text is read against the clock on the wall, which jumps twice a year. A time that the clock leaps over comes at once after the leap, so
it is not lost; one that the clock shows twice comes the first time only, so nothing is done twice.
"""

from __future__ import annotations

import datetime
import zoneinfo
from collections.abc import Iterator

from cronsim import CronSim

from policies.words.frozen import Frozen

SHORTCUTS = {
    "@yearly": "0 0 1 1 *",
    "@annually": "0 0 1 1 *",
    "@monthly": "0 0 1 * *",
    "@weekly": "0 0 * * 0",
    "@daily": "0 0 * * *",
    "@midnight": "0 0 * * *",
    "@hourly": "0 * * * *",
}
SECOND = datetime.timedelta(seconds=1)


class CronMoments(Frozen):
    """Both were checked where the policy was read."""

    cron: str
    timezone: str

    def first_after(self, moment: datetime.datetime) -> datetime.datetime:
        """The first moment after this one, in this time zone."""
        zone = zoneinfo.ZoneInfo(self.timezone)
        local = moment.astimezone(zone).replace(tzinfo=None, fold=0)
        return next(found for found in (at(time, zone) for time in self._times(local)) if found > moment)

    def last_until(self, moment: datetime.datetime) -> datetime.datetime:
        """The last moment that is not after this one, in this time zone."""
        zone = zoneinfo.ZoneInfo(self.timezone)
        shown = moment.astimezone(zone)
        first_shown = shown.replace(fold=0)
        repeated = (first_shown.utcoffset() or datetime.timedelta()) - (shown.utcoffset() or datetime.timedelta())
        latest = shown.replace(tzinfo=None, fold=0) + repeated + SECOND  # whatever the clock showed once already has come
        return next(found for found in (at(time, zone) for time in self._times(latest, back=True)) if found <= moment)

    def _times(self, start: datetime.datetime, back: bool = False) -> Iterator[datetime.datetime]:
        """What a clock shows that never jumps."""
        parts = SHORTCUTS.get(self.cron, self.cron).split()
        seconds_first = [*parts[5:], *parts[:5]]  # schedulers read seconds last, cronsim reads them first
        return iter(CronSim(" ".join(seconds_first), start.replace(microsecond=0), reverse=back))


def at(time: datetime.datetime, zone: zoneinfo.ZoneInfo) -> datetime.datetime:
    """The moment at which the clock of this zone shows this time for the first time, or, where it leaps over it, the end of the leap."""
    early, late = (time.replace(tzinfo=zone, fold=fold).astimezone(datetime.UTC) for fold in (1, 0))
    shown = late.astimezone(zone)
    if shown.replace(tzinfo=None, fold=0) == time:
        return shown
    before = early.astimezone(zone).utcoffset()
    while late - early > SECOND:
        between = early + ((late - early) // 2 // SECOND) * SECOND
        early, late = (between, late) if between.astimezone(zone).utcoffset() == before else (early, between)
    return late.astimezone(zone)


def in_zone(moment: datetime.datetime) -> str:
    """`2026-12-01 03:00 Europe/Rome (UTC+1)`: in the hour that a clock shows twice, the offset says which."""
    offset = f"{moment:%z}"
    hours = f"{offset[:1]}{int(offset[1:3])}{'' if offset[3:5] == '00' else ':' + offset[3:5]}"
    named = "UTC" if str(moment.tzinfo) == "UTC" else f"{moment.tzinfo} (UTC{'' if hours in ('+0', '-0') else hours})"
    return f"{moment:%Y-%m-%d %H:%M} {named}"
