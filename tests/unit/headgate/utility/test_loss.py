"""Information loss against its definition."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headgate.core.errors import InputRejected
from headgate.core.published_form.generalize import generalize
from headgate.core.published_form.published_table import from_frame, publish_form, to_frame
from headgate.utility.loss import discernibility, information_loss
from tests.unit.headgate.utility.invented_people import SPECS, people


@settings(max_examples=30, deadline=None)
@given(st.integers(1, 30), st.integers(0, 1000), st.integers(1, 4))
def test_ncp_is_the_row_weighted_mean_of_the_groups_losses_and_counts_suppressed_rows_as_one(rows: int, seed: int, count: int) -> None:
    table = people(rows, seed)
    groups = np.unique(np.random.default_rng(seed).integers(0, count, rows), return_inverse=True)[1].astype(np.int32)
    if rows > 3 and groups.max() > 0:
        groups = np.where(groups == groups.max(), -1, groups).astype(np.int32)
    total = groups.max() + 1
    losses = np.mean([generalize(column, groups, total).loss for column in table.select(table.quasi)], axis=0)
    per_row = [1.0 if group < 0 else losses[group] for group in groups]
    published = publish_form(table, groups, "one", ("ill",))
    domains = {name: table[name] for name in table.quasi}
    found = information_loss(published, domains, int((groups < 0).sum()))
    assert found.ncp == pytest.approx(np.mean(per_row))
    assert found.figure.per_group.tolist() == pytest.approx(losses.tolist())
    released = [row for row, group in zip(per_row, groups, strict=True) if group >= 0]
    assert np.mean(list(found.per_attribute.values())) == pytest.approx(np.mean(released))
    again = from_frame(to_frame(published, 3), "one", table.quasi, {"ill": SPECS["ill"]})
    assert information_loss(again, domains, int((groups < 0).sum())).ncp == pytest.approx(found.ncp)


def test_discernibility_is_the_sum_of_squares_and_a_table_for_each_suppressed_row() -> None:
    assert discernibility([np.array([0, 0, 1])], 5) == 4 + 1 + 2 * 5
    assert discernibility([np.array([0, 0, 1])]) == 5
    with pytest.raises(InputRejected, match="input rows"):
        discernibility([np.zeros(3, dtype=np.int32)], 2)
