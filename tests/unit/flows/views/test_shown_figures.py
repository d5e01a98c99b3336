"""How figures and names are written in the terminal."""

from __future__ import annotations

import math
from typing import Any

import pytest

from flows.views.shown_figures import figure, gate_name, in_words, named_attributes, percentage, required_figure, short
from policies.gates.verdict import Comparison, Verdict


def verdict(gate: str, required: str, **more: Any) -> Verdict:
    return Verdict(**{"gate": gate, "comparison": Comparison.AT_MOST, "measured": 0.0, "required": float(required), "passed": True, **more})


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (None, "–"),
        (math.inf, "∞"),
        (1234567.0, "1,234,567"),
        (12345.678, "12,346"),
        (9852.4, "9,852"),  # as the whole number beside it
        (0.26351, "0.2635"),
        (0, "0"),
        (3.0, "3"),
        (1e-7, "1e-07"),
    ],
)
def test_a_figure_has_four_digits_and_large_ones_are_written_out(number: float | None, text: str) -> None:
    assert figure(number) == text


def test_a_missing_figure_is_a_dash_and_a_small_one_has_three_decimals() -> None:
    assert (short(None), short(0.0449), short(0.449)) == ("–", "0.045", "0.45")
    assert (percentage(None), percentage(0.0432)) == ("–", "4.3 %")


def test_a_state_is_written_in_words() -> None:
    assert in_words("awaiting_approval") == "awaiting approval"


def test_a_gate_about_a_dictionary_is_named_after_its_file_without_the_folder() -> None:
    of_register = verdict("disclosure", "0.01", dictionary="data/registers/register.csv", bound="mean", comparison=Comparison.AT_MOST)
    assert "register.csv" in gate_name(of_register)
    assert "registers" not in gate_name(of_register)
    assert gate_name(verdict("linkability", "0.4")) == "linkability"


def test_what_is_required_is_shown_with_its_direction() -> None:
    assert required_figure(verdict("k", "10", comparison=Comparison.AT_LEAST)) == "at least 10"
    assert required_figure(verdict("linkability", "0.4", comparison=Comparison.AT_MOST)) == "at most 0.4"


def test_many_columns_of_one_set_are_counted_and_few_are_named() -> None:
    codes = [f"diagnosis={code}" for code in "abcd"]
    assert named_attributes([*codes, "job"]) == "diagnosis (4 values), job"
    assert named_attributes(codes[:2]) == "diagnosis=a, diagnosis=b"


def test_what_was_asked_for_is_shown_where_less_is_allowed() -> None:
    relaxed = verdict("dissimilarity", "0.3", comparison=Comparison.AT_LEAST, asked=0.95, measured=5 / 9)
    assert required_figure(relaxed) == "asked 0.95, allowed from 0.3"
