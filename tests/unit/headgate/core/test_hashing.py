"""Keys numbered by hashing, against a dictionary."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headgate.core.hashing import numbered


def by_dictionary(keys: list[int]) -> tuple[list[int], list[int], list[int]]:
    numbers: dict[int, int] = {}
    place = [numbers.setdefault(key, len(numbers)) for key in keys]
    return place, [keys.index(key) for key in numbers], [keys.count(key) for key in numbers]


@settings(max_examples=60, deadline=None)
@given(st.lists(st.sampled_from([0, 1, 5, 2**40, 2**62, 2**63 - 1]) | st.integers(0, 2**63 - 1), max_size=40))
def test_equal_keys_have_one_number_in_the_order_in_which_they_are_met(keys: list[int]) -> None:
    place, first, sizes = numbered(np.array(keys, dtype=np.int64))
    assert (place.tolist(), first.tolist(), sizes.tolist()) == by_dictionary(keys)


@pytest.mark.parametrize("step", [1, 1024, 2**40])
def test_the_table_grows_with_its_keys(step: int) -> None:
    keys = (np.arange(6000, dtype=np.int64) % 3000) * step
    place, first, sizes = numbered(keys)
    assert place.tolist() == [*range(3000)] * 2
    assert first.tolist() == [*range(3000)]
    assert set(sizes.tolist()) == {2}
