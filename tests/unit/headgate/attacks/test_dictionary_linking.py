"""Linking with a dictionary against pure Python, and what is drawn against what is expected."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headgate.attacks.dictionary_linking import DictionaryLinking, Register, dictionary_linking
from headgate.core.columns import Column
from headgate.core.errors import InputRejected
from headgate.core.published_form.published_table import PublishedTable, from_frame, publish_form, to_frame
from headgate.risk.candidates.consistency import encode_dictionary
from tests.unit.headgate.attacks.planted import Small, drawn, small

Individual = tuple[int | None, str | None]  # age, sex

seeds = st.integers(0, 10**6)


def register(seed: int, case: Small) -> list[Individual]:
    """Some of the people as they are, some with a missing cell, and some strangers."""
    rng = np.random.default_rng(seed)
    known: list[Individual] = [(row[0], row[1]) for row in case.rows if rng.random() < 0.7]
    hidden: list[Individual] = [(None, row[1]) if rng.random() < 0.5 else (row[0], None) for row in case.rows if rng.random() < 0.2]
    strangers: list[Individual] = [(int(rng.integers(15, 40)), ["f", "m", "x"][rng.integers(3)]) for _ in range(int(rng.integers(1, 9)))]
    return [*known, *hidden, *strangers]


def encoded(case: Small, individuals: list[Individual]) -> dict[str, Column]:
    frame = pd.DataFrame({"age": pd.array([age for age, _ in individuals], dtype="Int64"), "sex": [sex for _, sex in individuals]})
    return encode_dictionary(frame, case.table.columns, ["age", "sex"])


def consistent(case: Small, row: int, individuals: list[Individual]) -> int:
    """Individuals whose known cells lie in the record's group: its ages' bounding interval, its set of sexes. The set of all sexes is
    published as everything, and one in which some are missing agrees with everything too."""
    members = [case.rows[i] for i, group in enumerate(case.groups[0]) if group == case.groups[0][row]]
    ages, sexes = [member[0] for member in members], {member[1] for member in members}
    anything = None in sexes or (len(sexes) > 1 and sexes == {row[1] for row in case.rows})
    return sum((age is None or min(ages) <= age <= max(ages)) and (sex is None or anything or sex in sexes) for age, sex in individuals)


def expected(case: Small, individuals: list[Individual]) -> tuple[Fraction, int]:
    """Of the people, the share named rightly in the long run, and how many are in the dictionary."""
    chance, listed = Fraction(0), 0
    for person, (age, sex, _, _) in enumerate(case.rows):
        if (age, sex) in individuals:
            rows = case.fits(0, person)
            listed += 1
            chance += sum((Fraction(1, consistent(case, row, individuals)) for row in rows), Fraction(0)) / len(rows)
    return chance / len(case.rows), listed


def linked(
    case: Small, published: PublishedTable, people: dict[str, Column], individuals: list[Individual], seed: int = 0
) -> DictionaryLinking:
    register = Register("register.csv", encoded(case, individuals), ["age", "sex"])
    return dictionary_linking(published, people, register, np.random.default_rng(seed))


@settings(max_examples=60, deadline=None)
@given(seeds)
def test_what_the_formula_expects_is_that_of_its_definition(seed: int) -> None:
    case = drawn(seed, 1)
    individuals = register(seed, case)
    share, listed = expected(case, individuals)
    found = linked(case, case.published[0], dict(case.table.columns), individuals, seed)
    assert found.expected == pytest.approx(float(share), abs=1e-12)
    assert found.listed == listed
    assert found.success.people == len(case.rows)
    assert found.success.right_overall == pytest.approx(listed / len(individuals))


@settings(max_examples=15, deadline=None)
@given(seeds)
def test_what_is_drawn_agrees_with_what_is_expected(seed: int) -> None:
    """Each person 400 times over; five standard deviations, which a right drawing leaves once in two million times."""
    case = drawn(seed, 1)
    individuals = register(seed, case)
    many = case.table.take(np.repeat(np.arange(len(case.rows)), 400))
    share = float(expected(case, individuals)[0])
    found = linked(case, case.published[0], dict(many.columns), individuals, seed)
    assert abs(found.success.share - share) <= 5 * np.sqrt(share * (1 - share) / many.rows) + 1e-12


def test_everybody_alone_in_the_table_and_in_the_dictionary_is_named() -> None:
    case = small([(20, "f", "a", "x"), (30, "m", "b", "y"), (40, None, "a", "z")], [0, 1, 2])
    found = linked(case, case.published[0], dict(case.table.columns), [(20, "f"), (30, "m"), (50, "f")])
    assert (found.success.right, found.listed) == (2, 2)
    assert found.success.right_overall == pytest.approx(2 / 3)


def test_a_missing_cell_of_the_dictionary_hides_the_individual_but_is_no_twin() -> None:
    case = small([(20, "f", "a", "x")], [0])
    certain = linked(case, case.published[0], dict(case.table.columns), [(20, "f")])
    doubtful = linked(case, case.published[0], dict(case.table.columns), [(20, "f"), (20, None)])
    absent = linked(case, case.published[0], dict(case.table.columns), [(20, None), (None, "f")])
    assert [found.expected for found in (certain, doubtful, absent)] == [1, 0.5, 0]
    assert (absent.listed, absent.success.right) == (0, 0)


def test_who_fits_no_row_is_named_like_anybody() -> None:
    case = small([(20, "f", "a", "x"), (60, "m", "b", "y")], [0, 1])
    released = case.table.take(np.array([0]))
    published = publish_form(released, np.array([0]), "t", ["illness"])
    found = linked(case, published, dict(case.table.take(np.full(4000, 1)).columns), [(20, "f"), (60, "m"), (61, "m"), (62, "m")])
    assert found.expected == pytest.approx(0.25)
    assert abs(found.success.share - 0.25) < 0.05


def test_a_file_read_again_is_linked_as_the_table_was() -> None:
    case = drawn(11, 1)
    again = from_frame(to_frame(case.published[0], 3), "t", ["age", "sex"], {})
    individuals = register(11, case)
    assert linked(case, again, dict(case.table.columns), individuals).expected == pytest.approx(
        linked(case, case.published[0], dict(case.table.columns), individuals).expected, abs=1e-12
    )


def test_the_sentence_sets_the_drawing_beside_the_formula_and_holds_no_values() -> None:
    case = small([(20, "fay", "flu", "smith"), (21, "fay", "pox", "baker")], [0, 0])
    text = linked(case, case.published[0], dict(case.table.columns), [(20, "fay"), (21, "fay")]).sentence()
    assert "The formula (1 divided by the number of individuals who fit a record)" in text
    assert "expects 50.0 %." in text
    assert "The dictionary lists 2 of these people with exactly their values." in text
    assert not any(value in text for value in ("fay", "flu", "smith"))


@pytest.mark.parametrize("fields", [[], ["income"]])
def test_a_dictionary_without_shared_fields_is_refused(fields: list[str]) -> None:
    case = drawn(1, 1)
    register = Register("register.csv", encoded(case, [(20, "f")]), fields)
    with pytest.raises(InputRejected, match="fields"):
        dictionary_linking(case.published[0], case.table.columns, register, np.random.default_rng(0))


def test_similar_texts_hide_a_person_who_exactly_compared_would_stand_out() -> None:
    """Jaro: martha and marhta 0.944 (the textbook's pair); martha and mark have 3 letters in common: (3/6 + 3/4 + 3/3)/3 = 0.75."""
    case = small([(20, "martha", "a", "x")], [0])
    columns = encoded(case, [(20, "martha"), (20, "marhta"), (20, "mark")])
    found = [
        dictionary_linking(
            case.published[0],
            case.table.take(np.zeros(4000, dtype=np.int64)).columns,
            Register("register.csv", columns, ["age", "sex"], similar),
            np.random.default_rng(0),
        )
        for similar in ({}, {"sex": 0.9}, {"sex": 0.75})
    ]
    assert [one.expected for one in found] == pytest.approx([1, 1 / 2, 1 / 3])
    assert [one.success.share for one in found] == pytest.approx([1, 1 / 2, 1 / 3], abs=0.04)


def test_who_had_a_cell_suppressed_is_found_in_the_dictionary_by_what_it_was() -> None:
    """In the table the sex is missing, so the two of that age are the same to it."""
    case = small([(20, None, "a", "x")], [0])
    whole = small([(20, "f", "a", "x")], [0])
    register = Register("register.csv", encoded(whole, [(20, "f"), (20, "m"), (30, "f")]), ["age", "sex"])
    found = [
        dictionary_linking(case.published[0], case.table.columns, register, np.random.default_rng(0), known)
        for known in (None, whole.table.columns)
    ]
    assert [(one.listed, one.expected) for one in found] == [(0, 0), (1, 0.5)]
