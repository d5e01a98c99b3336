"""Ordinals."""

from __future__ import annotations

import pytest

from headgate.core.columns import Kind
from headgate.core.errors import InputRejected
from headgate.core.hierarchy import Hierarchy
from tests.unit.headgate.core.encoded import encode


def test_declared_levels_and_leaves_are_all_there_in_their_order() -> None:
    ordinal = encode(["high", None, "low"], Kind.ORDINAL, levels=("low", "middle", "high"))
    assert (ordinal.values.tolist(), ordinal.codes.tolist(), ordinal.domain) == (["low", "middle", "high"], [2, -1, 0], (0.0, 2.0))
    tree = Hierarchy.from_rows([["b", "x", "*"], ["a", "x", "*"], ["c", "y", "*"]], "c")
    town = encode(["a", "c"], Kind.CATEGORY, hierarchy=tree)
    assert (town.values.tolist(), town.codes.tolist()) == (["b", "a", "c"], [1, 2])
    both = encode(["a"], Kind.CATEGORY, hierarchy=tree, declared=("a", "b"))
    assert both.hierarchy is not None
    assert both.hierarchy.leaves[both.codes[0]] == "a"
    with pytest.raises(InputRejected, match="not among its declared values"):
        encode(["c"], Kind.CATEGORY, hierarchy=tree, declared=("a", "b"))
