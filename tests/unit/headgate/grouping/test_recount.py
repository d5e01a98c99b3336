"""The exact count at the end, on partitions that no anonymizer of ours would make."""

from __future__ import annotations

import numpy as np
import pandas as pd

from headgate.grouping.axes import axes_of
from headgate.grouping.items import items_of
from headgate.grouping.limits import dissimilarity, linkability
from headgate.grouping.recount import recount
from headgate.methods.xcolor.faithful import color


def test_a_partition_with_a_group_below_k_is_not_reached(make_table):
    table = make_table(pd.DataFrame({"age": range(5), "illness": list("abcde")}), ["age"])
    limit = dissimilarity(table.select(["illness"]), "0", "0.5")
    found = recount(items_of(table, [limit]), [limit], np.array([0, 0, 0, 1, 1], dtype=np.int32))
    assert (found.smallest, found.broken, found.risk) == (2, (), 0.0)
    assert found.reached(2)
    assert not found.reached(3)


def test_suppressed_rows_are_in_no_group_and_harm_nobody(make_table):
    table = make_table(pd.DataFrame({"age": range(6), "illness": list("aaabcd")}), ["age"])
    limits = [dissimilarity(table.select(["illness"]), "0", "0.5"), linkability(table["illness"], "0.5")]
    itemized = items_of(table, limits)
    crowded = recount(itemized, limits, np.array([0, 0, 0, 0, 1, 1], dtype=np.int32))
    assert not crowded.reached(2)
    assert crowded.over.tolist() == [2, 2, 2, 0, 0, 0]  # one too many for each of the two limits
    thinned = np.array([0, -1, -1, 0, 1, 1], dtype=np.int32)
    found = recount(itemized, limits, thinned)
    assert found.reached(2)


def test_the_coloring_makes_no_group_below_k(people):
    """n = 19, k = 10 is the case in which INITIALIZE as printed breaks (DEFINITIONS §4)."""
    for rows, sizes in ((10, [10]), (19, [19]), (29, [14, 15]), (31, [10, 10, 11])):
        table = people(rows)
        limit = dissimilarity(table.select(["disease"]), "0", "0.1")
        assert sorted(np.bincount(color(axes_of(table), [limit], rows, 10).groups).tolist()) == sizes


def test_the_groups_of_table_1_have_risk_three_quarters_and_one_quarter(syndromes):
    """DEFINITIONS §3 Golden."""
    limit = dissimilarity(syndromes.select(["syndrome"]), "0.1", "0.5")
    itemized = items_of(syndromes, [limit])
    both = np.array([0] * 5 + [1] * 5, dtype=np.int32)
    assert recount(itemized, [limit], both).risk == 0.75
    assert recount(itemized, [limit], np.where(both == 1, 0, -1).astype(np.int32)).risk == 0.25


def test_a_lone_row_has_risk_one_whatever_its_value(make_table):
    """DEFINITIONS §3: without a sensitive value it was 0 for who made the groups, and 1 for the gate."""
    table = make_table(pd.DataFrame({"age": range(3), "illness": ["none", "none", "flu"]}), ["age"], {"illness": ["none"]})
    limit = dissimilarity(table.select(["illness"]), "0", "0")
    itemized = items_of(table, [limit])
    assert recount(itemized, [limit], np.array([0, -1, -1], dtype=np.int32)).risk == 1.0
    assert recount(itemized, [limit], np.array([0, 0, -1], dtype=np.int32)).risk == 0.0
    assert recount(itemized, [limit], np.array([0, 0, 0], dtype=np.int32)).risk == 0.0
