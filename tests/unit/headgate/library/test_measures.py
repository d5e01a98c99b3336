"""One list of measures, which `check` and its page follow."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from headgate.core.columns import Kind, Role
from headgate.core.encode import ColumnSpec, encode_column
from headgate.core.errors import InputRejected
from headgate.counting.class_counts import count
from headgate.library.measures import MEASURES, NEEDS, Parameters, known_measure, measure_attribute, measure_shapes

CLASSES = [np.array([0, 0, 1, 1], dtype=np.int32)]


def keys(cells: list[object], kind: Kind, asked: Parameters) -> set[str]:
    column = encode_column(pd.Series(cells, dtype=object), ColumnSpec("x", kind, Role.SENSITIVE))
    return {measured.key for measured in measure_attribute(count(column, CLASSES), asked)}


def test_what_is_not_told_what_it_needs_is_left_out() -> None:
    alone = keys(["a", "b", "a", "c"], Kind.CATEGORY, Parameters(0.1, 5))
    numbers = keys([1, 2, 3, 4], Kind.NUMBER, Parameters())
    everything = keys([1, 2, 3, 4], Kind.NUMBER, Parameters(0.1, 5))
    assert numbers - alone == {"range", "variance"}
    assert everything - numbers == {"delta_l", "delta_l_window", "epsilon_m"}
    shapes = {"risk", "clique", "chain", "cycle"}
    assert everything | shapes | {"k", "prosecutor"} == set(MEASURES)
    assert set(NEEDS) == shapes | (everything - alone)


def test_shapes_are_of_all_attributes_together() -> None:
    column = encode_column(pd.Series([1, 2, 9, 9]), ColumnSpec("x", Kind.NUMBER, Role.SENSITIVE))
    shapes = list(measure_shapes([column], CLASSES, 0.2))
    assert [shape.key for shape in shapes] == ["clique", "chain", "cycle"]
    assert {shape.attribute for shape in shapes} == {""}
    assert shapes[0].title == "proximity clique"


def test_a_key_that_no_measure_has_is_refused_with_those_there_are() -> None:
    assert known_measure("beta") == "beta"
    with pytest.raises(InputRejected, match="closeness"):
        known_measure("t")
