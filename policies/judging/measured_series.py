"""From what was measured of a series to the figures that gates, reports and manifests hold."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from headgate.core.tolerance import radius
from headgate.series.kept_version import KeptVersion
from headgate.series.series_risk import SeriesMeasure, SeriesRisk
from policies.gates.series import SeriesKey
from policies.gates.series_figures import ComparedFigures, SeriesFigures


def figures_of(
    key: SeriesKey, new: KeptVersion, last: KeptVersion | None, earlier: Sequence[str], not_measured: int, measured: SeriesRisk | None
) -> SeriesFigures:
    """`last`: the version published last, `earlier` the candidates of those that were measured, `not_measured` how many were not."""
    stayed = 0 if last is None else int((last.places_of(new.people) >= 0).sum())
    people = len(new.people)
    measures = () if measured is None else measured.measures
    return SeriesFigures(
        earlier=tuple(earlier),
        not_measured=not_measured,
        unmeasured=key.unmeasured or "",
        people=people,
        several=max((measure.several for measure in measures), default=0),
        came=people - stayed,
        left=0 if last is None else len(last.people) - stayed,
        above=0 if key.linkability is None else int(_above(measures, float(key.linkability), people).sum()),
        compared=tuple(_compared(measure) for measure in measures),
    )


def _above(measures: Sequence[SeriesMeasure], required: float, people: int) -> NDArray[np.bool_]:
    above = np.zeros(people, dtype=np.bool_)
    for measure in measures:
        above[measure.people] |= measure.by_person(measure.linkability) > radius(required)
    return above


def _compared(measure: SeriesMeasure) -> ComparedFigures:
    fewest = min(float(figures.min()) for figures in measure.candidates.per_class)
    return ComparedFigures(
        names=measure.names,
        values=measure.candidates.attainable,
        people=measure.several,
        linkability=measure.linkability.value,
        linkability_any=measure.linkability_any.value,
        candidates=None if math.isinf(fewest) else int(fewest),
        risk=None if measure.risk is None else measure.risk.value,
        changed=measure.told,
    )
