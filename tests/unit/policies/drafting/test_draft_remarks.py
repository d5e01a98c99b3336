"""What stands above a draft."""

from __future__ import annotations

import pytest

from policies.drafting.column_roles import guessed_roles
from policies.drafting.draft_remarks import remarks_on
from policies.drafting.table_profile import ColumnProfile, Meaning, TableProfile

AGE = ColumnProfile("age", "integer", 80, 2153, meaning=Meaning.AGE)
DIAGNOSIS = ColumnProfile("diagnosis", "text", 40, 2153, meaning=Meaning.DIAGNOSIS)


def remarks(*columns: ColumnProfile, people: int | None = None) -> str:
    table = TableProfile("t.csv", (AGE, DIAGNOSIS, *columns), people=people)
    return "\n".join(remarks_on(table, guessed_roles(table.columns)))


def test_several_rows_per_person_are_told_by_a_number_that_repeats() -> None:
    patient, visit = (
        ColumnProfile(name, "text", distinct, 2153, meaning=Meaning.ID) for name, distinct in (("patient", 1200), ("visit", 2153))
    )
    assert "'patient' has 1,200 different values in 2,153 rows" in remarks(patient, visit)
    assert remarks(visit) == ""


@pytest.mark.parametrize(("people", "told"), [(1200, True), (2120, False), (2153, False), (None, False)])
def test_several_rows_per_person_are_told_by_names_with_a_birth_date(people: int | None, told: bool) -> None:
    assert ("names with a birth date in 2,153 rows" in remarks(people=people)) is told


@pytest.mark.parametrize(
    ("name", "meaning", "other"),
    [("born", Meaning.BIRTH_DATE, "age"), ("plz", Meaning.POSTAL_CODE, "district"), ("plz", Meaning.POSTAL_CODE, "city")],
)
def test_what_tells_the_same_is_said(name: str, meaning: Meaning, other: str) -> None:
    places = [ColumnProfile(place, "text", 9, 2153, meaning=Meaning(place)) for place in ("city",)]
    district = ColumnProfile("district", "text", 9, 2153, meaning=Meaning.REGION)
    dtype = "date" if meaning is Meaning.BIRTH_DATE else "text"
    said = remarks(*places, district, ColumnProfile(name, dtype, 900, 2153, meaning=meaning))
    assert f"'{name}' and '{other}' tell the same." in said
    assert remarks(*places, district) == ""


def test_columns_of_which_not_every_value_can_be_read_are_named_if_they_are_published() -> None:
    cost, phone = (
        ColumnProfile(name, "number", 90, 2153, almost="…", meaning=meaning)
        for name, meaning in (("cost", Meaning.AMOUNT), ("phone", Meaning.PHONE))
    )
    assert "'cost' is not wholly clear" in remarks(cost, phone)
    assert remarks(phone) == ""
