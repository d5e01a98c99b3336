"""Average group size over k."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from headgate.core.errors import InputRejected
from headgate.utility.group_size import average_group_size


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
    with pytest.raises(InputRejected, match="k is not a whole number"):
        average_group_size([np.array([0, 0])], k)


@pytest.mark.parametrize("classes", [[], [np.array([], dtype=np.int32)], [np.array([0, 2])], [np.array([-1, 0])]])
def test_groups_that_are_not_numbered_are_refused(classes) -> None:
    with pytest.raises(InputRejected):
        average_group_size(classes, 2)
