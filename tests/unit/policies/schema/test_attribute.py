"""One attribute: which keys go with which role and kind, and what they may hold."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest
from pydantic import ValidationError

from headgate.core.columns import Kind, Role
from policies.schema.attribute import Attribute, Mask, Widths
from policies.schema.loading import parse_policy
from policies.words.fields import Problems
from tests.unit.policies.refused import Case, names_of, refusal, require_refused

BAD: list[Case] = [
    ("age: {role: quasi,", "age: {role: qasi,", 6, ["attributes.age.role", "'qasi'", "did you mean quasi?"]),
    ("kind: integer", "kind: intger", 6, ["attributes.age.kind", "'intger'", "did you mean integer?"]),
    ("age: {role: quasi, kind: integer}", "age: {role: quasi}", 6, ["no kind for a quasi attribute"]),
    ("age: {role: quasi, kind: integer}", "age: {role: quasi, kind: set}", 6, ["a set cannot be a quasi-identifier"]),
    (
        "age: {role: quasi, kind: integer}",
        "age: {role: quasi, kind: vector, columns: [a, b]}",
        6,
        ["a vector cannot be a quasi-identifier"],
    ),
    ("age: {role: quasi, kind: integer}", "age: {role: quasi, kind: integer, weight: 2}", 6, ["weight", "only with role sensitive"]),
    ("age: {role: quasi, kind: integer}", "age: {role: quasi, kind: integer, levels: [a]}", 6, ["levels", "only with kind ordinal"]),
    ("age: {role: quasi, kind: integer}", "age: {role: quasi, kind: integer, domain: [9, 0]}", 6, ["domain", "the least value first"]),
    ("age: {role: quasi, kind: integer}", "age: {role: quasi, kind: integer, domain: [0.5, 9]}", 6, ["domain", "whole numbers"]),
    ("age: {role: quasi, kind: integer}", "age: {role: quasi, kind: integer, domain: [0, 9, 10]}", 6, ["domain"]),
    ("age: {role: quasi, kind: integer}", "age: {role: quasi, kind: integer, domain: [0, .inf]}", 6, ["domain"]),
    ("age: {role: quasi, kind: integer}", "age: {role: quasi, kind: date, domain: [0, 9]}", 6, ["domain", "YYYY-MM-DD"]),
    ("age: {role: quasi, kind: integer}", "age: {role: quasi, kind: date, domain: [2024-02-30, 2024-03-01]}", 6, ["domain", "YYYY-MM-DD"]),
    (
        "age: {role: quasi, kind: integer}",
        "age: {role: quasi, kind: date, hierarchy: a.csv}",
        6,
        ["a file with kind date", "{widths: [5, 10]}"],
    ),
    ("age: {role: quasi, kind: integer}", "age: {role: quasi, kind: number, hierarchy: {widths: [5]}}", 6, ["widths only on kind integer"]),
    ("age: {role: quasi, kind: integer}", "age: {role: quasi, kind: date, hierarchy: {widths: [5, 12]}}", 6, ["each a multiple"]),
    ("age: {role: quasi, kind: integer}", "age: {role: sensitive, kind: date, hierarchy: {widths: [5]}}", 6, ["compared by value"]),
    (
        "age: {role: quasi, kind: integer}",
        "age: {role: quasi, kind: integer, hierarchy: {widths: [5, 12]}}",
        6,
        ["multiple of the one before"],
    ),
    ("age: {role: quasi, kind: integer}", "age: {role: quasi, kind: integer, hierarchy: {mask: 2}}", 6, ["a mask only on kind category"]),
    (
        "age: {role: quasi, kind: integer}",
        "age: {role: quasi, kind: integer, hierarchy: {width: [5]}}",
        6,
        ["hierarchy", "{widths: [5, 10]}"],
    ),
    ("person: {role: identifier}", "person: {role: identifier, kind: integer}", 5, ["never published", "only role: identifier"]),
    ("values: [flu, gout], nonsensitive: [flu]", "separator: ';'", 8, ["a sensitive set without its values"]),
    ("values: [flu, gout]", "values: [flu, flu]", 8, ["a list without repeated values"]),
    ("values: [flu, gout]", "values: [flu, gout], values_from: {path: a, key: b}", 8, ["one of them"]),
    ("nonsensitive: [flu]", "nonsensitive: [fly]", 8, ["'fly', which is not among the values", "did you mean flu?"]),
    ("nonsensitive: [flu]", "absent: yes", 8, ["absent", "'yes'"]),
    ("weight: 2", "weight: '0,9'", 9, ["'0,9'", "a number; write a decimal with a point, such as 0.9"]),
    ("weight: 2", "weight: 0,9", 9, ["nothing after the colon", "a decimal with a point, such as 0.9"]),
    ("weight: 2", "weight: 90 %", 9, ["'90 %'", "write a share as a decimal, such as 0.9 for 90 %"]),
    ("domain: [0, 1000], weight: 2", "weight: -1", 9, ["weight", "greater than or equal to 0"]),
    ("domain: [0, 1000], weight: 2", "nonsensitive: [nothing]", 9, ["nonsensitive", "a number"]),
    ("domain: [0, 1000], weight: 2", "separator: ';'", 9, ["separator", "only with kind set"]),
    ("school: {role: sensitive, kind: ordinal, levels: [low, middle, high]}", "school: {role: sensitive, kind: ordinal}", 10, ["levels"]),
    ("notes: {role: dropped}", "notes: {role: sensitive, kind: vector}", 12, ["columns"]),
    ("notes: {role: dropped}", "notes: {role: sensitive, kind: vector, columns: [p1]}", 12, ["at least two columns"]),
    ("notes: {role: dropped}", "notes: {role: sensitive, kind: vector, columns: [p1, p2], distance: l2}", 12, ["distance", "'l2'"]),
    ("ward: {role: insensitive, kind: category}", "ward: {role: insensitive, kind: category, table: 0}", 11, ["table"]),
]


@pytest.mark.parametrize("case", BAD, ids=names_of(BAD))
def test_what_cannot_be_meant_is_refused_in_its_place(small: str, case: Case) -> None:
    require_refused(small, case)


def attribute(**keys: Any) -> Attribute:
    return Attribute.model_validate(keys)


def test_numbers_among_values_keep_their_spelling(small: str) -> None:
    policy = parse_policy(
        small.replace("values: [flu, gout], nonsensitive: [flu]", "values: [010, 1.50, 0x1F], nonsensitive: [010]"), "small.yaml"
    )
    assert policy.attributes["illness"].values == ("010", "1.50", "0x1F")
    assert policy.attributes["illness"].nonsensitive == ("010",)


def test_missing_can_be_declared_non_sensitive(small: str) -> None:
    policy = parse_policy(small.replace("nonsensitive: [flu]", "nonsensitive: [flu, null]"), "small.yaml")
    assert policy.attributes["illness"].nonsensitive == ("flu", None)


def test_a_hierarchy_is_a_file_or_widths_or_a_mask() -> None:
    assert attribute(role="quasi", kind="category", hierarchy="zip.csv").hierarchy == "zip.csv"
    assert attribute(role="quasi", kind="integer", hierarchy={"widths": [5, 10]}).hierarchy == Widths(widths=(5, 10))
    assert attribute(role="quasi", kind="category", hierarchy={"mask": 2}).hierarchy == Mask(mask=2)


@pytest.mark.parametrize("kind", list(Kind))
def test_only_a_kind_whose_cells_are_single_values_is_a_quasi_identifier(kind: Kind) -> None:
    """DEFINITIONS §1: a set or a vector cannot be generalized to a node, an interval or a set of values."""
    keys: dict[str, Any] = {"levels": ["a", "b"]} if kind is Kind.ORDINAL else {"columns": ["a", "b"]} if kind is Kind.VECTOR else {}
    if kind in (Kind.SET, Kind.VECTOR):
        with pytest.raises(ValueError, match=f"a {kind} cannot be a quasi-identifier: make it sensitive, or drop it"):
            attribute(role="quasi", kind=kind, **keys)
    else:
        assert attribute(role="quasi", kind=kind, **keys).kind is kind


@pytest.mark.parametrize("role", list(Role))
def test_what_is_published_has_a_kind_and_what_is_not_has_none(role: Role) -> None:
    never = role in (Role.IDENTIFIER, Role.HOUSEHOLD, Role.DROPPED)
    kind = "number" if role is Role.WEIGHT else "category"
    assert attribute(role=role, **({} if never else {"kind": kind})).published is not never
    with pytest.raises(ValueError, match=f"only role: {role}" if never else f"no kind for a {role} attribute"):
        attribute(role=role, **({"kind": "category"} if never else {}))


def test_a_weight_is_a_number_and_rounded_to_whole_people_unless_the_policy_says_otherwise() -> None:
    assert attribute(role="weight", kind="number").as_published.declared == {"round": "1"}
    assert attribute(role="weight", kind="number", publish_as={"round": "0.1"}).as_published.declared == {"round": "0.1"}
    assert attribute(role="insensitive", kind="number").as_published is None
    with pytest.raises(ValueError, match="category as weight"):
        attribute(role="weight", kind="category")
    with pytest.raises(ValueError, match="'top' of a weight"):
        attribute(role="weight", kind="number", publish_as={"round": "1", "top": "0.99"})


def test_the_values_that_the_policy_itself_lists() -> None:
    assert attribute(role="sensitive", kind="ordinal", levels=["low", "high"]).listed_values == ("low", "high")
    assert attribute(role="sensitive", kind="set", values=["flu"]).listed_values == ("flu",)
    assert attribute(role="sensitive", kind="set", values="codes.csv").listed_values is None
    assert attribute(role="sensitive", kind="category").listed_values is None


def test_a_vector_is_read_from_its_columns_and_everything_else_from_the_one_of_its_name() -> None:
    vector = attribute(role="sensitive", kind="vector", columns=["p1", "p2"])
    assert vector.source_columns("profile") == ("p1", "p2")
    assert attribute(role="quasi", kind="integer").source_columns("age") == ("age",)


def test_one_column_is_a_vector_only_for_a_distance_between_numbers() -> None:
    assert attribute(role="sensitive", kind="vector", columns=["p1"], distance="lp").columns == ("p1",)
    for distance in ({}, {"distance": "total-variation"}):
        with pytest.raises(ValueError, match="at least two columns for total variation"):
            attribute(role="sensitive", kind="vector", columns=["p1"], **distance)


def test_a_domain_of_days_is_in_order_and_may_be_one_day() -> None:
    assert attribute(role="quasi", kind="date", domain=["2024-01-31", "2024-01-31"]).domain == ("2024-01-31", "2024-01-31")
    with pytest.raises(ValueError, match="the first day first"):
        attribute(role="quasi", kind="date", domain=["2024-02-01", "2024-01-31"])
    assert attribute(role="quasi", kind="number", domain=["0.5", 9]).domain == (Decimal("0.5"), Decimal(9))


@pytest.mark.parametrize(
    ("kind", "values", "accepted"),
    [("date", ["2024-13-01"], "a day written YYYY-MM-DD"), ("number", ["nan"], "a number"), ("integer", ["x"], "a number")],
)
def test_a_non_sensitive_value_of_a_number_or_day_is_one(kind: str, values: list[str], accepted: str) -> None:
    with pytest.raises(ValueError, match=accepted):
        attribute(role="sensitive", kind=kind, nonsensitive=values)


def test_of_a_vector_only_missing_can_be_non_sensitive() -> None:
    assert attribute(role="sensitive", kind="vector", columns=["a", "b"], nonsensitive=[None]).nonsensitive == (None,)
    with pytest.raises(ValueError, match=r"\[null\] or nothing"):
        attribute(role="sensitive", kind="vector", columns=["a", "b"], nonsensitive=["1"])


def test_every_problem_of_an_attribute_is_named_at_once() -> None:
    with pytest.raises(ValueError, match="levels") as caught:
        attribute(role="quasi", kind="integer", levels=["a"], weight=2, separator=";")
    problems = caught.value.errors()[0]["ctx"]["error"]  # type: ignore[attr-defined]
    assert isinstance(problems, Problems)
    assert {problem.path for problem in problems.problems} == {("levels",), ("weight",), ("separator",)}


def test_a_non_sensitive_value_stands_once(small: str) -> None:
    assert "a value listed twice" in refusal(small.replace("nonsensitive: [flu]", "nonsensitive: [flu, flu]")).message


@pytest.mark.parametrize(
    ("keys", "why"),
    [
        ({"domain": [0, 1000]}, "published from 0 or below"),
        ({"domain": [-5, 1000]}, "published from 0 or below"),
        ({"domain": [400, 9000], "publish_as": {"round": 1000}}, "published from 0 or below"),
        ({"domain": [0, 9000], "publish_as": {"bottom": "0.01"}}, "bottom: 1} or more.* a bottom below 1 is a share of the people"),
        ({}, "without a domain"),
    ],
)
def test_ratios_need_a_domain_that_is_published_above_0(keys: dict[str, Any], why: str) -> None:
    """400 rounded to thousands is 0; a bound that is a share is known only when the data are read."""
    with pytest.raises(ValidationError, match=why):
        Attribute(role=Role.SENSITIVE, kind=Kind.NUMBER, scale="log", **keys)


def test_ratios_are_of_sensitive_numbers() -> None:
    for keys in ({"domain": [1, 9]}, {"domain": [0, 9000], "publish_as": {"round": 10, "bottom": 100}}):
        assert Attribute(role=Role.SENSITIVE, kind=Kind.INTEGER, scale="log", **keys).scale == "log"
    with pytest.raises(ValidationError, match="only with role sensitive"):
        Attribute(role=Role.QUASI, kind=Kind.NUMBER, scale="log", domain=[1, 9])
    with pytest.raises(ValidationError, match="only with kind number or integer"):
        Attribute(role=Role.SENSITIVE, kind=Kind.CATEGORY, scale="log")
