"""Exact numbers, names and paths as a policy file spells them, and sections that know their own keys."""

from __future__ import annotations

import re
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError

from headgate.core.tolerance import exact
from policies.schema.source_key import ExpectedRows
from policies.words.fields import (
    Encoding,
    Exact,
    InputPath,
    NotNegative,
    Positive,
    PositiveShare,
    Problem,
    Problems,
    Separator,
    Share,
    StorePath,
    UniqueTexts,
    ValueText,
    Whole,
    WrittenDecimal,
    WrittenInt,
    choices,
    decimal_text,
    nearest,
)


def read(form: Any, value: Any) -> Any:
    return TypeAdapter(form).validate_python(value)


def refuses(form: Any, *values: Any) -> None:
    for value in values:
        with pytest.raises(ValidationError):
            read(form, value)


@settings(max_examples=60, deadline=None)
@given(st.decimals(min_value=0, max_value=1, places=12, allow_nan=False))
@example(Decimal("0.10"))
@example(Decimal("1E-7"))
def test_a_decimal_stays_the_number_a_person_wrote(number: Decimal) -> None:
    text = decimal_text(number)
    assert Decimal(text) == number
    assert re.fullmatch(r"0|1|0\.\d*[1-9]", text)


@settings(max_examples=60, deadline=None)
@given(st.integers(-(10**12), 10**12), st.integers(-9, 9))
def test_a_decimal_is_read_exactly_and_written_without_an_exponent(digits: int, exponent: int) -> None:
    number = read(Exact, f"{digits}e{exponent}")
    assert number == Decimal(digits).scaleb(exponent)
    assert re.fullmatch(r"-?\d+(\.\d*[1-9])?", decimal_text(number))
    assert TypeAdapter(Exact).dump_json(number) == f'"{decimal_text(number)}"'.encode()


def test_a_float_is_the_decimal_that_it_is_written_as() -> None:
    """Decimal(0.1) is 0.1000000000000000055…, and a floor of a product with it can be one too low."""
    assert read(Exact, 0.1) == Decimal("0.1")
    assert [decimal_text(read(Exact, text)) for text in ("0.60", "6e-1", "-0.0", "100", "1e3")] == ["0.6", "0.6", "0", "100", "1000"]


@settings(max_examples=60, deadline=None)
@given(st.fractions(min_value=0, max_value=1, max_denominator=10**6))
@example(Fraction(1, 11))
@example(Fraction(2, 22))
@example(Fraction(1, 2))
def test_a_bound_may_be_a_fraction_and_stays_exactly_that(fraction: Fraction) -> None:
    share = read(Share, f"{fraction.numerator}/{fraction.denominator}")
    assert exact(decimal_text(share)) == fraction
    assert abs(Fraction(Decimal(share)) - fraction) < Fraction(1, 10**39)
    again = TypeAdapter(Share).validate_json(TypeAdapter(Share).dump_json(share))
    assert decimal_text(again) == decimal_text(share)


def test_a_fraction_that_a_decimal_can_say_is_that_decimal() -> None:
    """The digest of a policy knows no difference between them."""
    assert [decimal_text(read(Share, text)) for text in ("1/2", "3/20", "2/22", "0/7", "7/7")] == ["0.5", "0.15", "1/11", "0", "1"]
    assert decimal_text(read(NotNegative, "7/3")) == "7/3"
    refuses(Share, "1/0", "12/11", "-1/11", "1/-11", "1 / 11", "1/", "/11", "1.0/11", "1/11/2", "1/" + "9" * 31)
    refuses(PositiveShare, "0/5")


def test_what_is_not_a_finite_number_of_readable_size_is_refused() -> None:
    refuses(Exact, True, None, "", "x", "nan", "inf", float("inf"), "1e31", "1e-31", "0." + "1" * 41, [1])
    assert read(Exact, "1e30") == Decimal(10) ** 30


