from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headgate.core.columns import Kind, Role
from headgate.core.encode import ColumnSpec, encode_table
from headgate.core.hierarchy import Hierarchy
from headgate.core.published_form.published_table import publish_form
from headgate.grouping.conditions import frequencies_of
from headgate.grouping.limits import delta_l, dissimilarity, linkability
from headgate.methods.anonymize import anonymize
from headgate.methods.blocks.blocks_method import Blocks
from headgate.methods.mondrian.mondrian_method import Mondrian
from headgate.methods.settings import Settings
from headgate.methods.xcolor.faithful_method import Faithful

METHODS = [Blocks(), Faithful(), Mondrian()]

TREE = Hierarchy.from_rows([(f"t{i}", f"district{i // 2}", "*") for i in range(6)], "town")


@st.composite
def tables(draw):
    """Up to 60 rows: integers, dates, flat and hierarchical categories with missing cells; two sensitive attributes."""
    rows = draw(st.integers(4, 60))
    random = np.random.default_rng(draw(st.integers(0, 10_000)))
    spread = draw(st.sampled_from([2, 6, 40]))
    holes = draw(st.sampled_from([0.0, 0.2]))

    def some(values):
        return pd.Series([None if random.random() < holes else value for value in values], dtype=object)

    frame = pd.DataFrame(
        {
            "age": some(random.integers(0, spread, rows).tolist()),
            "sex": some(random.choice(["f", "m"], rows).tolist()),
            "town": some([f"t{i}" for i in random.integers(0, 6, rows)]),
            "day": some([f"2020-{m:02d}-{d:02d}" for m, d in zip(random.integers(1, 13, rows), random.integers(1, 29, rows), strict=True)]),
            "illness": some(random.choice(["none", "flu", "cold", "ache", "gout"], rows).tolist()),
            "pay": some(random.integers(0, 30, rows).tolist()),
        }
    )
    kinds = {
        "age": Kind.INTEGER,
        "sex": Kind.CATEGORY,
        "town": Kind.CATEGORY,
        "day": Kind.DATE,
        "illness": Kind.CATEGORY,
        "pay": Kind.INTEGER,
    }
    quasi = draw(st.sampled_from([["age"], ["age", "sex"], ["town", "day"], ["age", "sex", "town", "day"]]))
    harmless = draw(st.sampled_from([[], ["none"], ["none", None]]))
    specs = {
        name: ColumnSpec(
            name,
            kind,
            Role.QUASI if name in quasi else Role.SENSITIVE if name in ("illness", "pay") else Role.DROPPED,
            hierarchy=TREE if name == "town" else None,
            nonsensitive=frozenset(harmless) if name == "illness" else frozenset(),
        )
        for name, kind in kinds.items()
    }
    return frame, encode_table(frame, specs), frozenset(harmless)


