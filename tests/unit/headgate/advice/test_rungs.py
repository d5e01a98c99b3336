from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from headgate.advice.rungs import delta_text, largest, rungs


@given(st.integers(0, 10**6))
def test_rungs_fall_and_are_written_exactly(millionths):
    steps = rungs(5, [Fraction(millionths, 10**6)])
    assert [Fraction(delta_text(delta)) for delta in steps] == list(steps) == sorted(steps, reverse=True)
    assert {Fraction(0), Fraction(millionths, 10**6), Fraction(1)} <= set(steps)


@given(st.integers(-1, 100))
def test_the_largest_hundredth_that_holds(last):
    found = largest(lambda delta: delta * 100 <= last)
    assert found == (None if last < 0 else Fraction(last, 100))