def test_shares_and_whole_numbers_have_their_bounds() -> None:
    assert [read(Share, 0), read(Share, 1), read(PositiveShare, "0.001")] == [0, 1, Decimal("0.001")]
    refuses(Share, "-0.001", "1.001")
    refuses(PositiveShare, 0, "1.001")
    assert [read(Whole, -1), read(Positive, 1)] == [-1, 1]
    refuses(Whole, True, 1.0, "1")
    refuses(Positive, 0, True, 1.5)


@pytest.mark.parametrize("path", ["clinic", "a.b_c-d", "2024", "A..b"])
def test_a_place_below_the_store_is_read(path: str) -> None:
    assert read(StorePath, path) == path


@pytest.mark.parametrize(
    "path",
    [
        "../elsewhere",
        "a/b",
        "people/.publishing-3-x",
        "a/../b",
        "a/..",
        "..",
        "/srv",
        "",
        ".",
        "./a",
        "a//b",
        "a b",
        "ä",
        "a\n",
        "~/a",
        "a\\b",
        "-a",
    ],
)
def test_a_place_in_the_store_stays_in_it(path: str) -> None:
    refuses(StorePath, path)


def test_a_file_has_a_name() -> None:
    assert read(InputPath, "../data/a b.csv") == "../data/a b.csv"
    refuses(InputPath, "", "  ", "a\x00b", 1)


def test_encodings_and_separators_are_those_that_a_file_can_have() -> None:
    assert [read(Encoding, name) for name in ("utf-8", "latin-1", "utf-16")] == ["utf-8", "latin-1", "utf-16"]
    refuses(Encoding, "utf-9", "", "hex", "zip", "rot13", "punycode", "unicode-escape", "a\x00b")
    assert read(Separator, "\t") == "\t"
    refuses(Separator, "", ";;")


def test_listed_values_are_text_as_written_and_each_stands_once() -> None:
    assert read(UniqueTexts, (WrittenInt("010"), WrittenDecimal("1.50"), 7, "x")) == ("010", "1.50", "7", "x")
    refuses(UniqueTexts, (), ("a", "a"), (WrittenInt("10"), "10"))
    refuses(ValueText, True, 1.5)


@pytest.mark.parametrize(
    ("text", "number"), [("010", 10), ("1_000", 1000), ("0x1F", 31), ("0o17", 15), ("0b11", 3), ("-0x10", -16), ("+5", 5)]
)
def test_a_whole_number_remembers_its_spelling(text: str, number: int) -> None:
    written = WrittenInt(text)
    assert (written, written.text) == (number, text)
    assert WrittenDecimal("1_0.50").text == "1_0.50"
    assert WrittenDecimal("1_0.50") == Decimal("10.5")


def test_the_word_that_was_most_likely_meant_is_named() -> None:
    assert nearest("Xcolour", ["xcolor", "mondrian"]) == "xcolor"
    assert nearest("zzz", ["xcolor", "mondrian"]) is None
    assert choices(["a"]) == "a"
    assert choices(["a", "b", "c"]) == "a, b or c"
    assert choices(["lp", "min"], "mon") == "lp or min (did you mean min?)"
    assert choices([]) == ""


def test_a_section_names_every_unknown_key_with_the_nearest_one_that_it_has() -> None:
    with pytest.raises(ValidationError) as caught:
        ExpectedRows.model_validate({"mim": 1, "pond": 2})
    problems = caught.value.errors()[0]["ctx"]["error"]
    assert isinstance(problems, Problems)
    assert problems.problems == (
        Problem(("mim",), "unknown key 'mim'", "min, max or change (did you mean min?)"),
        Problem(("pond",), "unknown key 'pond'", "min, max or change"),
    )


def test_a_problem_is_placed_below_the_section_that_it_is_in() -> None:
    problem = Problem(("max",), "2", "at most 1").below("gates", 0)
    assert problem == Problem(("gates", 0, "max"), "2", "at most 1")
    assert str(Problems([problem, problem])) == "gates.0.max: found 2; accepted: at most 1; gates.0.max: found 2; accepted: at most 1"
