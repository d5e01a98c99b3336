"""How long the home keeps who was in which group of a version: the longer, the more later versions can be measured with it."""

from __future__ import annotations

import calendar
import re
from datetime import datetime
from typing import Annotated

from pydantic import Field

from policies.words.fields import Section

SPAN = r"^[1-9][0-9]{0,2} (months?|versions?)$"


class KeepKey(Section):
    groups: Annotated[
        str | None,
        Field(
            pattern=SPAN,
            description="`24 months` after a version was published, or `12 versions` later, who was in which group of it is dropped for "
            "good, and recorded (`headgate serve`, or `headgate purge --by-rule`). Needs `gates.series.unmeasured`, since later versions "
            "are not measured with it any more. Without it nothing is dropped",
        ),
    ] = None

    def due(self, published: datetime, newer: int, now: datetime) -> bool:
        """Whether the groups of a version are to be dropped: `newer` versions of its dataset came out after it."""
        if self.groups is None:
            return False
        number, unit = self.groups.split(" ")
        return newer >= int(number) if re.match("version", unit) else now >= months_after(published, int(number))


def months_after(moment: datetime, months: int) -> datetime:
    """The same day of the month; its last where that month is shorter."""
    years, month = divmod(moment.month - 1 + months, 12)
    year = moment.year + years
    return moment.replace(year=year, month=month + 1, day=min(moment.day, calendar.monthrange(year, month + 1)[1]))
