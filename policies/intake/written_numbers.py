"""Numbers with another decimal mark than the point, with marks between thousands, or with a unit beside them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from policies.intake.rule import UNREAD, Read

BLANKS = "[ \u00a0\u2009\u202f]"  # people do not see which of these a program wrote
MARKS = {".": r"\.", ",": ",", " ": BLANKS, "'": "['\u2019]"}
SIGNS = "+-\u2212"
HOW_ELSE = 'or recode them: `map: {"n/a": null}` with `unmapped: keep` makes n/a missing.'


@dataclass(frozen=True)
class WrittenNumbers:
    decimal: str = "."
    thousands: str | None = None
    units: Sequence[str] = ()
    _form: re.Pattern[str] = field(init=False, repr=False, compare=False)
    _thousands: re.Pattern[str] | None = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        mark = None if self.thousands is None else MARKS[self.thousands]
        upper = "{2,3}" if self.thousands == "," else "{3}"  # with commas, groups of two before the last, as in India
        grouped = "" if mark is None else rf"\d{{1,3}}(?:{mark}\d{upper})*{mark}\d{{3}}|"
        form = rf"((?:{grouped}\d+)?)(?:{MARKS[self.decimal]}(\d+))?((?:[eE][+-]?\d+)?)"
        object.__setattr__(self, "_form", re.compile(form, re.ASCII))
        object.__setattr__(self, "_thousands", None if mark is None else re.compile(mark))

    @property
    def wrong(self) -> tuple[str, str]:
        return f"is not a number of the form {self.example}", f"are not numbers of the form {self.example}"

    @property
    def cure(self) -> str:
        return f"Correct the cells or the keys `decimal`, `thousands` and `unit`; {HOW_ELSE}"

    @property
    def example(self) -> str:
        unit = f" {self.units[0]}" if self.units else ""
        return f"1{self.thousands or ''}234{self.decimal}5{unit}"

    def read(self, text: str) -> Read:
        """As Python writes the number; its digits stay as they are."""
        sign, rest = _signed(text)
        rest = self._without_unit(rest)
        if not sign:
            sign, rest = _signed(rest)
        parts = self._form.fullmatch(rest)
        if parts is None or not (parts[1] or parts[2]):
            return UNREAD
        whole = parts[1] if self._thousands is None else self._thousands.sub("", parts[1])
        fraction = f".{parts[2]}" if parts[2] else ""
        return f"{'-' if sign == '-' else ''}{whole or '0'}{fraction}{parts[3]}"

    def _without_unit(self, text: str) -> str:
        for unit in sorted(self.units, key=len, reverse=True):
            if text.endswith(unit):
                return text[: -len(unit)].rstrip()
            if text.startswith(unit):
                return text[len(unit) :].lstrip()
        return text


def _signed(text: str) -> tuple[str, str]:
    if text[:1] and text[0] in SIGNS:
        return "+" if text[0] == "+" else "-", text[1:].lstrip()
    return "", text
