"""Linkability: which attribute binds, and what a bitmap column tells."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from headgate.core.columns import Kind, Role
from headgate.core.encode import ColumnSpec, encode_column
from headgate.counting.class_counts import count as counted
from headgate.principles.linkability import linkability, worst_linkability
from tests.unit.headgate.principles.encoded_rows import categories


def test_the_binding_attribute_is_named() -> None:
    spec = ColumnSpec("w", Kind.CATEGORY, Role.SENSITIVE)
    other = encode_column(pd.Series(["x", "x", "y"]), spec)
    worst = worst_linkability([counted(column, [np.zeros(3, dtype=np.int32)]) for column in (categories(["a", "b", "c"]), other)])
    assert (worst.attribute, worst.linkability) == ("w", pytest.approx(2 / 3))


def test_a_bitmap_column_is_judged_by_having_the_value() -> None:
    """DEFINITIONS §1: without this a bit, whose larger value holds at least half, could never pass."""
    bits = encode_column(pd.Series(["0"] * 9 + ["1"]), ColumnSpec("d=x", Kind.CATEGORY, Role.SENSITIVE, nonsensitive=frozenset({"0"})))
    found = linkability(counted(bits, [np.zeros(10, dtype=np.int32)]))
    assert (found.linkability, found.linkability_all) == (0.1, 0.9)
