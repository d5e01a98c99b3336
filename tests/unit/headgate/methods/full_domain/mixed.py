"""A table with a quasi-identifier of each kind."""

from __future__ import annotations

import numpy as np
import pandas as pd

from headgate.core.columns import Kind, Role
from headgate.core.encode import ColumnSpec, encode_table
from headgate.core.hierarchy import Hierarchy

AGE = Hierarchy.from_rows(
    [(str(v), f"[{v // 5 * 5}..{v // 5 * 5 + 4}]", f"[{v // 10 * 10}..{v // 10 * 10 + 9}]", "*") for v in range(40)], "age"
)

TOWN = Hierarchy.from_rows([("a|b", "x", "*"), ("b", "x", "*"), ("c", "z", "*")], "town")


def mixed(rows=200, seed=3):
    draw = np.random.default_rng(seed)
    days = pd.Timestamp("2023-12-20") + pd.to_timedelta(draw.integers(0, 400, rows), "D")
    return pd.DataFrame(
        {
            "age": draw.integers(0, 40, rows),
            "town": draw.choice(np.array(["a|b", "b", "c", None], dtype=object), rows),
            "born": days.strftime("%Y-%m-%d"),
            "grade": draw.choice(["low", "high"], rows),
            "ill": draw.choice(["flu", "cold"], rows),
        }
    )


def encoded(frame):
    specs = {
        "age": ColumnSpec("age", Kind.INTEGER, Role.QUASI, hierarchy=AGE),
        "town": ColumnSpec("town", Kind.CATEGORY, Role.QUASI, hierarchy=TOWN),
        "born": ColumnSpec("born", Kind.DATE, Role.QUASI),
        "grade": ColumnSpec("grade", Kind.ORDINAL, Role.QUASI, levels=("low", "high")),
        "ill": ColumnSpec("ill", Kind.CATEGORY, Role.SENSITIVE),
    }
    return encode_table(frame, specs)
