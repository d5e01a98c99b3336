from __future__ import annotations

import pytest

from headgate.core.columns import Column, Kind
from headgate.core.errors import InputRejected
from headgate.core.published_form.cell_reader import CellReader
from headgate.core.published_form.domain_column import domain_column
from headgate.released.reader_conditions import parse_conditions
from headgate.released.stretches import Stretches
from headgate.released.wanted import Wanted, is_masked, wanted
from tests.unit.headgate.released.tiny_releases import MASKED, TOWNS

AGES = domain_column("age", Kind.INTEGER, (0, 9))
GRADES = domain_column("grade", Kind.ORDINAL, None, ["low", "middle", "high"])
TOWN = domain_column("town", Kind.CATEGORY, paths=TOWNS)
ZIP = domain_column("zip", Kind.CATEGORY, paths=MASKED)


def asked(column: Column, text: str) -> Wanted:
    return wanted(column, CellReader(column), parse_conditions(text))


def test_conditions_on_numbers_become_stretches_of_the_line() -> None:
    assert asked(AGES, "age > 2 and age <= 5").stretches == Stretches((((2.0, 1), (5.0, 1)),))
    assert asked(AGES, "age in (7, 3)").stretches == Stretches.points([3.0, 7.0])
    assert asked(AGES, "age == [2..4]").stretches == Stretches.closed(2.0, 4.0)


def test_conditions_on_listed_values_become_places() -> None:
    assert asked(GRADES, "grade >= middle").mask.tolist() == [False, True, True]
    assert asked(TOWN, "town in (north, t3)").mask.tolist() == [True, True, True, False]
    assert asked(TOWN, "town != t1").mask.tolist() == [False, True, True, True]


@pytest.mark.parametrize(
    ("text", "values", "missing"),
    [("", True, True), ("age is missing", False, True), ("age is not missing", True, False), ("age > 1 and age is missing", False, False)],
)
def test_missing_cells_meet_no_comparison(text: str, values: bool, missing: bool) -> None:
    found = asked(AGES, text)
    assert (found.values, found.missing) == (values, missing)


def test_a_hierarchy_of_masks_is_recognized_by_its_unnamed_values() -> None:
    assert is_masked(ZIP)
    assert not is_masked(TOWN)
    assert not is_masked(AGES)
    found = asked(ZIP, "zip in (201, '31*')")
    assert (found.named, found.mask.tolist(), found.negated) == ({"201"}, [False, False, False, True], False)


@pytest.mark.parametrize("text", ["town == west", "grade > best", "age == old"])
def test_a_value_that_the_domain_does_not_have_is_refused_and_not_repeated(text: str) -> None:
    column = {"town": TOWN, "grade": GRADES, "age": AGES}[text.split()[0]]
    with pytest.raises(InputRejected) as caught:
        asked(column, text)
    assert text.split()[-1] not in str(caught.value).split()
    assert caught.value.values == (text.split()[-1],)
