"""Boxes of values count what comparing all pairs counts, or say that they would take too long."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from headgate.core.columns import Column, Kind, Role
from headgate.core.distance import Distance
from headgate.core.encode import ColumnSpec, encode_column
from headgate.counting.value_boxes import close, largest_differences, rows_by_boxes


def columns(draw: np.random.Generator, rows: int) -> list[Column]:
    numbers = [None if draw.random() < 0.1 else float(number) for number in draw.integers(0, 50, rows)]
    letters = [None if draw.random() < 0.1 else letter for letter in draw.choice(list("abc"), rows)]
    return [
        encode_column(pd.Series(numbers, dtype=object), ColumnSpec("x", Kind.NUMBER, Role.SENSITIVE)),
        encode_column(pd.Series(letters, dtype=object), ColumnSpec("y", Kind.CATEGORY, Role.SENSITIVE)),
    ]


@pytest.mark.parametrize("distance", [Distance(), Distance(p=2), Distance(combine="min")], ids=["p 1", "p 2", "min"])
@pytest.mark.parametrize("reach", [0.0, 0.1, 0.6])
def test_every_value_has_the_rows_within_reach_of_it(distance: Distance, reach: float) -> None:
    own = columns(np.random.default_rng(5), 120)
    values, counts = np.unique(np.stack([column.codes for column in own], axis=1), axis=0, return_counts=True)
    values = np.ascontiguousarray(values.astype(np.int32))
    layout = distance.over(own).layout
    near = rows_by_boxes(layout, largest_differences(layout), values, counts, reach, np.array([10**9]))
    wanted = [sum(int(counts[j]) for j in range(len(values)) if close(layout, values, i, j, reach)) for i in range(len(values))]
    assert near.tolist() == wanted


def test_a_budget_that_is_used_up_is_told() -> None:
    own = columns(np.random.default_rng(6), 400)
    values = np.unique(np.stack([column.codes for column in own], axis=1), axis=0).astype(np.int32)
    layout, budget = Distance().over(own).layout, np.array([50])
    rows_by_boxes(layout, largest_differences(layout), values, np.ones(len(values), dtype=np.int64), 0.1, budget)
    assert budget[0] < 0
