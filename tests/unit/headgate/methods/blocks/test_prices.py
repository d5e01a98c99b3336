"""What rows that are too many in a box would cost."""

from __future__ import annotations

import numpy as np
import pytest

from headgate.core.compiling import loop
from headgate.methods.blocks.prices import till_of, to_pay


@loop
def _price_of(items, cells, till):
    return to_pay(items, cells, till)


@pytest.mark.parametrize("seed", range(10))
def test_rows_too_many_in_a_box_have_their_price(told, seed):
    """The share of each neighbourhood that is too many, of each row around which there is one."""
    case = told(seed, 60)
    draw = np.random.default_rng(seed)
    price = draw.random(len(case.names)) + 0.5
    till = till_of(case.items, price)
    for _ in range(8):
        many = int(draw.integers(1, case.items.cells + 1))
        cells = np.sort(draw.choice(case.items.cells, many, replace=False)).astype(np.int64)
        box = case.rows_of(cells.tolist())
        size, expected = sum(box.values()), 0.0
        for name, own in zip(case.names, price, strict=True):
            for item, rows in box.items():
                near, cap = case.near(name, box, item), case.allowed(name, size)
                if near > cap and case.centre(name, case.like[item]):
                    expected += own * rows * (near - cap) / near
        assert _price_of(case.items, cells, till) == pytest.approx(expected, abs=1e-9)
        assert not till.tally.any()
