"""Suppressed rows and cells."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headgate.core.columns import Table
from headgate.core.errors import InputRejected
from headgate.core.published_form.published_table import publish_form, to_frame
from headgate.utility.suppression import suppression


@settings(max_examples=30, deadline=None)
@given(st.integers(1, 40), st.integers(0, 1000), st.integers(1, 10))
def test_suppression_is_that_of_the_cells_one_by_one(make_people: Callable[..., Table], rows: int, seed: int, count: int) -> None:
    table = make_people(rows, seed)
    groups = np.unique(np.random.default_rng(seed).integers(0, count, rows), return_inverse=True)[1]
    if groups.max() > 0:
        groups = np.where(groups == groups.max(), -1, groups)
    published = publish_form(table, groups, "one", ())
    found = suppression(published, rows)
    frame = to_frame(published, 3)
    stars = frame[list(table.quasi)] == "*"
    assert found.suppressed_share == pytest.approx((groups < 0).sum() / rows)
    assert found.cells == pytest.approx(stars.to_numpy().mean())
    assert dict(found.per_attribute) == pytest.approx(stars.mean().to_dict())
    by_group = {frozenset(part.index): part.to_numpy().mean() for _, part in stars.groupby(frame["group"])}
    assert sorted(found.figure.per_group) == pytest.approx(sorted(by_group.values()))


def test_more_published_rows_than_input_rows_are_refused(make_people: Callable[..., Table]) -> None:
    published = publish_form(make_people(10, 1), np.zeros(10, dtype=int), "one", ())
    with pytest.raises(InputRejected, match="10 rows are published of 9"):
        suppression(published, 9)
