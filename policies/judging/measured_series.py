"""From what was measured of a series to the figures that gates, reports and manifests hold."""

from __future__ import annotations

import math
from collections.abc import Sequence

from headgate.series.above_promise import above, linkability_by_person
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
        above=_above(measured, key, people),
        compared=tuple(_compared(measure) for measure in measures),
    )


def _above(measured: SeriesRisk | None, key: SeriesKey, people: int) -> int:
    if measured is None or key.linkability is None:
        return 0
    return int(above(linkability_by_person(measured, people), key.linkability).sum())


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
