from hypothesis import given
from hypothesis import strategies as st

from headgate.advice.pareto import frontier


@given(st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), max_size=12))
def test_the_frontier_is_what_nothing_else_beats(points):
    kept = frontier(points)
    for place, (risk, loss) in enumerate(points):
        beaten = any(one != (risk, loss) and one[0] <= risk and one[1] <= loss for one in points)
        twin = points.index((risk, loss)) < place
        assert (place in kept) == (not beaten and not twin)
