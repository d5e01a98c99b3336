"""The δ that are tried, written with two decimals so that a δ that was reached can be pasted into a policy."""

from __future__ import annotations

import bisect
from collections.abc import Callable, Sequence
from fractions import Fraction

from headgate.core.errors import InputRejected
from headgate.core.tolerance import exact

HUNDREDTHS = tuple(Fraction(i, 100) for i in range(101))
ROUND = tuple(Fraction(i, 20) for i in range(21))


def rungs(k: int, more: Sequence[Fraction] = ()) -> tuple[Fraction, ...]:
    """The values of δ to try: from 1 down to 0 in steps of 0.05, and the requested ones. Finer steps would cost too much, since grouping
    in vain takes longest just above the largest possible δ. Larger groups react to any δ, not only to 1 − j/(k−1)."""
    if k < 2:
        raise InputRejected(f"k = {k} leaves rows alone in their groups.", "Give k ≥ 2.")
    return tuple(sorted({*ROUND, *more}, reverse=True))


def delta_text(delta: Fraction) -> str:
    """δ as a person would write it: 0.7, not 7/10. Digits are cut off, and never rounded up to a stronger promise."""
    places = 2 if delta in HUNDREDTHS else 6
    whole = int(delta * 10**places)
    text = f"{whole // 10**places}.{whole % 10**places:0{places}d}".rstrip("0").rstrip(".")
    if exact(text) > delta:
        raise InputRejected("A δ cannot be written as a decimal.", "Give a decimal between 0 and 1.")
    return text


def largest(holds: Callable[[Fraction], bool]) -> Fraction | None:
    """The largest hundredth at which a condition holds, if it holds at all lower ones too; None: not even at 0."""
    place = bisect.bisect_left(HUNDREDTHS, True, key=lambda delta: not holds(delta))
    return HUNDREDTHS[place - 1] if place > 0 else None
