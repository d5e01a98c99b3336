"""Re-identification as its users know it: prosecutor, journalist, marketer (DEFINITIONS §7). Suppressed rows are excluded."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from headgate.columns import Codes
from headgate.errors import InputRejected
from headgate.tolerance import at_most


@dataclass(frozen=True, eq=False)
class Reidentification:
    """Prosecutor: the victim is known to be in the table, so 1/|group|. `mean` is groups/rows, also the marketer's figure."""

    max: float
    mean: float
    at_risk: float | None  # share of rows strictly above the threshold
    per_row: NDArray[np.float64]  # by group number


def reidentification(classes: Sequence[Codes], threshold: Any = None) -> Reidentification:
    """Each figure in the worse reading of "group"."""
    if not classes or len(classes[0]) == 0:
        raise InputRejected("There are no rows to measure.", "Give a table with rows.")
    risks = [1.0 / np.bincount(reading)[reading] for reading in classes]
    means = [len(np.unique(reading)) / len(reading) for reading in classes]
    above = None
    if threshold is not None:
        bound = float(threshold)
        above = max(float(np.mean([not at_most(risk, bound) for risk in reading])) for reading in risks)
    return Reidentification(max(float(risk.max()) for risk in risks), max(means), above, risks[0])


def journalist(consistent: NDArray[np.int64]) -> Reidentification:
    """The victim is only known to be in a population table: 1/(individuals there consistent with the record), from
    `headgate.risk.disclosure`. A record consistent with nobody cannot be linked: 0."""
    if len(consistent) == 0:
        raise InputRejected("There are no rows to measure.", "Give a table with rows.")
    risk = np.where(consistent > 0, 1.0 / np.maximum(consistent, 1), 0.0)
    return Reidentification(float(risk.max()), float(risk.mean()), None, risk)
