"""Bands of numbers. Each begins at its lower bound and ends before the next one begins; the last holds its upper bound too."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from itertools import pairwise

from policies.intake.rule import UNREAD, Read
from policies.words.fields import decimal_text


@dataclass(frozen=True)
class Bands:
    """`bounds` has one entry more than `names`."""

    names: Sequence[str]
    bounds: Sequence[Decimal]

    @property
    def wrong(self) -> tuple[str, str]:
        low, high = decimal_text(self.bounds[0]), decimal_text(self.bounds[-1])
        return f"is not a number from {low} to {high}", f"are not numbers from {low} to {high}"

    @property
    def cure(self) -> str:
        return "Correct the cells, or widen the `bands`."

    def read(self, text: str) -> Read:
        try:
            number = Decimal(text)
        except InvalidOperation:
            return UNREAD
        if not number.is_finite() or not self.bounds[0] <= number <= self.bounds[-1]:
            return UNREAD
        return self.names[min(bisect_right(self.bounds, number) - 1, len(self.names) - 1)]


def band_names(bounds: Sequence[Decimal]) -> tuple[str, ...]:
    """Bands of whole numbers are named by their first and last number, others by their bounds: 18 to 64, 0.5 to under 1.5."""
    whole = all(bound % 1 == 0 for bound in bounds)
    last = len(bounds) - 2
    return tuple(
        f"{decimal_text(low)} to {decimal_text(high)}"
        if place == last
        else f"{decimal_text(low)} to {decimal_text(high - 1)}"
        if whole and high - low > 1
        else decimal_text(low)
        if whole
        else f"{decimal_text(low)} to under {decimal_text(high)}"
        for place, (low, high) in enumerate(pairwise(bounds))
    )
