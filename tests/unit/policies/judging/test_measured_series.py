"""From what was measured of a series to figures."""

from __future__ import annotations

import numpy as np

from headgate.series.with_earlier import with_earlier
from policies.gates.series import SeriesKey
from policies.judging.measured_series import figures_of
from tests.unit.headgate.series.by_definition import Drawn
from tests.unit.headgate.series.kept_drawn import kept

BEFORE = {0: "flu", 1: "flu", 2: "gout", 3: "cold", 4: "cold"}
NOW = {0: "flu", 1: "flu", 2: "gout", 3: "gout", 9: "cold"}


def version(illness: dict[int, str], seed: int):
    people = {person: {"illness": value, "pay": 0} for person, value in illness.items()}
    return kept(Drawn(people, {("illness",): dict.fromkeys(people, 0)}), seed)


def test_figures_count_who_came_who_left_and_who_is_above() -> None:
    """In common both groups have flu twice, gout once and cold once; person 3 had a cold and now has gout, which the group before holds."""
    (old, _), (new, own) = version(BEFORE, 0), version(NOW, 1)
    measured = with_earlier([old], new, own, ["illness"])
    key = SeriesKey.model_validate({"linkability": "0.45"})
    series = figures_of(key, new, old, ["ab" * 32], 2, measured)
    assert (series.people, series.several, series.came, series.left, series.not_measured) == (5, 4, 1, 1, 2)
    (one,) = series.compared
    assert (one.names, one.values, one.linkability, one.candidates, one.changed, one.risk) == (("illness",), 3, 0.5, 3, 0, None)
    assert series.above == 4  # person 9 has the figures of one group alone, in which 2 of 5 have flu
    assert figures_of(SeriesKey.model_validate({"linkability": "0.5"}), new, old, [], 0, measured).above == 0
    assert figures_of(SeriesKey.model_validate({"candidates": 1}), new, old, [], 0, measured).above == 0


def test_a_first_version_has_nobody_who_left() -> None:
    new, own = version(NOW, 1)
    series = figures_of(SeriesKey.model_validate({"candidates": 1}), new, None, [], 0, with_earlier([], new, own, ["illness"]))
    assert (series.came, series.left, series.several, series.returning) == (5, 0, 0, 1.0)
    nothing = figures_of(SeriesKey.model_validate({"candidates": 1}), new, None, [], 0, None)
    assert (nothing.compared, nothing.linkability, np.isfinite(nothing.candidates(1))) == ((), 0.0, True)
