"""Which role a column is given in a draft."""

from __future__ import annotations

from typing import Any

import pytest

from headgate.core.columns import Kind, Role
from headgate.core.errors import InputRejected
from policies.drafting.column_roles import guessed_roles
from policies.drafting.table_profile import ColumnProfile, Form, Meaning

AGE = ColumnProfile("age", "integer", 80, 1000, meaning=Meaning.AGE)
DIAGNOSIS = ColumnProfile("diagnosis", "text", 40, 1000, meaning=Meaning.DIAGNOSIS)


def role_of(dtype: Any, distinct: int, **known: Any) -> Role:
    return guessed_roles((AGE, DIAGNOSIS, ColumnProfile("x", dtype, distinct, 1000, **known)))[2].role


@pytest.mark.parametrize("meaning", [Meaning.FIRST_NAME, Meaning.LAST_NAME, Meaning.NAME, Meaning.E_MAIL, Meaning.PHONE, Meaning.STREET])
@pytest.mark.parametrize("distinct", [5, 300, 1000])
def test_names_and_addresses_are_never_published_and_are_no_identifiers(meaning: Meaning, distinct: int) -> None:
    assert role_of("text", distinct, meaning=meaning) is Role.DROPPED


@pytest.mark.parametrize(
    ("distinct", "missing", "role"),
    [
        (1000, 0.0, Role.IDENTIFIER),
        (560, 0.0, Role.IDENTIFIER),  # several rows per person: the release is refused until there is one
        (900, 0.1, Role.IDENTIFIER),
        (200, 0.0, Role.IDENTIFIER),
        (199, 0.0, Role.DROPPED),  # wards, not people
    ],
)
def test_numbers_of_people_are_identifiers_unless_they_repeat_too_often(distinct: int, missing: float, role: Role) -> None:
    assert role_of("text", distinct, missing_share=missing, meaning=Meaning.INSURANCE_NUMBER) is role
    assert role_of("integer", distinct, missing_share=missing, meaning=Meaning.ID) is role
    assert role_of("text", distinct, missing_share=missing, form=Form.PERSONAL_NUMBER) is role


@pytest.mark.parametrize("dtype", ["text", "integer", "number"])
@pytest.mark.parametrize("distinct", [2, 8, 61, 500, 999])
def test_what_nobody_recognizes_is_not_published(dtype: str, distinct: int) -> None:
    """It was drafted sensitive, and so published as it is: Nachname and Versichertennummer went out."""
    assert role_of(dtype, distinct) is Role.DROPPED


@pytest.mark.parametrize("form", [Form.E_MAIL, Form.PHONE, Form.PERSON_NAME, Form.RUNNING_NUMBER, Form.FREE_TEXT])
def test_values_that_tell_who_somebody_is_are_dropped_under_any_unknown_header(form: Form) -> None:
    assert role_of("text", 400, form=form) is Role.DROPPED


@pytest.mark.parametrize("form", [Form.E_MAIL, Form.FREE_TEXT])
def test_such_values_are_dropped_whatever_the_header_says(form: Form) -> None:
    assert role_of("text", 400, form=form, meaning=Meaning.DIAGNOSIS) is Role.DROPPED


def test_nearly_unique_texts_are_dropped_whatever_the_header_says() -> None:
    assert role_of("text", 950, meaning=Meaning.DIAGNOSIS) is Role.DROPPED
    assert role_of("text", 880, meaning=Meaning.DIAGNOSIS) is Role.SENSITIVE
    assert role_of("text", 800, missing_share=0.2, meaning=Meaning.DIAGNOSIS) is Role.DROPPED


def test_dates_and_postal_codes_can_be_known_whatever_the_header_says() -> None:
    guesses = guessed_roles(
        (AGE, DIAGNOSIS, ColumnProfile("x", "date", 950, 1000), ColumnProfile("y", "text", 800, 1000, form=Form.POSTAL_CODE))
    )
    assert [(guess.role, guess.kind) for guess in guesses[2:]] == [(Role.QUASI, Kind.DATE), (Role.QUASI, Kind.CATEGORY)]


