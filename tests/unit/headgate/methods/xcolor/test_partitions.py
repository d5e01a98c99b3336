from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headgate.core.columns import Kind, Role
from headgate.core.encode import ColumnSpec, encode_table
from headgate.core.errors import InputRejected, RequirementNotMet
from headgate.core.hierarchy import Hierarchy
from headgate.core.published import publish_form
from headgate.grouping.conditions import frequencies_of
from headgate.grouping.limits import delta_l, dissimilarity, linkability
from headgate.methods.anonymize import anonymize
from headgate.methods.blocks.blocks_method import Blocks
from headgate.methods.mondrian.mondrian_method import Mondrian
from headgate.methods.settings import Infeasible, Settings
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


def test_blocks_lose_little_more_than_mondrian_on_easy_settings(people):
    table = people(6000, diseases=12)
    limit = dissimilarity(table.select(table.sensitive), "0.05", "0.5")
    blocks = anonymize(Blocks(), table, table.sensitive, Settings(10, (limit,)), 0)
    plain = anonymize(Mondrian(), table, table.sensitive, Settings(10), 0)
    assert blocks.reached
    assert blocks.loss <= 1.5 * plain.loss


def test_blocks_lose_far_less_than_the_papers_coloring(people):
    """DEFINITIONS §4, Utility: the paper's initial coloring ignores quasi-identifiers."""
    table = people(1000, diseases=12)
    limit = dissimilarity(table.select(["disease"]), "0", "0.6")
    blocks = anonymize(Blocks(), table, ["disease"], Settings(10, (limit,)), 0)
    faithful = anonymize(Faithful(), table, ["disease"], Settings(10, (limit,)), 0)
    assert blocks.reached
    assert faithful.reached
    assert blocks.loss < 0.5 * faithful.loss


def test_larger_groups_are_used_where_groups_of_k_cannot_hold_the_similar_rows(make_table):
    """DEFINITIONS §4: 1000 rows, k = 10, δ = 0.6. 430 equal rows fit into groups of 11, not of 10."""
    values = ["x"] * 430 + [f"v{i}" for i in range(570)]
    frame = pd.DataFrame({"age": np.random.default_rng(1).permutation(1000), "illness": np.random.default_rng(2).permutation(values)})
    table = make_table(frame, ["age"])
    found = anonymize(Blocks(), table, ["illness"], Settings(10, (dissimilarity(table.select(["illness"]), "0", "0.6"),)), 0)
    assert found.reached
    assert np.bincount(found.groups).mean() > 10


def test_dealt_groups_that_would_be_published_alike_count_as_one_class(make_table):
    """All rows have one quasi-identifier value: whatever the groups, the published class is the table."""
    frame = pd.DataFrame({"age": [30] * 40, "illness": ["x"] * 16 + [f"v{i}" for i in range(24)]})
    table = make_table(frame, ["age"])
    limit = dissimilarity(table.select(["illness"]), "0", "0.62")
    found = anonymize(Blocks(), table, ["illness"], Settings(4, (limit,)), 0)
    assert found.risk == pytest.approx(15 / 39)  # of the whole table: 16 of 40 rows are alike
    assert not found.reached
    assert found.certificate is not None
    assert found.certificate.ways == 1


def test_mondrian_keeps_frequency_l_as_a_condition_of_its_cuts(people):
    table = people(2000, diseases=5)
    found = anonymize(Mondrian(), table, ["disease"], Settings(5, frequencies_of(table.select(["disease"]), 2)), 0)
    assert found.reached
    for group in range(found.count):
        codes = table["disease"].codes[found.groups == group]
        assert 2 * np.bincount(codes).max() <= len(codes)


def test_fewer_rows_than_k_and_no_quasi_identifier_are_refused(people, make_table):
    table = people(9)
    with pytest.raises(InputRejected, match="9 rows"):
        anonymize(Blocks(), table, table.sensitive, Settings(10), 0)
    with pytest.raises(InputRejected, match="quasi-identifier"):
        anonymize(Blocks(), make_table(pd.DataFrame({"illness": ["a", "b"]}), []), ["illness"], Settings(2), 0)


