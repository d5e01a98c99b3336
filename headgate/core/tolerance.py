"""Comparing a measured real number with a threshold: one tolerance, used everywhere (DEFINITIONS, preamble)."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from headgate.core.errors import InputRejected

TOLERANCE = 1e-9
LARGEST_EXPONENT = 400  # of ten: a float cannot hold a number this large, and writing it out could take minutes


def at_most(measured: float, threshold: float) -> bool:
    """a ≤ b up to 1e-9·max(1, |a|, |b|). A NaN is never at most anything: what cannot be measured is not met."""
    if math.isinf(measured) or math.isinf(threshold):
        return measured <= threshold  # a tolerance relative to infinity would let everything pass
    return bool(measured <= threshold + TOLERANCE * max(1.0, abs(measured), abs(threshold)))


def radius(width: float) -> float:
    """A width with its tolerance folded in, so that compiled loops compare plainly."""
    return width + TOLERANCE * max(1.0, abs(width))


def at_least(measured: float, threshold: float) -> bool:
    """a ≥ b under the same tolerance."""
    return at_most(threshold, measured)


def exact(decimal: Any) -> Fraction:
    """The number that a person wrote: 0.7 is 7/10, not the nearest float. Floors of products must use this."""
    try:
        number = decimal if isinstance(decimal, Fraction) else Fraction(_short(str(decimal)))
        float(number)  # as others will read it
        return number
    except (ValueError, ZeroDivisionError, OverflowError):
        raise InputRejected("A setting is not a number.", "Write a finite decimal, such as 0.1.") from None


def _short(text: str) -> str:
    _, mark, exponent = text.lower().partition("e")
    if mark and abs(int(exponent)) > LARGEST_EXPONENT:
        raise ValueError
    return text


def is_whole(setting: Any, least: int) -> bool:
    """Whether a setting is a whole number of at least `least`."""
    return isinstance(setting, int | np.integer) and not isinstance(setting, bool) and int(setting) >= least


def floors(counts: NDArray[np.int64] | int, share: Fraction) -> NDArray[np.int64]:
    """⌊share·count⌋ for every count, in whole numbers, also where the product does not fit into 64 bits (0.6666666666666667 of 2,000);
    a floor that does not is the largest number that does."""
    whole = np.asarray(counts, dtype=np.int64)
    if int(whole.max(initial=0)) * share.numerator >= 2**63 or share.denominator >= 2**63:
        exactly = [min(int(count) * share.numerator // share.denominator, 2**63 - 1) for count in whole.ravel()]
        return np.array(exactly, dtype=np.int64).reshape(whole.shape)
    return np.asarray(whole * share.numerator // share.denominator)


def neighbours_allowed(sizes: NDArray[np.int64] | int, delta: Any) -> NDArray[np.int64]:
    """⌊(1−δ)(|G|−1)⌋ for every group size, in whole numbers."""
    return floors(np.maximum(np.asarray(sizes, dtype=np.int64) - 1, 0), 1 - exact(delta))
