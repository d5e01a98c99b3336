"""Vectors."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from headgate.core.columns import Column, Kind
from headgate.core.distance import Distance
from headgate.core.errors import InputRejected
from tests.unit.headgate.core.columns_of_each_kind import encoded
from tests.unit.headgate.core.encoded import encode


def test_a_vector_with_a_gap_is_missing() -> None:
    frame = pd.DataFrame({"p": [0.5, None, 0.5], "q": [0.5, 0.3, 0.5]})
    column = encode(frame, Kind.VECTOR, components=("p", "q"), metric="total-variation")
    assert column.codes.tolist() == [0, -1, 0]
    assert column.components == ("p", "q")


@pytest.mark.parametrize(
    ("metric", "vectors", "reason"),
    [
        ("total-variation", [(0.5, 0.6), (0.5, 0.5)], "do not sum to 1"),
        (None, [(0.5, 0.6), (0.5, 0.5)], "do not sum to 1"),
        ("total-variation", [(1.5, -0.5), (0.0, 1.0)], "farther apart than 1"),
        ("lp", [(80.0, 120.0), (70.0, 110.0)], "farther apart than 1"),
        ("min", [(80.0, 120.0), (70.0, 110.0)], "farther apart than 1"),
        ("cosine", [(0.5, 0.5)], "not a distance between vectors"),
    ],
)
def test_vectors_that_have_no_distance_between_0_and_1_are_refused(metric: str | None, vectors: list[Any], reason: str) -> None:
    values = np.array(vectors)
    column = Column("v", Kind.VECTOR, np.arange(len(values), dtype=np.int32), values, np.ones(len(values) + 1, dtype=bool), metric=metric)
    with pytest.raises(InputRejected, match=reason):
        Distance().over([column])


def test_distributions_that_do_not_sum_to_1_are_refused_where_they_are_read() -> None:
    with pytest.raises(InputRejected, match="do not sum to 1"):
        encoded("total-variation", [(0.5, 0.5, 0.1)])