def _crowded(make_table, rows=200, alike=120, seed=3):
    values = ["x"] * alike + [f"v{i}" for i in range(rows - alike)]
    draw = np.random.default_rng(seed)
    frame = pd.DataFrame({"age": draw.integers(0, 90, rows), "illness": draw.permutation(values)})
    table = make_table(frame, ["age"])
    return table, dissimilarity(table.select(["illness"]), "0", "0.6")


def test_what_cannot_be_reached_says_so_with_a_proof_and_refuses_to_be_used(make_table):
    table, limit = _crowded(make_table)
    found = anonymize(Blocks(), table, ["illness"], Settings(10, (limit,)), 0)
    assert not found.reached
    assert found.certificate is not None
    assert found.certificate.refutes == "every partition"
    assert found.certificate.values == ("x",)
    assert found.certificate.rows == 120
    with pytest.raises(RequirementNotMet) as refusal:
        found.require()
    assert "No partition can do it" in refusal.value.remedy
    assert "'x'" not in str(refusal.value)
    assert "x" not in repr(found.certificate.sentence()).split()


def test_suppression_stays_within_its_share_and_reports_the_lower_bound(make_table):
    table, limit = _crowded(make_table)
    found = anonymize(Blocks(), table, ["illness"], Settings(10, (limit,), infeasible=Infeasible.of({"suppress": "0.5"})), 0)
    assert found.reached
    assert found.suppressed == (found.groups < 0).sum() <= 100
    assert found.certificate is not None
    assert found.certificate.to_suppress is not None
    assert found.certificate.to_suppress <= found.suppressed
    kept = found.groups >= 0
    for group in range(found.count):
        inside = table["illness"].codes[kept & (found.groups == group)]
        assert len(inside) >= 10
        assert np.bincount(inside).max() - 1 <= 0.4 * (len(inside) - 1) + 1e-9
    assert set(table["illness"].values[table["illness"].codes[~kept]].tolist()) == {"x"}  # most violations first


def test_too_small_a_share_suppresses_nothing(make_table):
    table, limit = _crowded(make_table)
    found = anonymize(Blocks(), table, ["illness"], Settings(10, (limit,), infeasible=Infeasible.of({"suppress": "0.05"})), 0)
    assert not found.reached
    assert found.suppressed == 0


def test_relaxing_goes_down_to_the_floor_and_reports_the_delta_reached(make_table):
    table, limit = _crowded(make_table)
    found = anonymize(Blocks(), table, ["illness"], Settings(10, (limit,), infeasible=Infeasible.of({"relax": "0.2"})), 0)
    assert found.reached
    assert found.delta_asked is not None
    assert 0.2 <= found.delta_asked < 0.6
    assert found.delta_reached == pytest.approx(1 - found.risk)
    assert found.delta_reached >= found.delta_asked - 1e-9
    refused = anonymize(Blocks(), table, ["illness"], Settings(10, (limit,), infeasible=Infeasible.of({"relax": "0.5"})), 0)
    assert not refused.reached


@pytest.mark.parametrize("setting", ["never", {"suppress": "2"}, {"forget": "0.1"}, {"suppress": "0.1", "relax": "0.1"}])
def test_settings_for_the_infeasible_case_that_mean_nothing_are_refused(setting):
    with pytest.raises(InputRejected):
        Infeasible.of(setting)


def test_what_a_group_holds_too_many_of_goes_to_the_nearest_that_can_take_it(make_table):
    """Groups by age, each with illnesses of its own but for three alike among the youngest, where two may be."""
    values = ["x", "x", "x", "a", "b", "c"] + [f"v{i}" for i in range(18)]
    table = make_table(pd.DataFrame({"age": [*range(6), *range(20, 26), *range(50, 56), *range(80, 86)], "illness": values}), ["age"])
    limit = dissimilarity(table.select(["illness"]), "0", "0.75")
    found = anonymize(Blocks(), table, ["illness"], Settings(5, (limit,)), 0)
    assert found.reached
    alike = np.bincount(found.groups[:3])
    assert sorted(alike[alike > 0].tolist()) == [1, 2]
    assert max(found.groups[18:].tolist().count(group) for group in set(found.groups[18:].tolist())) == 6  # the oldest are left alone
