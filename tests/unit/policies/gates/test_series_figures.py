"""What is measured of a series, as a manifest holds it."""

from __future__ import annotations

import pytest

from policies.gates.series_figures import ComparedFigures, SeriesFigures


def test_the_worst_of_all_that_is_compared_is_said() -> None:
    one = ComparedFigures(names=("a", "b"), values=6, people=10, linkability=0.2, linkability_any=0.4, changed=3)
    other = ComparedFigures(names=("a",), values=3, people=10, linkability=0.3, linkability_any=0.3, risk=0.5, changed=1)
    series = SeriesFigures(compared=(one, other))
    assert (series.linkability, series.linkability_any, series.risk) == (0.3, 0.4, None)
    assert SeriesFigures(compared=(other,)).risk == 0.5
    assert series.changed == pytest.approx(0.1)  # of one attribute alone


def test_a_series_of_nothing_has_figures() -> None:
    nothing = SeriesFigures()
    assert (nothing.linkability, nothing.changed, nothing.returning, nothing.candidates(7)) == (0.0, 0.0, 1.0, 7.0)
