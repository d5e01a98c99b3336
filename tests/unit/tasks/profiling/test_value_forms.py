"""What values look like."""

from __future__ import annotations

import pytest

from policies.drafting.table_profile import Form
from tasks.profiling.value_forms import form_of, runs_on

FORMS = {
    Form.E_MAIL: [["a.maier@web.example", "x@y.example", "b@c.d.example"]],
    Form.PHONE: [["+43 1 58801", "0664/1234567", "(030) 901820", "01 42 68 53 00"]],
    Form.POSTAL_CODE: [
        ["01067", "10115", "80331"],
        ["00-950", "31-011"],
        ["1012 AB", "9711LM"],
        ["SW1A 1AA", "M1 1AE"],
        ["110 00", "602 00"],
    ],
    Form.PERSON_NAME: [
        ["Müller", "Schmidt", "Hrdlicka", "Weber", "Öztürk"],
        ["Jürgen", "Anna", "Petra", "Zdenko"],
        ["Maier, Anna", "Huber, Hans", "Gruber, Julia"],
        ["Анна", "Иван", "Ольга"],
    ],
    Form.PERSONAL_NUMBER: [
        [f"A{number}" for number in range(123456700, 123456800)],
        [str(number) for number in range(85010112340, 85010112440)],
        [f"RSSMRA{number}A01H501U" for number in range(10, 99)],
        [f"P-{number}" for number in range(10000, 10090)],
    ],
    Form.FREE_TEXT: [[f"came back {number} times with pain" for number in range(80)]],
    None: [
        [],
        ["m", "f"],
        ["I10", "E11.9", "J45.0"],
        ["married", "single", "widowed"],
        ["10115", "80331", "20095"],  # could be incomes
        ["Vienna", "Graz", "Linz", "Salzburg"],
        ["acute myocardial infarction of the anterior wall", "fracture of the neck of femur, closed"],  # few diagnoses
        ["A123456789", "B123456789"],  # two codes are codes
    ],
}


@pytest.mark.parametrize(("form", "values"), [(form, values) for form, cases in FORMS.items() for values in cases])
def test_values_are_told_by_their_look(form, values):
    assert form_of(values, len(values)) is form


def test_codes_that_many_rows_share_number_nobody():
    values = [f"A{number}" for number in range(123456700, 123456800)]
    assert form_of(values, 1_900) is Form.PERSONAL_NUMBER
    assert form_of(values, 2_100) is None


def test_a_wrong_value_among_many_changes_nothing():
    assert form_of([*(f"{number}@x.example" for number in range(9)), "none"], 10) is Form.E_MAIL


def test_a_sequence_is_one_only_without_gaps():
    assert runs_on(["5", "6", "7"])
    assert not runs_on(["5", "7", "9"])
    assert not runs_on(["5", "6", "8"])
    assert not runs_on(["a", "b", "c"])
    assert not runs_on(["1", "2"])
