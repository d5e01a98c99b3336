"""Average group size over k, suppressed rows and cells, against counting."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headgate.core.columns import Table
from headgate.core.errors import InputRejected
from headgate.core.published import publish_form, to_frame
from headgate.utility.group_size import average_group_size
from headgate.utility.suppression import suppression


@given(st.lists(st.integers(0, 5), min_size=1, max_size=60), st.integers(1, 12))
def test_the_average_group_size_over_k_is_that_of_counting(labels: list[int], k: int) -> None:
    number = {label: place for place, label in enumerate(dict.fromkeys(labels))}
    groups = np.array([number[label] for label in labels], dtype=np.int32)
    found = average_group_size([groups, np.zeros_like(groups)], k)
    counts = Counter(labels)
    assert found.average == pytest.approx(len(labels) / len(counts) / k)
    assert found.figure.per_group.tolist() == pytest.approx([counts[label] / k for label in number])


def test_groups_of_exactly_k_have_average_one() -> None:
    """LeFevre et al. 2006: C_AVG = 1 is the best there is."""
    assert average_group_size([np.arange(60) % 6], 10).average == 1.0


@pytest.mark.parametrize("k", [0, -1, 2.5, True, float("nan"), None])
def test_a_k_that_is_no_group_size_is_refused(k) -> None:
    with pytest.raises(InputRejected, match="k is no whole number"):
        average_group_size([np.array([0, 0])], k)


@pytest.mark.parametrize("classes", [[], [np.array([], dtype=np.int32)], [np.array([0, 2])], [np.array([-1, 0])]])
def test_groups_that_are_not_numbered_are_refused(classes) -> None:
    with pytest.raises(InputRejected):
        average_group_size(classes, 2)


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