def test_postal_codes_are_no_numbers_however_many_there_are() -> None:
    guess = guessed_roles((AGE, DIAGNOSIS, ColumnProfile("x", "integer", 990, 1000, meaning=Meaning.POSTAL_CODE)))[2]
    assert (guess.role, guess.kind) == (Role.QUASI, Kind.CATEGORY)


def test_a_header_that_says_date_needs_values_that_are_dates() -> None:
    assert role_of("text", 12, meaning=Meaning.DATE) is Role.DROPPED
    assert role_of("date", 12, meaning=Meaning.DATE) is Role.QUASI


def test_where_nothing_looks_sensitive_something_harmless_stands_in() -> None:
    """Names never do: the draft was completed by the last column, whatever it held."""
    blood = ColumnProfile("blood", "text", 8, 1000)
    name = ColumnProfile("name", "text", 900, 1000, meaning=Meaning.NAME)
    assert [guess.role for guess in guessed_roles((AGE, blood, name))] == [Role.QUASI, Role.SENSITIVE, Role.DROPPED]
    sex = ColumnProfile("sex", "text", 2, 1000, meaning=Meaning.SEX)
    assert [guess.role for guess in guessed_roles((AGE, sex, name))] == [Role.QUASI, Role.SENSITIVE, Role.DROPPED]
    codes = ColumnProfile("codes", "text", 200, 1000)
    for columns in ((AGE, name), (AGE, codes, name), (name, blood)):
        with pytest.raises(InputRejected, match="No policy can be drafted"):
            guessed_roles(columns)


@pytest.mark.parametrize(
    ("dtype", "least", "missing", "role"),
    [
        ("number", 12.5, 0.0, Role.WEIGHT),
        ("integer", 1.0, 0.0, Role.WEIGHT),
        ("number", 0.0, 0.0, Role.DROPPED),
        ("number", -3.0, 0.0, Role.DROPPED),
        ("number", 12.5, 0.1, Role.DROPPED),
        ("text", None, 0.0, Role.DROPPED),
    ],
)
def test_positive_numbers_under_a_survey_s_header_are_weights(dtype: Any, least: float | None, missing: float, role: Role) -> None:
    known = {"least": least, "greatest": 900.0, "missing_share": missing, "meaning": Meaning.SAMPLING_WEIGHT}
    assert role_of(dtype, 300, **known) is role


def test_what_may_be_the_weight_of_a_body_is_not_published_until_somebody_says_so() -> None:
    known = {"least": 41.0, "greatest": 140.0, "meaning": Meaning.WEIGHT}
    assert role_of("integer", 90, **known) is Role.DROPPED
    home = ColumnProfile("hh", "text", 400, 1000, meaning=Meaning.HOUSEHOLD)

    def beside_households(name: str) -> Role:
        return guessed_roles((AGE, DIAGNOSIS, home, ColumnProfile(name, "number", 90, 1000, **known)))[3].role

    assert (beside_households("weight"), beside_households("birth_weight")) == (Role.WEIGHT, Role.DROPPED)


@pytest.mark.parametrize(("distinct", "role"), [(400, Role.HOUSEHOLD), (999, Role.HOUSEHOLD), (84, Role.HOUSEHOLD), (83, Role.DROPPED)])
def test_a_household_has_some_people_and_not_a_hundred(distinct: int, role: Role) -> None:
    """household_type and household_size are no keys."""
    assert role_of("text", distinct, meaning=Meaning.HOUSEHOLD) is role


def test_a_second_weight_and_a_second_household_are_not_published() -> None:
    weights = [ColumnProfile(name, "number", 90, 1000, least=1.0, greatest=9.0, meaning=Meaning.SAMPLING_WEIGHT) for name in "ab"]
    homes = [ColumnProfile(name, "text", 400, 1000, meaning=Meaning.HOUSEHOLD) for name in "cd"]
    guesses = guessed_roles((AGE, DIAGNOSIS, *weights, *homes))[2:]
    assert [guess.role for guess in guesses] == [Role.WEIGHT, Role.DROPPED, Role.HOUSEHOLD, Role.DROPPED]
    assert "choose one" in guesses[1].why
