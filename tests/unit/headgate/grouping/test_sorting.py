"""The loops' own sort gives what numpy's stable one gives."""

from __future__ import annotations

import numpy as np
import pytest

from headgate.grouping.sorting import RUN, sort_into, sorted_order


@pytest.mark.parametrize("size", [0, 1, 2, RUN - 1, RUN, RUN + 1, 2 * RUN, 3 * RUN + 5, 1_000])
@pytest.mark.parametrize("different", [1, 3, 10_000])
def test_keys_rise_and_equal_keys_keep_their_order(size, different):
    keys = np.random.default_rng(size + different).integers(-different, different, size)
    expected = np.argsort(keys, kind="stable").tolist()
    assert sorted_order(keys).tolist() == expected
    order, spare = np.full(size + 3, -1), np.full(size + 3, -1)
    sort_into(keys, order, spare)
    assert order[:size].tolist() == expected
    assert order[size:].tolist() == [-1] * 3
