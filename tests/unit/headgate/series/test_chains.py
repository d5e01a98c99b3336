from __future__ import annotations

import numpy as np

from headgate.series.chains import changed, comparisons, distinct_chains, not_shared
from headgate.series.published_versions import Version, VersionTable
from tests.unit.headgate.series.test_published_versions import codes, column

FIRST = Version(codes(3, 5), [VersionTable.in_order([codes(0, 0)], {"a": column("a", 0, 1), "b": column("b", 2, 2)})])
SECOND = Version(
    codes(5, 7),
    [VersionTable.in_order([codes(0, 1)], {"a": column("a", 1, 2)}), VersionTable.in_order([codes(0, 0)], {"b": column("b", 0, 2)})],
)


def test_attributes_that_moved_to_another_table_are_compared_alone() -> None:
    together, a, b = comparisons([FIRST, SECOND])
    assert (together.names, together.versions, together.people.tolist()) == (("a", "b"), (0,), [3, 5])
    assert [(one.names, one.versions, one.people.tolist()) for one in (a, b)] == [((name,), (0, 1), [3, 5, 7]) for name in "ab"]


def test_a_chain_is_the_group_in_every_version_that_holds_the_person() -> None:
    (_, a, b) = comparisons([FIRST, SECOND])
    assert a.readings[0].classes.tolist() == [[0, -1], [0, 1], [-1, 2]]
    assert b.readings[0].classes.tolist() == [[0, -1], [0, 1], [-1, 1]]
    assert a.several.tolist() == [False, True, False]
    assert (changed(a).tolist(), changed(b).tolist()) == ([False] * 3, [False, True, False])
    assert not_shared(b, b.readings[0]).tolist() == [False, True, False]  # value 0 is not in the first group


def test_people_whose_value_is_told_have_chains_of_their_own() -> None:
    (_, _, b) = comparisons([FIRST, SECOND])
    rows, apart, place = distinct_chains(b.readings[0], np.array([False, True, True]))
    assert [rows[i].tolist() for i in place] == b.readings[0].classes.tolist()
    assert apart[place].tolist() == [False, True, True]
