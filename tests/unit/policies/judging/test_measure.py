"""Figures of one published table, measured on what was published and on nothing else."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headgate.core.columns import Column, Kind, Table
from headgate.core.distance import Distance
from headgate.core.encode import encode_table
from headgate.core.errors import InputRejected
from headgate.core.published_form.published_table import PublishedCells, PublishedTable, from_frame, publish_form, to_frame
from policies.attackers.attacker import attackers_of, threats
from policies.judging.measure import composite_of, measure_closely, measure_table
from policies.judging.verdicts import judge
from policies.schema.policy import Policy
from policies.sealed.specs import column_specs, promise_of, specs_of
from tests.unit.policies.ten_people import AGES, GROUPS, INCOMES, SCHOOLS


def test_a_callable_distance_that_is_not_given_leaves_the_composite_unmeasured(
    policy: Policy, table: Table, published: PublishedTable
) -> None:
    promise = promise_of(policy, table).model_copy(update={"callable": "mine:distance"})
    (verdict,) = (verdict for verdict in judge(promise, [measure_table(promise, published)]) if verdict.name == "dissimilarity")
    assert (verdict.measured, verdict.passed) == (None, False)


def test_a_dictionary_that_matches_nobody_has_measured_nothing(policy: Policy, table: Table, published: PublishedTable) -> None:
    (attacker,) = attackers_of(policy.gates.disclosure, table, {})
    ages = table["age"]
    elsewhere = Column("age", Kind.INTEGER, np.zeros(3, dtype=np.int32), np.array([999]), np.ones(2, dtype=bool), (999.0, 999.0))
    foreign = type(attacker)(attacker.name, {"age": elsewhere}, attacker.fields, attacker.sensitivity)
    assert len(ages) == 10
    figures = measure_table(promise_of(policy, table), published, threats([foreign], published))
    assert figures.each("disclosure_unmatched") == {"source": 1.0}
    assert figures.each("disclosure_max") == {}


def test_disclosure_weights_count_only_where_their_attribute_is_published(edited: Callable[..., Policy], table: Table) -> None:
    weighted = edited(
        ("linkability: 0.8", "linkability: 0.8, disclosure: {max: 9, sensitivity: {form: additive, weights: {age: 3, income: 4}}}")
    )
    two = Table(table.columns, ("age",), table.sensitive)
    promise = promise_of(weighted, two)
    partition = np.array(GROUPS, dtype=np.int32)
    tables = (publish_form(two, partition, "t1", ["income"]), publish_form(two, partition, "t2", ["school"]))
    with_income, without = (measure_table(promise, one, threats(attackers_of(weighted.gates.disclosure, two, {}), one)) for one in tables)
    assert with_income.figure("disclosure_max", "source") == pytest.approx(7 / 3)
    assert without.figure("disclosure_max", "source") == pytest.approx(3 / 3)


def test_a_weight_on_a_set_counts_although_a_file_does_not_say_where_its_bits_come_from(edited: Callable[..., Policy]) -> None:
    weighted = edited(
        ("linkability: 0.8", "linkability: 0.8, disclosure: {max: 9, sensitivity: {form: additive, weights: {illness: 4}}}"),
        ("  zip: {role: quasi, kind: category}\n", ""),
    )
    frame = pd.DataFrame({"age": AGES})
    ages = encode_table(frame, {"age": column_specs(weighted)["age"]})
    codes = (np.arange(10) % 2).astype(np.int32)
    bit = Column("illness=gout", Kind.CATEGORY, codes, np.array(["0", "1"], dtype=object), np.array([False, True, False]), origin="illness")
    table = Table({**ages.columns, bit.name: bit}, ("age",), (bit.name,))
    published = publish_form(table, np.array(GROUPS, dtype=np.int32), "t1", [bit.name])
    promise = promise_of(weighted, table)
    read_again = from_frame(to_frame(published, seed=1), "t1", ["age"], specs_of(promise))
    figures = measure_table(promise, read_again, threats(attackers_of(weighted.gates.disclosure, table, {}), read_again))
    assert figures.figure("disclosure_max", "source") == pytest.approx(4 / 3)


def test_single_attributes_and_figures_over_all_values_stand_beside(edited: Callable[..., Policy]) -> None:
    policy = edited(
        ("domain: [0, 1000], weight: 2", "domain: [0, 1000], nonsensitive: [100]"),
        ("levels: [low, middle, high]}", "levels: [low, middle, high], nonsensitive: [low]}"),
        ("  zip: {role: quasi, kind: category}\n", ""),
    )
    frame = pd.DataFrame({"age": AGES, "income": INCOMES, "school": SCHOOLS})
    table = encode_table(frame, {name: spec for name, spec in column_specs(policy).items() if name in frame})
    published = publish_form(table, np.array(GROUPS, dtype=np.int32), "t1", table.sensitive)
    figures = measure_table(promise_of(policy, table), published)
    assert figures.figure("linkability_all") == 1.0
    assert figures.figure("linkability") == 0.5  # `high` twice of four in group 2
    assert set(figures.each("single_risk")) == {"income", "school"}
    assert (figures.figure("risk"), figures.figure("risk_all")) == (0.0, 0.5)


def test_suppressed_rows_cost_their_whole_information(policy: Policy, table: Table) -> None:
    promise = promise_of(policy, table)
    groups = np.array([0, 0, 0, 1, 1, 1, -1, -1, -1, -1], dtype=np.int32)
    published = publish_form(table, groups, "t1", table.sensitive)
    with_them, without = measure_table(promise, published, suppressed=4), measure_table(promise, published)
    assert with_them.ncp == pytest.approx((without.ncp * 6 + 4) / 10)
    assert (without.discernibility, with_them.discernibility) == (18, 18 + 4 * 10)


def spans(groups: Sequence[int]) -> Fraction:
    """DEFINITIONS §8 by hand: the share of the ages' width that the interval of each person's group spans, on average."""
    intervals = [[age for age, own in zip(AGES, groups, strict=True) if own == group] for group in groups]
    return Fraction(sum(max(ages) - min(ages) for ages in intervals), (max(AGES) - min(AGES)) * len(AGES))


def test_what_is_measured_can_be_counted_by_hand(policy: Policy, table: Table, published: PublishedTable) -> None:
    figures = measure_table(promise_of(policy, table), published, path="tables/t1.csv")
    assert (figures.name, figures.rows, figures.groups, figures.k, figures.path) == ("t1", 10, 3, 3, "tables/t1.csv")
    assert (figures.sensitive, figures.insensitive) == (("income", "school"), ())
    assert figures.mean_group == pytest.approx(10 / 3)
    assert figures.discernibility == 3 * 3 + 3 * 3 + 4 * 4
    assert figures.ncp == pytest.approx(float(spans(GROUPS)))
    assert figures.levels is None
    assert figures.query_error_mean is None
    assert figures.everything == {"age": 0.0}


@settings(max_examples=10, deadline=None)
@given(groups=st.lists(st.integers(0, 2), min_size=10, max_size=10))
def test_figures_of_any_groups_are_those_of_the_definition_in_any_order_of_the_rows(
    narrowed: Callable[..., Policy], groups: list[int]
) -> None:
    numbers = [sorted(set(groups)).index(group) for group in groups]
    policy = narrowed()
    frame = pd.DataFrame({"age": AGES, "income": INCOMES, "school": SCHOOLS})
    specs = {name: spec for name, spec in column_specs(policy).items() if name in frame}

    def measured(order: Sequence[int]) -> tuple[float, ...]:
        table = encode_table(frame.iloc[list(order)], specs)
        published = publish_form(table, np.array(numbers, dtype=np.int32)[list(order)], "t", table.sensitive)
        figures = measure_table(promise_of(policy, table), published)
        assert figures.discernibility == sum(numbers.count(group) ** 2 for group in set(numbers))
        assert figures.groups == len(set(numbers))
        return figures.ncp, figures.mean_group, *(entry.value for entry in figures.measured)

    straight, turned = measured(range(10)), measured(range(9, -1, -1))
    assert straight == pytest.approx(turned)
    assert straight[0] == pytest.approx(float(spans(numbers)))


def test_a_table_without_a_sensitive_column_says_nothing_worth_measuring(policy: Policy, table: Table) -> None:
    bare = publish_form(table, np.array(GROUPS, dtype=np.int32), "table-2", ())
    with pytest.raises(InputRejected, match="'table-2' has no sensitive column") as refused:
        measure_table(promise_of(policy, table), bare)
    assert refused.value.cure == "Publish at least one per table."


def test_looked_at_closely_the_risk_is_there_group_by_group_and_the_loss_by_attribute(
    policy: Policy, table: Table, published: PublishedTable
) -> None:
    promise = promise_of(policy, table)
    closely = measure_closely(promise, published)
    assert closely.figures == measure_table(promise, published)
    assert closely.loss == {"age": pytest.approx(closely.figures.ncp)}
    assert closely.group_risks is not None
    assert len(closely.group_risks) == 3
    assert max(closely.group_risks) == closely.figures.figure("risk") == 0.5
    assert measure_closely(promise.without("dissimilarity"), published).group_risks is None


def test_the_composite_weighs_each_attribute_as_the_promise_says(policy: Policy, table: Table) -> None:
    promise = promise_of(policy, table).model_copy(update={"combine": "min", "power": 2.0})
    assert composite_of(promise) == Distance(p=2.0, weights={"income": 2.0, "school": 1.0}, combine="min")


def test_a_callable_that_is_given_takes_the_place_of_the_composite(policy: Policy, table: Table, published: PublishedTable) -> None:
    promise = promise_of(policy, table).model_copy(update={"callable": "mine:distance"})
    alike, apart = (measure_table(promise, published, distance=Distance(function=far)) for far in (always_alike, always_apart))
    assert (alike.figure("risk"), apart.figure("risk")) == (1.0, 0.5)  # in group 1 two rows are equal


def always_alike(_value: object, _other: object) -> float:
    return 0.0


def always_apart(value: object, other: object) -> float:
    return float(value != other)


def test_the_rows_of_which_nothing_is_left_are_counted(policy: Policy, table: Table) -> None:
    ages = np.where(np.arange(10) < 7, "*", "[20..29]").astype(object)
    texts, codes = np.unique(ages, return_inverse=True)
    published = publish_form(table, np.array(GROUPS, dtype=np.int32), "t", table.sensitive)
    hidden = replace(published, cells={"age": PublishedCells(codes.astype(np.int32), texts)})
    assert measure_table(promise_of(policy, table), hidden).everything == {"age": 0.7}
