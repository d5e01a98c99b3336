"""A small table of every kind of attribute."""

from __future__ import annotations

import numpy as np
import pandas as pd

from headgate.core.columns import Kind, Role, Table
from headgate.core.encode import ColumnSpec, encode_table
from headgate.core.hierarchy import Hierarchy

TREE = [["a1", "a", "*"], ["a2", "a", "*"], ["b1", "b", "*"], ["b2", "b", "*"]]


SPECS = {
    "age": ColumnSpec("age", Kind.INTEGER, Role.QUASI, domain=(0, 9)),
    "size": ColumnSpec("size", Kind.NUMBER, Role.QUASI),
    "town": ColumnSpec("town", Kind.CATEGORY, Role.QUASI, hierarchy=Hierarchy.from_rows(TREE, "town")),
    "eye": ColumnSpec("eye", Kind.CATEGORY, Role.QUASI),
    "ill": ColumnSpec("ill", Kind.CATEGORY, Role.SENSITIVE),
    "pay": ColumnSpec("pay", Kind.NUMBER, Role.SENSITIVE),
    "level": ColumnSpec("level", Kind.ORDINAL, Role.SENSITIVE, levels=("low", "middle", "high")),
}


def people(rows: int, seed: int, gaps: bool = True) -> Table:
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "age": rng.integers(0, 10, rows).astype(object),
            "size": rng.choice([1.5, 2.25, 3, 8], rows).astype(object),
            "town": rng.choice([row[0] for row in TREE], rows).astype(object),
            "eye": rng.choice(["blue", "brown", "green"], rows).astype(object),
            "ill": rng.choice(["flu", "cold", "none"], rows).astype(object),
            "pay": rng.choice([10, 20.5, 30, 99], rows).astype(object),
            "level": rng.choice(["low", "high"], rows).astype(object),
        }
    )
    if gaps:
        frame = frame.mask(rng.random(frame.shape) < 0.05, None)
    return encode_table(frame, SPECS)
