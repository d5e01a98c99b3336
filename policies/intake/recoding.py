"""Values that stand for others: codes for words, postal codes for regions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from policies.intake.rule import UNREAD, Read


class Unmapped(StrEnum):
    """What becomes of a value that is not listed."""

    REFUSE = "refuse"
    KEEP = "keep"
    MISSING = "missing"


@dataclass(frozen=True)
class Recoding:
    table: Mapping[str, str | None]
    unmapped: Unmapped = Unmapped.REFUSE
    where: str = "`map`"
    others: str = "`unmapped: keep` or `unmapped: missing`"

    @property
    def wrong(self) -> tuple[str, str]:
        return f"is not in {self.where}", f"are not in {self.where}"

    @property
    def cure(self) -> str:
        return f"List each value in {self.where}, or say what becomes of the others: {self.others}."

    def read(self, text: str) -> Read:
        if text in self.table:
            return self.table[text]
        return {Unmapped.KEEP: text, Unmapped.MISSING: None, Unmapped.REFUSE: UNREAD}[self.unmapped]
