"""When an approved candidate may be published: cron text and a time zone, by the local clock there."""

from __future__ import annotations

import datetime

from policies.words.cron_moments import CronMoments


class PublicationMoment(CronMoments):
    """The first of these moments after the approval that was still missing."""


def moment_in_words(due: datetime.datetime) -> str:
    return f"{due:%Y-%m-%d at %H:%M} ({due.tzinfo})"
