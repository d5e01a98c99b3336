"""Who is above what a series promises."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from headgate.core.columns import Column, Kind
from headgate.series.above_promise import above, linkability_by_person
from headgate.series.published_versions import Version, VersionTable
from headgate.series.series_risk import series_risk
from tests.unit.headgate.series.by_definition import Drawn, by_definition, random_series

PEOPLE = 14


def column_of(name, values):
    known = sorted({"v0", "v1", "v2", "v3", "v4"} if name == "illness" else range(5))
    codes = np.array([-1 if value is None else known.index(value) for value in values], dtype=np.int32)
    return Column(name, Kind.CATEGORY, codes, np.array(known), np.ones(len(known) + 1, dtype=np.bool_))


def version_of(drawn: Drawn) -> Version:
    people = list(drawn.people)
    tables = []
    for names, groups in drawn.tables.items():
        numbers = np.unique([groups[person] for person in people], return_inverse=True)[1].astype(np.int32)
        tables.append(VersionTable.in_order([numbers], {name: column_of(name, [drawn.people[p][name] for p in people]) for name in names}))
    return Version(np.array(people, dtype=np.int32), tables)


@pytest.mark.parametrize("seed", range(40))
def test_each_person_has_the_largest_certainty_of_all_that_is_compared(seed):
    series = random_series(seed)
    versions = [version_of(drawn) for drawn in series]
    found = linkability_by_person(series_risk(versions), PEOPLE)
    expected = dict.fromkeys(range(PEOPLE), Fraction(0))
    for names in [("illness", "pay"), ("illness",), ("pay",)]:
        for person, share in by_definition(series, names).linkability.items():
            expected[person] = max(expected[person], share)
    assert found.tolist() == [float(share) for share in expected.values()]
    for required in ("0.5", Fraction(1, 3), 1):
        assert above(found, required).tolist() == [share > Fraction(required) for share in expected.values()]


def test_a_bound_is_compared_with_its_tolerance_and_what_cannot_be_measured_is_above_it():
    figures = np.array([0.8, 0.8 + 1e-12, 0.80001, np.nan, 1.0, 0.0])
    assert above(figures, "0.8").tolist() == [False, False, True, True, True, False]
    assert above(figures, 1).tolist() == [False, False, False, True, False, False]
