import pandas as pd
from hypothesis import given, settings

from headgate.grouping.axes import axes_of
from headgate.grouping.limits import dissimilarity
from headgate.methods.xcolor.faithful import color
from tests.unit.headgate.methods.xcolor.algorithm_2 import agree, encoded, instances


@settings(max_examples=25, deadline=None)
@given(instances(20))
def test_every_exchange_of_three_loses_least_of_those_that_lower_the_monochromatic_edges(drawn):
    agree(*drawn, cycles=True)


def test_three_rows_in_a_cycle_resolve_what_no_two_rows_can():
    """Nine rows, neighbours if their values differ by 1 at most, three classes without neighbours: 0 2 4, 1 3 5, 3 5 7."""
    values = [5.0, 3.0, 0.0, 2.0, 3.0, 1.0, 5.0, 4.0, 7.0]
    frame = pd.DataFrame({"age": range(9), "sex": "f", "town": "t0", "income": values, "disease": "none"})
    table = encoded(frame)
    limit = dissimilarity(table.select(["income"]), "0.15", "0.9")
    axes = axes_of(table)
    assert color(axes, [limit], 9, 3, cycles=False).violations == 2
    coloring = color(axes, [limit], 9, 3)
    assert coloring.violations == coloring.potential == 0
    for group in range(3):
        inside = sorted(value for value, g in zip(values, coloring.groups, strict=True) if g == group)
        assert len(inside) == 3
        assert inside[1] - inside[0] > 1 < inside[2] - inside[1]
