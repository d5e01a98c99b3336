"""A table in which too many rows are alike."""

import numpy as np
import pandas as pd

from headgate.grouping.limits import dissimilarity


def crowded(make_table, rows=200, alike=120, seed=3):
    values = ["x"] * alike + [f"v{i}" for i in range(rows - alike)]
    draw = np.random.default_rng(seed)
    frame = pd.DataFrame({"age": draw.integers(0, 90, rows), "illness": draw.permutation(values)})
    table = make_table(frame, ["age"])
    return table, dissimilarity(table.select(["illness"]), "0", "0.6")