class Oracle:
    """Counts from the definitions, on the cells themselves."""

    def __init__(self, frame, harmless, epsilon, delta, share, interval, diversity):
        self.cells = [(illness, pay) for illness, pay in zip(frame["illness"], frame["pay"], strict=True)]
        paid = [pay for _, pay in self.cells if pay is not None]
        self.width = max(paid) - min(paid) if paid else 0
        self.harmless = harmless
        self.epsilon, self.delta, self.share, self.interval, self.diversity = epsilon, delta, share, interval, diversity

    def similar_pay(self, a, b, reach):
        return a == b if a is None or b is None else abs(a - b) <= reach

    def distance(self, a, b):
        illness = Fraction(a[0] != b[0])
        if a[1] is None or b[1] is None:
            pay = Fraction(a[1] != b[1])
        else:
            pay = Fraction(abs(a[1] - b[1]), self.width) if self.width else Fraction(0)
        return (illness + pay) / 2

    def holds(self, group):
        size = len(group)
        cells = [self.cells[row] for row in group]
        for cell in cells:
            near = sum(self.distance(cell, other) <= Fraction(self.epsilon) for other in cells)
            # the number is always sensitive, so every row is a centre
            if (near - 1 > (1 - Fraction(self.delta)) * (size - 1)) or (size == 1 and Fraction(self.delta) > 0):
                return False
            if cell[0] not in self.harmless and sum(other[0] == cell[0] for other in cells) > Fraction(self.share) * size:
                return False
            if sum(self.similar_pay(cell[1], other[1], 2 * self.interval) for other in cells) * self.diversity > size:
                return False
        return True

    def risk(self, groups):
        most = Fraction(0)
        for group in groups:
            cells = [self.cells[row] for row in group]
            for cell in cells:
                near = sum(self.distance(cell, other) <= Fraction(self.epsilon) for other in cells)
                most = max(most, Fraction(near - 1, len(group) - 1) if len(group) > 1 else Fraction(1))
        return most


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(tables(), st.integers(2, 5), st.sampled_from(METHODS), st.sampled_from(["0", "0.1", "0.5"]), st.sampled_from(["0.3", "0.6"]))
def test_every_partition_returned_as_reached_keeps_the_definition_in_groups_and_published_classes(drawn, k, method, epsilon, delta):
    frame, table, harmless = drawn
    if table.rows < k:
        return
    oracle = Oracle(frame, harmless, epsilon, delta, "0.9", 1, 1)
    limits = (
        dissimilarity(table.select(["illness", "pay"]), epsilon, delta),
        linkability(table["illness"], "0.9"),
        delta_l(table["pay"], 1, 1),
    )
    found = anonymize(method, table, ["illness", "pay"], Settings(k, limits), 5)
    groups = [np.flatnonzero(found.groups == g).tolist() for g in range(found.count)]
    assert sorted(row for group in groups for row in group) == list(range(table.rows))
    assert min(map(len, groups)) >= k
    by_values = publish_form(table, found.groups, "t", ["illness"]).by_values()
    classes = [np.flatnonzero(by_values == c).tolist() for c in range(int(by_values.max()) + 1)]
    assert found.reached == all(oracle.holds(group) for group in groups + classes)
    assert found.risk == pytest.approx(float(oracle.risk(groups + classes)), abs=1e-12)


@settings(max_examples=30, deadline=None)
@given(tables(), st.sampled_from(["2", "1.5"]))
def test_delta_l_is_kept_where_it_is_reached(drawn, diversity):
    frame, table, harmless = drawn
    oracle = Oracle(frame, harmless, "0", "0", "1", 2, Fraction(diversity))
    found = anonymize(Blocks(), table, ["illness", "pay"], Settings(3, (delta_l(table["pay"], 2, diversity),)), 1)
    groups = [np.flatnonzero(found.groups == g).tolist() for g in range(found.count)]
    by_values = publish_form(table, found.groups, "t", ["illness"]).by_values()
    classes = [np.flatnonzero(by_values == c).tolist() for c in range(int(by_values.max()) + 1)]
    assert found.reached == all(oracle.holds(group) for group in groups + classes)


def test_the_same_seed_gives_the_same_groups_and_another_seed_is_as_valid(people):
    table = people(2000)
    settings = Settings(10, (dissimilarity(table.select(table.sensitive), "0.1", "0.6"),))
    one, two, three = (anonymize(Blocks(), table, table.sensitive, settings, seed) for seed in (7, 7, 8))
    assert one.groups.tolist() == two.groups.tolist()
    assert one.reached
    assert three.reached


def test_the_order_of_rows_does_not_decide_whether_the_limits_are_reached(people):
    table = people(1500, skew=0.6)
    for order in (np.arange(1500), np.arange(1500)[::-1], np.random.default_rng(4).permutation(1500)):
        moved = table.take(order)
        limit = dissimilarity(moved.select(["disease"]), "0", "0.6")
        assert anonymize(Blocks(), moved, ["disease"], Settings(5, (limit,)), 0).reached


def test_mondrian_keeps_frequency_l_as_a_condition_of_its_cuts(people):
    table = people(2000, diseases=5)
    found = anonymize(Mondrian(), table, ["disease"], Settings(5, frequencies_of(table.select(["disease"]), 2)), 0)
    assert found.reached
    for group in range(found.count):
        codes = table["disease"].codes[found.groups == group]
        assert 2 * np.bincount(codes).max() <= len(codes)
