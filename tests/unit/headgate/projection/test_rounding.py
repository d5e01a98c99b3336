"""A threshold that a message names must be enough when it is typed in."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headgate.projection.rounding import rounded_up


@given(st.floats(0.0, 1.0))
def test_the_text_is_enough_and_no_more_than_a_ten_thousandth_above(share: float) -> None:
    assert share <= float(rounded_up(share)) <= min(1.0, share + 1.01e-4)


@pytest.mark.parametrize(("share", "text"), [(0.0, "0.0001"), (0.12341, "0.1235"), (0.99999, "1.0000"), (1.0, "1.0000")])
def test_it_has_four_places_and_never_exceeds_one(share: float, text: str) -> None:
    assert rounded_up(share) == text
