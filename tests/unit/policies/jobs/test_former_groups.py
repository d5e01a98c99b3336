"""Which former groups a new table must keep together."""

from __future__ import annotations

import numpy as np

from policies.jobs.former_groups import FormerGroups, FormerTable


def table(names: set[str], *groups: int) -> FormerTable:
    return FormerTable(frozenset(names), np.array(groups, dtype=np.int32))


def test_of_each_version_the_table_counts_that_shares_most_attributes() -> None:
    january = (table({"job"}, 0, 0, 1), table({"pay", "home"}, 2, 3, -1))
    february = (table({"job", "pay", "home"}, 5, 6, 7),)
    former = FormerGroups((january, february))
    assert former.of(["pay", "job", "home"], 3).tolist() == [[2, 5], [3, 6], [-1, 7]]
    assert former.of(["job"], 3).tolist() == [[0, 5], [0, 6], [1, 7]]


def test_where_nothing_is_shared_nobody_was_together() -> None:
    assert FormerGroups(((table({"job"}, 0, 0),), ())).of(["pay"], 2).tolist() == [[-1, -1], [-1, -1]]
