"""Declared values that no row has."""

from __future__ import annotations

import pandas as pd

from headgate.core.columns import Kind, Role
from headgate.core.encode import ColumnSpec, encode_table
from headgate.core.hierarchy import Hierarchy
from policies.sealed.unused_values import unused_values


def test_declared_values_that_no_row_has_are_named_by_attribute() -> None:
    """The header of a code list became a published column, in which nobody had a 1."""
    tree = Hierarchy.from_rows([("a", "x", "*"), ("b", "x", "*"), ("c", "y", "*")], "ward")
    specs = {
        "dx": ColumnSpec("dx", Kind.SET, Role.SENSITIVE, declared=("name", "flu", "gout", "asthma")),
        "sex": ColumnSpec("sex", Kind.CATEGORY, Role.QUASI, declared=("m", "f")),
        "ward": ColumnSpec("ward", Kind.CATEGORY, Role.QUASI, declared=("a", "b", "c"), hierarchy=tree),
        "age": ColumnSpec("age", Kind.INTEGER, Role.QUASI),
        "grade": ColumnSpec("grade", Kind.ORDINAL, Role.QUASI, levels=("low", "high")),
        "note": ColumnSpec("note", Kind.CATEGORY, Role.DROPPED, declared=("x",)),
    }
    frame = pd.DataFrame(
        {"dx": ["flu|gout", "flu", None], "sex": ["f", "m", None], "ward": ["a", "c", "a"], "age": [1, 2, 3], "grade": ["low"] * 3}
    )
    assert unused_values(encode_table(frame, specs), specs) == {"dx": ("name", "asthma"), "ward": ("b",)}
