"""Numbers as published (DEFINITIONS §12): rounded half to even to multiples of a step, and whatever lies beyond a bound as the bound."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from headgate.core.tolerance import exact

EXACT_FLOATS = 2**53
DECIMAL_PLACES = 6  # up to which rounding is done on whole arrays


@dataclass(frozen=True)
class NumberForm:
    """`step` is positive; `bottom` and `top` are multiples of it."""

    step: Fraction | None = None
    bottom: Fraction | None = None
    top: Fraction | None = None

    def of(self, numbers: Iterable[float]) -> NDArray[np.float64]:
        """What is published of each number."""
        values = np.asarray(numbers, dtype=np.float64)
        rounded = values if self.step is None else half_even(values, self.step)
        least = -math.inf if self.bottom is None else float(self.bottom)
        return np.clip(rounded, least, math.inf if self.top is None else float(self.top))


def half_even(numbers: NDArray[np.float64], step: Fraction) -> NDArray[np.float64]:
    """The nearest multiple of `step`, of two equally near ones the even multiple. A number is the decimal that it is written as: 0.15 to
    tenths is 0.2, although the float lies below 0.15."""
    for places in range(DECIMAL_PLACES + 1):
        scale, width = 10**places, step * 10**places
        scaled = np.rint(numbers * scale)
        fits = float(np.abs(scaled).max(initial=0.0)) + float(width) < EXACT_FLOATS
        if width.denominator == 1 and fits and bool((scaled / scale == numbers).all()):
            quotient, rest = np.divmod(scaled.astype(np.int64), int(width))
            up = (2 * rest > int(width)) | ((2 * rest == int(width)) & (quotient % 2 == 1))
            return np.asarray((quotient + up) * int(width) / scale)
    return np.array([float(round(exact(float(number)) / step) * step) for number in numbers])


def quantile(values: NDArray[np.float64], counts: NDArray[np.int64], share: Fraction) -> Fraction:
    """The least of the ascending values with at least this share of the rows at or below it."""
    rows = np.cumsum(counts)
    return exact(float(values[int(np.searchsorted(rows, math.ceil(share * int(rows[-1]))))]))


def largest_share(counts: NDArray[np.int64], beyond: int) -> Fraction | None:
    """Of ascending values: the largest share, in as few decimals as say it, whose quantile leaves at least this many rows above. None
    if no value does."""
    rows = np.cumsum(counts).tolist()
    enough = [place for place, below in enumerate(rows) if rows[-1] - below >= beyond]
    if not enough:
        return None
    most = Fraction(rows[enough[-1]], rows[-1])
    less = Fraction(rows[enough[-1] - 1], rows[-1]) if enough[-1] else Fraction(0)
    return next(share for places in range(1, 20) if (share := Fraction(math.floor(most * 10**places), 10**places)) > less)
