"""People of whom some share one illness."""

import numpy as np
import pandas as pd

from headgate.core.columns import Kind, Role
from headgate.core.encode import ColumnSpec, encode_table


def people(rows=400, alike=0.3, seed=1):
    draw = np.random.default_rng(seed)
    illness = np.where(draw.random(rows) < alike, "flu", draw.choice([f"v{i}" for i in range(20)], rows))
    frame = pd.DataFrame({"age": draw.integers(0, 90, rows), "illness": illness, "pay": draw.integers(0, 100, rows)})
    specs = {
        "age": ColumnSpec("age", Kind.INTEGER, Role.QUASI),
        "illness": ColumnSpec("illness", Kind.CATEGORY, Role.SENSITIVE, weight=3.0),
        "pay": ColumnSpec("pay", Kind.INTEGER, Role.SENSITIVE),
    }
    return encode_table(frame, specs)
