"""Completed years of life at a day. Who is born on 29 February completes a year on 1 March where there is no such day."""

from __future__ import annotations

import datetime
import re
from dataclasses import dataclass

from policies.intake.rule import UNREAD, Read

DAY = re.compile(r"(\d{4}-\d{2}-\d{2})([T ]00:00(:00(\.0+)?)?)?", re.ASCII)


@dataclass(frozen=True)
class AgeAt:
    origin: str  # the attribute of the birth date
    at: datetime.date

    @property
    def wrong(self) -> tuple[str, str]:
        return f"is not a birth date up to {self.at.isoformat()}", f"are not birth dates up to {self.at.isoformat()}"

    @property
    def cure(self) -> str:
        return (
            f"Correct the cells, or move `age.at`, which is {self.at.isoformat()}, to a later day. "
            f"The key `date` of '{self.origin}' says how its days are written; an unknown day is empty."
        )

    def read(self, text: str) -> Read:
        parts = DAY.fullmatch(text)
        try:
            born = None if parts is None else datetime.date.fromisoformat(parts[1])
        except ValueError:
            return UNREAD
        if born is None or born > self.at:
            return UNREAD
        return str(self.at.year - born.year - ((self.at.month, self.at.day) < (born.month, born.day)))
