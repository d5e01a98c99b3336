"""Bits are counted, and the lowest is found, as Python's own whole numbers say."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from headgate.core.bits import lowest, population


@given(st.integers(0, 2**64 - 1))
def test_the_population_of_a_word_is_its_number_of_ones(word: int) -> None:
    assert int(population(np.uint64(word))) == word.bit_count()


@given(st.integers(1, 2**62))
def test_the_lowest_bit_is_the_number_of_zeros_below_it(word: int) -> None:
    assert lowest(np.int64(word)) == (word & -word).bit_length() - 1
