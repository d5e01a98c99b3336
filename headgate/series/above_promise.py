"""Who is above what a series promises: the largest certainty, over all that is compared, of a sensitive value of each person."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from headgate.core.tolerance import exact, radius
from headgate.series.published_versions import Version
from headgate.series.series_risk import SeriesRisk, series_risk


def linkability_by_person(risk: SeriesRisk, people: int) -> NDArray[np.float64]:
    """Series linkability by the number of the person, for the numbers 0 … people − 1; 0 for who is in no version."""
    out = np.zeros(people)
    for measure in risk.measures:
        np.maximum.at(out, measure.people, measure.by_person(measure.linkability))
    return out


def above_promise(versions: Sequence[Version], required: Any) -> NDArray[np.bool_]:
    """By the number of the person: is the person's series linkability above what is required?"""
    people = max(int(version.people.max(initial=-1)) for version in versions) + 1
    return above(linkability_by_person(series_risk(versions), people), required)


def above(linkability: NDArray[np.float64], required: Any) -> NDArray[np.bool_]:
    """Which figures are above a bound, with the tolerance of DEFINITIONS. What is not a number is above every bound."""
    return ~(linkability <= radius(float(exact(required))))
