"""What holds of every principle that counts one attribute."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headgate.core.columns import Kind
from headgate.counting.class_counts import Counted, count
from headgate.counting.figure import Figure
from headgate.principles.alpha_k import alpha_k
from headgate.principles.beta_likeness import beta_likeness
from headgate.principles.delta_disclosure import delta_disclosure
from headgate.principles.k_e import k_e
from headgate.principles.recursive import recursive_c, recursive_l
from headgate.principles.variance import variance
from tests.unit.headgate.principles.counted_rows import NUMBERS, column

MEASURES: dict[str, Callable[[Counted], Figure]] = {
    "alpha": lambda counted: alpha_k(counted).alpha,
    "recursive l": lambda counted: recursive_l(counted, 2).l,
    "recursive c": lambda counted: recursive_c(counted, 2).c,
    "basic": lambda counted: beta_likeness(counted).basic,
    "enhanced": lambda counted: beta_likeness(counted).enhanced,
    "delta": lambda counted: delta_disclosure(counted).figure,
    "present": lambda counted: delta_disclosure(counted).present,
    "k": lambda counted: k_e(counted).k,
    "e": lambda counted: k_e(counted).e,
    "variance": lambda counted: variance(counted).variance,
}


@pytest.mark.parametrize("measure", list(MEASURES))
@settings(max_examples=25, deadline=None)
@given(rows=NUMBERS, seed=st.integers(0, 1000))
def test_row_order_and_repeated_rows_do_not_matter_and_the_worse_reading_counts(
    measure: str, rows: list[tuple[int, Any]], seed: int
) -> None:
    figure = MEASURES[measure]
    cells = column([cell for _, cell in rows], Kind.NUMBER)
    reading = np.unique([group for group, _ in rows], return_inverse=True)[1].astype(np.int32)
    whole = np.zeros(len(rows), dtype=np.int32)
    alone = figure(count(cells, [reading]))
    order = np.random.default_rng(seed).permutation(len(rows))
    twice = np.concatenate([order, order])
    assert figure(count(cells.take(twice), [reading[twice]])).per_group.tolist() == pytest.approx(alone.per_group.tolist())
    both = figure(count(cells, [whole, reading]))
    together = figure(count(cells, [whole]))
    assert both.value in (alone.value, together.value)
    assert both.value == (max if alone.bound == "at most" else min)(alone.value, together.value)
