from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headgate.core.errors import InputRejected
from headgate.released.reader_conditions import Condition, parse_conditions


def quoted(text: str) -> str:
    return '"' + text.replace('"', '""') + '"'


@pytest.mark.parametrize(
    ("text", "condition"),
    [
        ("age >= 40", Condition("age", ">=", ("40",))),
        ("age≥40", Condition("age", ">=", ("40",))),
        ("age = -1.5", Condition("age", "==", ("-1.5",))),
        ("region <> north-a", Condition("region", "!=", ("north-a",))),
        ("region in (north, 'south west')", Condition("region", "in", ("north", "south west"))),
        ("region NOT IN (north)", Condition("region", "not in", ("north",))),
        ("région is missing", Condition("région", "is missing")),
        ("age is not missing", Condition("age", "is not missing")),
        ("diagnosis has asthma", Condition("diagnosis", "has", ("asthma",))),
        ('"ill=flu" == 1', Condition("ill=flu", "==", ("1",))),
        ("'and' == 'in'", Condition("and", "==", ("in",))),
        ("zip == '20*'", Condition("zip", "==", ("20*",))),
        ("age == [20..29]", Condition("age", "==", ("[20..29]",))),
        ("low | high == a|b", None),
    ],
)
def test_a_condition_is_read_as_it_is_written(text: str, condition: Condition | None) -> None:
    if condition is None:
        with pytest.raises(InputRejected):
            parse_conditions(text)
    else:
        assert parse_conditions(text) == (condition,)


@given(st.text(min_size=1).filter(str.strip), st.text())
def test_any_name_and_value_can_be_written_in_quotes(name: str, value: str) -> None:
    assert parse_conditions(f"{quoted(name)} == {quoted(value)}") == (Condition(name, "==", (value,)),)
    assert parse_conditions(f"{quoted(name)} in ({quoted(value)},1)") == (Condition(name, "in", (value, "1")),)


def test_conditions_are_joined_by_and_and_none_is_no_condition() -> None:
    assert parse_conditions(" a == 1 AND b < 2 and c is missing ") == (
        Condition("a", "==", ("1",)),
        Condition("b", "<", ("2",)),
        Condition("c", "is missing"),
    )
    assert parse_conditions("  ") == ()


@pytest.mark.parametrize(
    ("text", "where"),
    [
        ("age", "at its end, where a comparison"),
        ("age >=", "at its end, where a value"),
        ("age >= and", "at 'and', where a value"),
        ("age 40", "after 'age'"),
        ("age == 1 b == 2", "between two conditions"),
        ("age in 1, 2", "after 'in'"),
        ("age in (1 2)", "in a list"),
        ("age in (1", "at its end"),
        ("age == (1)", r"at '\(', where a value"),
        ("age == 'x", "at character 8"),
        ("age is high", "after 'age'"),
        ("age ! 3", "at character 5"),
        ("__import__('os').system('true')", "after '__import__'"),
    ],
)
def test_what_is_no_condition_is_refused_where_it_goes_wrong(text: str, where: str) -> None:
    with pytest.raises(InputRejected, match=where) as caught:
        parse_conditions(text)
    assert "age >= 40 and region" in caught.value.cure


def test_or_is_refused_with_what_to_write_instead() -> None:
    with pytest.raises(InputRejected, match="joined by 'or'") as caught:
        parse_conditions("a == 1 or a == 2")
    assert "in (a, b)" in caught.value.cure


def test_a_text_without_end_is_not_read() -> None:
    with pytest.raises(InputRejected, match="more than 100,000 characters"):
        parse_conditions("a == 1 and " * 20_000)


@given(st.text(max_size=40))
def test_no_text_breaks_the_reader(text: str) -> None:
    with suppress(InputRejected):
        parse_conditions(text)
