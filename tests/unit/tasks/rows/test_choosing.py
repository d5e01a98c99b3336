"""The oracles go through the rows of each person by the definition of the rule."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tasks.rows.choosing import by_order, extreme, members, most_frequent, sums
from tasks.rows.people import people_of

ROWS = st.lists(st.tuples(st.integers(0, 4), st.integers(-1, 3), st.integers(0, 3)), max_size=14)  # person, cell, place in the order


def read(rows):
    person, cell, place = (np.array(column, dtype=np.int64) for column in zip(*rows, strict=True))
    return people_of(person), cell, place


def of_each(rows):
    """The rows of each person, by the order of their first ones."""
    return [[row for row in rows if row[0] == person] for person in dict.fromkeys(row[0] for row in rows)]


def cells(chosen, codes):
    return [None if row < 0 else int(codes[row]) for row in chosen.rows]


@given(ROWS.filter(len))
def test_first_and_last_are_the_present_cells_at_the_ends_of_the_order_and_ties_are_counted(rows) -> None:
    people, codes, order = read(rows)
    for last, end in ((True, max), (False, min)):
        found = by_order(people, codes, order, last)
        tied = 0
        for cell, own in zip(cells(found, codes), of_each(rows), strict=True):
            present = [(place, code) for _, code, place in own if code >= 0]
            best = {code for place, code in present if place == end(there for there, _ in present)} if present else {None}
            assert cell in best
            tied += len(best) > 1
        assert found.tied == tied


@given(ROWS.filter(len))
def test_extremes_and_the_most_frequent_follow_their_definitions(rows) -> None:
    people, codes, _ = read(rows)
    present = [[code for _, code, _ in own if code >= 0] for own in of_each(rows)]
    assert cells(extreme(people, codes, True), codes) == [max(own, default=None) for own in present]
    assert cells(extreme(people, codes, False), codes) == [min(own, default=None) for own in present]
    frequent = [min(own, key=lambda code, own=own: (-own.count(code), code)) if own else None for own in present]
    assert cells(most_frequent(people, codes), codes) == frequent


NUMBERS = [Decimal("0.1"), Decimal("-7"), Decimal("-123456789012345678901234567890123.5"), Decimal("0.003")]


@given(ROWS.filter(len), st.integers(1, 4))
def test_a_sum_is_exact_and_missing_where_a_cell_is(rows, known) -> None:
    rows = [(person, min(code, known - 1), place) for person, code, place in rows]
    people, codes, _ = read(rows)
    expected = [
        None if any(code < 0 for _, code, _ in own) else sum(Fraction(NUMBERS[code]) for _, code, _ in own) for own in of_each(rows)
    ]
    assert [None if each is None else Fraction(each) for each in sums(people, codes, NUMBERS[:known])] == expected


SETS = [frozenset(), frozenset("a"), frozenset("ab"), frozenset("bc")]


@given(ROWS.filter(len))
def test_a_union_holds_what_any_row_holds(rows) -> None:
    people, codes, _ = read(rows)
    expected = []
    for own in of_each(rows):
        present = [SETS[code] for _, code, _ in own if code >= 0]
        expected.append(frozenset().union(*present) if present else None)
    assert members(people, codes, SETS) == expected
