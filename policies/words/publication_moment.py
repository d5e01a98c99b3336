"""When an approved candidate may be published: cron text and a time zone, by the local clock there."""

from __future__ import annotations

import datetime
import zoneinfo

from cronsim import CronSim

from policies.words.frozen import Frozen


class PublicationMoment(Frozen):
    """Both were checked where the policy was read."""

    cron: str
    timezone: str

    def first_after(self, moment: datetime.datetime) -> datetime.datetime:
        """The first match after a moment, in this time zone."""
        return next(CronSim(self.cron, moment.astimezone(zoneinfo.ZoneInfo(self.timezone))))


def moment_in_words(due: datetime.datetime) -> str:
    return f"{due:%Y-%m-%d at %H:%M} ({due.tzinfo})"
