from hypothesis import given
from hypothesis import strategies as st

from headgate.advice.delta_search import first_that, search
from headgate.advice.result import Tried
from headgate.advice.rungs import rungs


@given(st.integers(1, 60), st.data())
def test_the_first_that_holds_is_found_wherever_the_search_starts(count, data):
    first = data.draw(st.integers(0, count))
    start = data.draw(st.none() | st.integers(-3, count + 3))
    looked = []

    def holds(place):
        looked.append(place)
        return place >= first

    assert first_that(count, holds, start) == first
    assert len(looked) == len(set(looked))
    assert all(0 <= place < count for place in looked)


@given(st.integers(2, 60), st.floats(0, 1))
def test_the_search_finds_the_largest_rung_that_is_reached(k, bound):
    steps = rungs(k)
    points = search(steps, lambda delta: Tried(delta <= bound))
    assert max(point.delta for point in points if point.tried.reached) == max(delta for delta in steps if delta <= bound)
