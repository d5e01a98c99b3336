from __future__ import annotations

import pytest

from headgate.core.errors import PolicyInvalid
from policies.schema.loading import parse_policy
from policies.schema.rows_key import RowsKey, Rule

TEXT = """schema: 1
dataset: visits
source: {kind: csv, path: visits.csv}
rows: {per: person, order: day, visits: count, dx: union, age: last}
attributes:
  person: {role: identifier}
  day: {role: dropped}
  age: {role: quasi, kind: integer}
  sex: {role: quasi, kind: category}
  dx: {role: sensitive, kind: set, values: [a, b]}
  visits: {role: sensitive, kind: integer}
anonymize: {k: 3}
gates: {linkability: 0.8}
publish: {to: visits}
"""


def rows_of(text: str) -> RowsKey:
    rows = parse_policy(text, "policy.yaml").rows
    assert rows is not None
    return rows


def test_rows_names_an_identifier_an_order_and_a_rule_per_attribute() -> None:
    rows = rows_of(TEXT)
    assert (rows.per, rows.order) == ("person", ("day",))
    assert rows.rules == {"visits": Rule.COUNT, "dx": Rule.UNION, "age": Rule.LAST}
    assert parse_policy(TEXT, "p").counted == ("visits",)
    assert rows_of(TEXT.replace("order: day", "order: [day, age]")).order == ("day", "age")


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (
            "dx: union",
            "dx: onion",
            "rows.dx: found 'onion'; accepted: union, first, last, min, max, sum, count or mode (did you",
        ),
        ("dx: union", "dx: sum", "rows.dx: found 'sum' for 'dx', which is of kind set; accepted: union, first or last"),
        ("age: last", "sex: max", "rows.sex: found 'max' for 'sex', which is of kind category; accepted: first, last or mode"),
        ("order: day, ", "", "rows.age: found 'last' for 'age' without an order; accepted: order: COLUMN"),
        (", age: last", "", "rows.order: found an order that no rule needs"),
        ("per: person", "per: age", "rows.per: found 'age', which is not an identifier; accepted: person"),
        ("dx: union", "dy: union", "rows.dy: found a rule for 'dy', which is not an attribute"),
        ("dx: union", "day: last", "rows.day: found a rule for 'day', which is not published"),
        ("order: day", "order: dx", "rows.order: found 'dx', which is of kind set"),
        ("order: day", "order: person", "rows.order: found 'person', by which rows cannot be ordered"),
        ("order: day", "order: days", "rows.order: found 'days', which is not an attribute"),
        ("per: person, ", "", "rows: found nothing; accepted: the key 'per', which is required"),
    ],
)
def test_what_cannot_be_meant_is_refused_in_its_place(old: str, new: str, said: str) -> None:
    with pytest.raises(PolicyInvalid) as refusal:
        parse_policy(TEXT.replace(old, new), "policy.yaml")
    assert said in refusal.value.message
    assert "line 4" in refusal.value.message


def test_each_rule_says_how_a_column_was_made() -> None:
    rows = rows_of(TEXT)
    assert rows.said_of("age") == "The last present value of a person's rows in the order of day."
    assert rows.said_of("dx") == "All values of a person's rows."
    assert rows.said_of("sex") == "It is the same in all rows of a person."
    for rule in Rule:
        assert RowsKey.model_validate({"per": "person", "order": "day", "x": rule}).said_of("x").endswith(".")
