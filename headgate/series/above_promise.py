"""Who is above what a series promises: the largest certainty, over all that is compared, of a sensitive value of each person."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from headgate.core.tolerance import exact, radius
from headgate.series.series_risk import SeriesRisk


def linkability_by_person(risk: SeriesRisk, people: int) -> NDArray[np.float64]:
    """Series linkability by the number of the person, for the numbers 0 … people − 1; 0 for who is in no version."""
    out = np.zeros(people)
    for measure in risk.measures:
        np.maximum.at(out, measure.people, measure.by_person(measure.linkability))
    return out


def above(linkability: NDArray[np.float64], required: Any) -> NDArray[np.bool_]:
    """Which figures are above a bound, with the tolerance of DEFINITIONS. What is not a number is above every bound."""
    return ~(linkability <= radius(float(exact(required))))
