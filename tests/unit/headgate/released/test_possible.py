"""What one cell may stand for; estimates over whole tables are tried against every completion in test_estimates."""

from __future__ import annotations

import pytest

from headgate.core.columns import Kind
from headgate.core.errors import InputRejected
from headgate.core.published_form.domain_column import domain_column
from headgate.released.possible import exact_values, generalized_cells
from headgate.released.reader_conditions import parse_conditions
from tests.unit.headgate.released.tiny_releases import release

AGES = domain_column("age", Kind.INTEGER, (0, 9))


def test_a_cell_must_may_and_is_likely_to_meet_a_condition() -> None:
    met = generalized_cells(AGES, ["[2..5]", "4", "*", ""], parse_conditions("age >= 4"))
    assert met.must.tolist() == [False, True, False, False]
    assert met.may.tolist() == [True, True, True, False]
    assert met.share.tolist() == pytest.approx([0.5, 1, 6 / 11, 0])  # the column shows a missing cell, so * may be one too
    assert met.low.tolist()[:3] == [4, 4, 4]
    assert met.high.tolist()[:3] == [5, 4, 9]


def test_without_a_condition_every_cell_counts() -> None:
    met = generalized_cells(AGES, ["[2..5]", "*", ""], ())
    assert met.must.all()
    assert met.share.tolist() == [1, 1, 1]


def test_a_cell_outside_the_domain_is_refused() -> None:
    for text in ("[20..30]", "{a|b}", "[x..y]"):
        with pytest.raises(InputRejected):
            generalized_cells(AGES, [text], parse_conditions("age >= 4"))


def test_values_as_in_the_source_meet_a_condition_or_do_not() -> None:
    table = release(age=["1", "1", "1"], income=[10, 20, None])["table-1"]
    met = exact_values(table._exact["income"], parse_conditions("income > 15"))
    assert met.must.tolist() == met.may.tolist() == [False, True, False]
