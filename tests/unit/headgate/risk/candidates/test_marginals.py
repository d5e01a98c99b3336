"""Frequency tables as a dictionary: equal to the exact count on the cross product of the tables, and refused where they say nothing."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headgate.core.columns import Column, Kind, Role
from headgate.core.encode import ColumnSpec, encode_table
from headgate.core.errors import InputRejected
from headgate.core.hierarchy import Hierarchy
from headgate.core.published_form.published_table import PublishedCells
from headgate.risk.candidates.consistency import consistent_individuals, encode_dictionary
from headgate.risk.candidates.marginals import expected_individuals, marginals_of

TREE = Hierarchy.from_rows([["Rome", "Italy", "*"], ["Milan", "Italy", "*"], ["Lyon", "France", "*"]], "town")
SPECS = {
    "age": ColumnSpec("age", Kind.INTEGER, Role.QUASI),
    "town": ColumnSpec("town", Kind.CATEGORY, Role.QUASI, hierarchy=TREE),
    "eye": ColumnSpec("eye", Kind.CATEGORY, Role.QUASI),
}
RELEASED = pd.DataFrame({"age": [20, 30, 40], "town": ["Rome", "Milan", "Lyon"], "eye": ["blue", "brown", "green"]})
DOMAINS: dict[str, Column] = dict(encode_table(RELEASED, SPECS).columns)
VALUES: dict[str, tuple[Any, ...]] = {
    "age": ("20", "25", "30", "77", None),
    "town": ("Rome", "Milan", "Lyon", "Oslo", None),
    "eye": ("blue", "brown", "red", None),
}
TEXTS = {
    "age": ("", "*", "20", "[20..29]", "[30..90]", "40"),
    "town": ("", "*", "Rome", "Italy", "France"),
    "eye": ("", "*", "blue", "{blue|brown}", "green"),
}
COUNTS = st.fixed_dictionaries(
    {name: st.lists(st.integers(0, 3), min_size=len(own), max_size=len(own)).filter(any) for name, own in VALUES.items()}
)


def lines(tables: dict[str, dict[Any, Any]]) -> pd.DataFrame:
    rows = [(field, value, count) for field, own in tables.items() for value, count in own.items()]
    return pd.DataFrame(rows, columns=["field", "value", "count"], dtype=object)


def published(texts: list[str]) -> PublishedCells:
    distinct = list(dict.fromkeys(texts))
    return PublishedCells(np.array([distinct.index(text) for text in texts], dtype=np.int32), np.array(distinct, dtype=object))


@settings(max_examples=60, deadline=None)
@given(COUNTS, st.lists(st.tuples(*[st.sampled_from(own) for own in TEXTS.values()]), min_size=1, max_size=8))
def test_on_the_cross_product_of_the_tables_the_expectation_is_the_exact_count(
    counts: dict[str, list[int]], records: list[tuple[str, ...]]
) -> None:
    fields = list(SPECS)
    people = {name: [value for value, many in zip(VALUES[name], counts[name], strict=True) for _ in range(many)] for name in fields}
    product = pd.DataFrame(list(itertools.product(*people.values())), columns=fields, dtype=object)
    cells = {name: published([record[i] for record in records]) for i, name in enumerate(fields)}
    exact = consistent_individuals(cells, encode_dictionary(product, DOMAINS, fields), fields)
    tables = lines({name: {value: str(many) for value, many in zip(VALUES[name], counts[name], strict=True)} for name in fields})
    found = expected_individuals(cells, marginals_of(tables, DOMAINS, fields, individuals=len(product)), fields)
    assert found.tolist() == pytest.approx(exact.tolist())


def test_each_field_has_its_share_of_all_individuals_and_less_than_one_counts_as_one() -> None:
    tables = lines({"age": {"20": 10, "30": 89, "": 1}, "eye": {"blue": 1, "brown": 99}})
    marginals = marginals_of(tables, DOMAINS, ["age", "eye"])
    assert marginals.individuals == 100
    cells = {"age": published(["20", "30", "20", "50", "*"]), "eye": published(["brown", "brown", "blue", "blue", "red"])}
    assert expected_individuals(cells, marginals, ["age", "eye"]).tolist() == pytest.approx([10.89, 89.1, 1.0, 1.0, 0.0])
    assert expected_individuals(cells, marginals, ["age"]).tolist() == pytest.approx([11, 90, 11, 1, 100])


def test_an_expectation_too_small_for_a_float_is_not_nobody() -> None:
    names = [f"field {i}" for i in range(60)]
    domains = dict.fromkeys(names, DOMAINS["eye"])
    tables = lines({name: {"blue": 1, "brown": 10**9 - 1} for name in names})
    cells = {name: published(["blue"]) for name in names}
    assert expected_individuals(cells, marginals_of(tables, domains, names), names).tolist() == [1.0]


def test_with_the_number_of_individuals_given_only_shares_are_used() -> None:
    tables = lines({"age": {"20": 1, "30": 3}, "eye": {"blue": 50, "brown": 50}, "shoe": {"44": 1}})
    cells = {"age": published(["20"]), "eye": published(["blue"])}
    found = expected_individuals(cells, marginals_of(tables, DOMAINS, ["age", "eye"], individuals=800), ["age", "eye"])
    assert found.tolist() == [100.0]


@pytest.mark.parametrize(
    ("tables", "message"),
    [
        ({"age": {"20": -1, "30": 2}}, "1 counts .* not whole numbers"),
        ({"age": {"20": math.nan, "30": 2}}, "1 counts .* not whole numbers"),
        ({"age": {"20": None, "30": 2}}, "1 counts .* not whole numbers"),
        ({"age": {"20": 1.5, "30": 2}}, "1 counts .* not whole numbers"),
        ({"age": {"20": "many", "30": math.inf}}, "2 counts .* not whole numbers"),
        ({"age": {"20": 2**60}}, "1 counts .* not whole numbers"),
        ({"age": {"20": 0}}, "'age' counts nobody"),
        ({"eye": {"blue": 1}}, "'age' has no frequency table"),
        ({"age": {"20": 1, "20.0": 2}}, "'age' lists a value twice"),
        ({"age": {"": 1, " ": 2, "20": 3}}, "'age' lists a value twice"),
        ({"age": {"young": 1}}, "is not a number"),
        ({}, "have no rows"),
    ],
)
def test_tables_that_say_nothing_are_refused(tables: dict[str, dict[Any, Any]], message: str) -> None:
    with pytest.raises(InputRejected, match=message):
        marginals_of(lines(tables), DOMAINS, ["age"])


def test_tables_that_disagree_and_fields_that_nobody_has_are_refused() -> None:
    tables = lines({"age": {"20": 4}, "eye": {"blue": 5}})
    with pytest.raises(InputRejected, match="do not count the same number of people"):
        marginals_of(tables, DOMAINS, ["age", "eye"])
    for individuals in (0, -1, 1.5, math.nan, math.inf, True):
        with pytest.raises(InputRejected, match="not a whole number of at least 1"):
            marginals_of(tables, DOMAINS, ["age", "eye"], individuals=individuals)  # type: ignore[arg-type]
    with pytest.raises(InputRejected, match="at least one field"):
        marginals_of(tables, DOMAINS, [])
    with pytest.raises(InputRejected, match="'shoe' is not in the release"):
        marginals_of(lines({"shoe": {"44": 1}}), DOMAINS, ["shoe"])
    with pytest.raises(InputRejected, match="'count' is not in the frequency tables"):
        marginals_of(tables.drop(columns="count"), DOMAINS, ["age"])
    marginals = marginals_of(tables, DOMAINS, ["age"])
    with pytest.raises(InputRejected, match="'eye' is not in the frequency tables"):
        expected_individuals({"eye": published(["blue"])}, marginals, ["eye"])
    with pytest.raises(InputRejected, match="'age' is not in the release"):
        expected_individuals({"eye": published(["blue"])}, marginals, ["age"])
    with pytest.raises(InputRejected, match="at least one field"):
        expected_individuals({}, marginals, [])
