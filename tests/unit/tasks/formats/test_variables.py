"""Names and labels that SPSS and Stata can hold. The rules are those of IBM's "Variable names" and of Stata's [U] 11.3."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tasks.formats.variables import Variable, short_label, variable_names, variables_of


def test_a_name_that_both_programs_hold_stays() -> None:
    columns = ["age", "Age_at_death", "q1", "group"]
    assert variable_names(columns) == {column: column for column in columns}


@pytest.mark.parametrize(
    ("column", "name"),
    [
        ("diagnosis=flu", "diagnosis_flu"),
        ("age low", "age_low"),
        ("Größe", "Gro_e"),
        ("année", "annee"),
        ("1st visit", "v_1st_visit"),
        ("with", "v_with"),
        ("IF", "v_IF"),
        ("str12", "v_str12"),
        ("_n", "n"),
        ("年齢", "v_"),
        ("a" * 40, "a" * 32),
    ],
)
def test_other_signs_become_one_line_each(column: str, name: str) -> None:
    assert variable_names([column])[column] == name.rstrip("_")


def test_names_that_differ_in_case_or_in_signs_alone_are_numbered() -> None:
    """SPSS takes `age` and `Age` for one variable."""
    assert variable_names(["age", "Age", "a=b", "a b", "a_b"]) == {
        "age": "age",
        "Age": "Age_2",
        "a=b": "a_b",
        "a b": "a_b_2",
        "a_b": "a_b_3",
    }


@given(st.lists(st.text(min_size=1, max_size=50), unique=True, max_size=20))
def test_every_column_has_a_name_of_its_own(columns: list[str]) -> None:
    names = variable_names(columns)
    assert list(names) == columns
    assert len({name.lower() for name in names.values()}) == len(columns)
    assert all(re.fullmatch("[A-Za-z][A-Za-z0-9_]{0,31}", name) for name in names.values())


@given(st.text(max_size=400), st.integers(10, 240))
def test_a_label_is_short_enough_for_both(text: str, most: int) -> None:
    label = short_label(text, most)
    assert len(label) <= 80
    assert len(label.encode()) <= most
    assert label == " ".join(text.split()) or label.endswith("…")


def test_a_column_is_called_as_in_the_data_dictionary_and_labelled_by_what_it_says() -> None:
    fields = [
        {"name": "age", "description": "Generalized.", "type": "string", "role": "quasi", "levels": ["young", "old"]},
        {"name": "ill=flu", "description": "1 or 0.", "type": "integer", "role": "sensitive", "variable": "ill_flu"},
        {"name": "school", "description": "As in the source.", "type": "string", "role": "sensitive", "levels": ["low", "high"]},
        {"name": "long", "description": "As in the source.", "type": "string", "role": "insensitive", "levels": ["a", "ü" * 61]},
    ]
    assert variables_of(fields) == (
        Variable("age", "age", "age: Generalized.", "string"),
        Variable("ill=flu", "ill_flu", "ill=flu: 1 or 0.", "integer"),
        Variable("school", "school", "school: As in the source.", "string", ("low", "high")),
        Variable("long", "long", "long: As in the source.", "string"),
    )
