"""A table with a column of each form, which nobody has described yet."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest


@pytest.fixture
def frame():
    rng = np.random.default_rng(2)
    return pd.DataFrame(
        {
            "id": [f"P{row}" for row in range(40)],
            "age": rng.integers(3, 90, 40),
            "score": rng.random(40).round(3),
            "born": [f"19{50 + row % 30}-0{1 + row % 9}-15" for row in range(40)],
            "zip": [f"0{row % 4}12" for row in range(40)],
            "sex": ["m", None, "f", "f"] * 10,
            "blank": [None] * 40,
        }
    )
