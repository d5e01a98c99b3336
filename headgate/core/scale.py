"""How far apart two numbers are: by their difference or, on the log scale, by their ratio (DEFINITIONS §2)."""

from __future__ import annotations

from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from headgate.core.errors import InputRejected


class Scale(StrEnum):
    LINEAR = "linear"
    LOG = "log"


def logarithms(numbers: NDArray[np.float64], low: float, name: str) -> NDArray[np.float64]:
    """How far each number lies above the low end of its domain on the log scale: the logarithm of their ratio."""
    if not low > 0:
        raise InputRejected(
            f"'{name}' is compared by ratios (scale: log), and its domain is not above 0.",
            "Declare a domain above 0, publish small numbers as a bound above 0 (publish_as: {bottom: …}), or take out scale: log.",
        )
    return np.log(numbers / low)
