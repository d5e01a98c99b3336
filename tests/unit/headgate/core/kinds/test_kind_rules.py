"""What the rules of a kind give when a kind says nothing else."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from headgate.core.columns import Kind, Role
from headgate.core.encode import ColumnSpec, encode_column
from headgate.core.errors import InputRejected
from headgate.core.hierarchy import Hierarchy
from headgate.core.kinds.kind_rules import part_of

TREE = [["b1", "b", "*"], ["a1", "a", "*"], ["b2", "b", "*"], ["a2", "a", "*"], ["a3", "a", "*"]]


def test_a_tree_lays_the_leaves_of_each_node_side_by_side_and_weighs_them() -> None:
    spec = ColumnSpec("town", Kind.CATEGORY, Role.QUASI, hierarchy=Hierarchy.from_rows(TREE, "town"))
    column = encode_column(pd.Series(["a1", "b2"]), spec)
    rank, node, share = column.kind.rules.tree(column)
    at = {str(column.values[code]): int(rank[code]) for code in range(5)}
    assert sorted(at.values()) == [0, 1, 2, 3, 4]
    assert {max(at[leaf] for leaf in at if leaf[0] == name) - min(at[leaf] for leaf in at if leaf[0] == name) for name in "ab"} == {1, 2}
    assert share[0].tolist() == [0.0] * 5
    assert {leaf: share[1][at[leaf]] for leaf in at} == {leaf: 0.6 if leaf[0] == "a" else 0.4 for leaf in at}
    assert share[2].tolist() == [1.0] * 5
    assert len(np.unique(node[1])) == 2


def test_what_has_no_order_has_no_cell_between_two_values() -> None:
    column = encode_column(pd.Series(["a", "b"]), ColumnSpec("eye", Kind.CATEGORY, Role.QUASI))
    with pytest.raises(InputRejected, match="have no order"):
        column.kind.rules.between(column, 0, 1)


def test_the_part_of_a_domain_is_clipped_to_it() -> None:
    assert part_of((0, 5), (0, 10)) == 0.5
    assert part_of((-5, 5), (0, 10)) == 0.5
    assert part_of((20, 30), (0, 10)) == 0.0
    assert part_of((0, 5), (3, 3)) == part_of((0, 5), None) == 0.0
