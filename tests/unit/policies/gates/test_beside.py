"""What is known of rows beside what is published of them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from headgate.core.columns import Column, Kind
from headgate.core.household_column import household_column
from policies.gates.beside import NOTHING, Beside


def weights(values, codes, kind=Kind.NUMBER):
    return Column("wgt", kind, np.array(codes, dtype=np.int32), np.array(values), np.ones(len(values) + 1, dtype=bool))


def test_it_is_of_the_rows_that_are_named_in_their_order(table) -> None:
    column = weights([1.0, 2.0], [0, 1] * 5)
    known = replace(
        table,
        columns={**table.columns, "wgt": column, "home": household_column("home", np.arange(10, dtype=np.int32))},
        insensitive=("wgt",),
        weight="wgt",
        household="home",
    )
    beside = Beside.of(known, np.array([3, 0]))
    assert beside.weights is not None
    assert beside.household is not None
    assert (beside.weights.tolist(), beside.household.codes.tolist()) == ([2.0, 1.0], [3, 0])
    assert (Beside.of(table, np.array([3, 0])).weights, Beside.of(table, np.array([3, 0])).household) == (None, None)


def test_a_published_weight_counts_as_the_fewest_people_that_may_have_been_rounded_to_it(gated) -> None:
    published = replace(gated().published, insensitive={"wgt": weights(["50", "100"], [0] * 5 + [1] * 5, Kind.CATEGORY)})
    least = Beside(weights=np.full(10, 1e6)).least(published, "wgt", 5.0)
    assert least.weights is not None
    assert least.weights.tolist() == [45.0] * 5 + [95.0] * 5


def test_a_table_without_the_weights_takes_what_is_known_of_them_or_nothing(gated) -> None:
    known = Beside(weights=np.full(10, 20.0)).least(gated().published, "wgt", 0.5)
    assert known.weights is not None
    assert known.weights.tolist() == [19.5] * 10
    assert NOTHING.least(gated().published, "wgt", 0.5).weights is None
