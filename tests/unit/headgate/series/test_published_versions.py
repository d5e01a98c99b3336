from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from headgate.core.columns import Codes, Column, Kind
from headgate.core.errors import InputRejected
from headgate.series.published_versions import Version, VersionTable, check_versions
from headgate.series.series_risk import series_risk


def codes(*numbers: int) -> Codes:
    return np.array(numbers, dtype=np.int32)


def column(name: str, *numbers: int, values: str = "abc") -> Column:
    return Column(name, Kind.CATEGORY, codes(*numbers), np.array(list(values), dtype=object), np.ones(len(values) + 1, dtype=np.bool_))


def version(*people: int) -> Version:
    return Version(codes(*people), [VersionTable.in_order([codes(0, 0, 1, 1)], {"a": column("a", 0, 1, 0, 2)})])


WRONG = {
    "A person is in version 2 twice": version(0, 1, 1, 2),
    "There is nobody in version 2": replace(version(0, 1, 2, 3), people=codes()),
    "does not hold the people of version 2": version(0, 1, 2),
    "lacks sensitive attributes of its own": replace(version(0, 1, 2, 3), tables=[*version(0, 1, 2, 3).tables] * 2),
    "has no groups": Version(codes(0), [VersionTable.in_order([], {"a": column("a", 0)})]),
    "columns of different lengths": Version(codes(0, 1), [VersionTable([codes(0, 0)], [codes(0, 0)], {"a": column("a", 0)})]),
    "'a' is coded differently in version 2": Version(
        codes(0, 1), [VersionTable.in_order([codes(0, 0)], {"a": column("a", 0, 1, values="cab")})]
    ),
    "are not those of its table": Version(codes(0, 1, 2), [VersionTable([codes(0, 0, 1)], [codes(0, 1, 1)], {"a": column("a", 0, 1, 2)})]),
}


@pytest.mark.parametrize("message", WRONG)
def test_what_cannot_be_a_series_is_refused(message: str) -> None:
    with pytest.raises(InputRejected, match=message):
        check_versions([version(0, 1, 2, 3), WRONG[message]])
    with pytest.raises(InputRejected, match="0 versions"):
        check_versions([])


def test_rows_that_were_shuffled_are_counted_by_their_groups() -> None:
    """Of a version read from its published files, only the group of each person is known, not the person's row."""
    first = version(0, 1, 2, 3)
    table = first.tables[0]
    shuffled = VersionTable(table.groups, [codes(1, 0, 1, 0)], {"a": column("a", 2, 1, 0, 0)})
    known, unknown = (series_risk([first, replace(first, tables=[one])]) for one in (table, shuffled))
    assert (known.linkability, known.candidates) == (unknown.linkability, unknown.candidates) == (0.5, 2)


def test_groups_that_have_nothing_in_common_tell_that_a_value_changed() -> None:
    """Nobody's own value is known, but the first two people's groups of two versions share no value."""
    rows = [{"a": column("a", *numbers)} for numbers in ((0, 0, 1, 2), (1, 2, 1, 2))]
    versions = [Version(codes(0, 1, 2, 3), [VersionTable([codes(0, 0, 1, 1)], [codes(0, 0, 1, 1)], steady)]) for steady in rows]
    (measure,) = series_risk(versions).measures
    assert measure.told == 2
    assert measure.by_person(measure.linkability).tolist() == [1, 1, 0.5, 0.5]
    assert measure.by_person(measure.candidates).tolist() == [1, 1, 2, 2]


def test_the_worse_reading_of_group_counts() -> None:
    """Two groups look alike to whoever sees only quasi-identifiers, and together hold the same value more often."""
    columns = {"a": column("a", 0, 1, 0, 0)}
    apart, together = codes(0, 0, 1, 1), codes(0, 0, 0, 0)
    one, both = (
        series_risk([Version(codes(0, 1, 2, 3), [VersionTable.in_order(classes, columns)])]) for classes in ([apart], [apart, together])
    )
    assert one.linkability == both.linkability == 1
    assert [one.measures[0].by_person(one.measures[0].linkability)[0], both.measures[0].by_person(both.measures[0].linkability)[0]] == [
        0.5,
        0.75,
    ]
