"""What only suppressed people have is in no domain, list or hierarchy that is published."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest

from headgate.core.columns import Table
from headgate.core.encode import encode_table
from policies.schema.loading import parse_policy
from policies.schema.policy import Policy
from policies.sealed.promise import Promise, QuasiIdentifier, SensitiveAttribute
from policies.sealed.published_values import published_values
from policies.sealed.specs import column_specs, needs_values, promise_of

POLICY = """\
schema: 1
dataset: people
source: {kind: csv, path: people.csv}
attributes:
  age:    {role: quasi, kind: integer}
  born:   {role: quasi, kind: integer, domain: [1900, 2020], hierarchy: {widths: [10]}}
  city:   {role: quasi, kind: category}
  code:   {role: quasi, kind: category, hierarchy: {mask: 1}}
  ward:   {role: quasi, kind: category, values: wards.csv}
  region: {role: quasi, kind: category, hierarchy: region.csv}
  income: {role: sensitive, kind: number}
  school: {role: sensitive, kind: ordinal, levels: [low, middle, high]}
  job:    {role: sensitive, kind: category, nonsensitive: [baker, hermit]}
anonymize: {method: mondrian, k: 2}
gates: {linkability: 0.9}
approval: {required: 1}
publish: {to: people, formats: [csv]}
"""
FILES = ([("north", "*"), ("south", "*"), ("east", "*")], ("one", "two", "three"))
PEOPLE = pd.DataFrame(
    {
        "age": ["117", "20", "34"],
        "born": ["1903", "1990", "1991"],
        "city": ["Lonely", "Big", "Big"],
        "code": ["990", "101", "102"],
        "ward": ["three", "one", "two"],
        "region": ["east", "north", "south"],
        "income": ["999999", "10", "20.5"],
        "school": ["high", "low", "low"],
        "job": ["hermit", "baker", "smith"],
    }
)


@pytest.fixture
def policy() -> Policy:
    return parse_policy(POLICY, "policy.yaml")


@pytest.fixture
def table(policy: Policy) -> Table:
    present = {name: PEOPLE[name].tolist() for name in needs_values(policy)}
    return encode_table(PEOPLE, column_specs(policy, {"region": FILES[0]}, {"ward": FILES[1]}, present))


@pytest.fixture
def promise(policy: Policy, table: Table) -> Promise:
    """The first person is suppressed."""
    return promise_of(policy, published_values(policy, table.take(np.array([1, 2]))))


@pytest.fixture
def quasi(promise: Promise) -> Callable[[str], QuasiIdentifier]:
    return lambda name: next(each for each in promise.quasi if each.name == name)


@pytest.fixture
def sensitive(promise: Promise) -> Callable[[str], SensitiveAttribute]:
    return lambda name: next(each for each in promise.sensitive if each.name == name)


def test_a_domain_that_is_not_declared_ends_where_published_rows_do(quasi, sensitive) -> None:
    assert quasi("age").domain == (20.0, 34.0)
    assert sensitive("income").domain == (10.0, 20.5)


def test_a_list_that_is_not_declared_holds_what_published_rows_hold(quasi, sensitive) -> None:
    assert quasi("city").values == ("Big",)
    assert sensitive("job").nonsensitive == ("baker",)


def test_a_hierarchy_made_from_values_has_no_node_of_a_suppressed_person(quasi) -> None:
    assert [row[1:] for row in quasi("code").hierarchy] == [("10*", "*"), ("10*", "*")]
    assert {row[1] for row in quasi("born").hierarchy} == {"[1990..1999]"}


def test_what_is_declared_is_told_whoever_has_it(quasi, sensitive) -> None:
    assert quasi("born").domain == (1900.0, 2020.0)
    assert quasi("ward").values == ("one", "two", "three")
    assert [row[0] for row in quasi("region").hierarchy] == ["north", "south", "east"]
    assert sensitive("school").levels == ("low", "middle", "high")


def test_cells_and_what_is_sensitive_stay_as_they_were(policy: Policy, table: Table) -> None:
    rows = np.array([1, 2])
    after = published_values(policy, table.take(rows))
    for name, column in after.columns.items():
        before = table[name].take(rows)
        assert column.values[column.codes].tolist() == before.values[before.codes].tolist()
        assert column.sensitive[column.codes].tolist() == before.sensitive[before.codes].tolist()
        if column.hierarchy is not None:
            assert column.hierarchy.leaves.tolist() == [str(value) for value in column.values]


def test_a_column_without_a_published_value_has_an_empty_domain(policy: Policy, table: Table) -> None:
    nobody = published_values(policy, table.take(np.array([], dtype=np.intp)))
    assert nobody["age"].domain == (0.0, 0.0)
    assert nobody["city"].values.tolist() == []
