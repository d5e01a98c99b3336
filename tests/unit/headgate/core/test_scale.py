"""Numbers compared by their difference or by their ratio."""

from __future__ import annotations

import numpy as np
import pytest

from headgate.core.errors import InputRejected
from headgate.core.scale import logarithms


def test_a_number_lies_above_the_low_end_by_the_logarithm_of_the_ratio() -> None:
    numbers = np.array([10.0, 20.0, 1000.0])
    assert logarithms(numbers, 10.0, "pay").tolist() == [0.0, np.log(2.0), np.log(100.0)]


@pytest.mark.parametrize("low", [0.0, -1.0, float("nan")])
def test_ratios_need_a_domain_above_0(low: float) -> None:
    with pytest.raises(InputRejected, match="its domain is not above 0") as refused:
        logarithms(np.array([1.0]), low, "pay")
    assert "publish_as: {bottom: …}" in refused.value.cure
