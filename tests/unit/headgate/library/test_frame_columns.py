"""Frames as the measures take them."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import headgate as hg
from headgate.core.errors import InputRejected

FRAME = pd.DataFrame({"age": [1, 1, 2, 2], "sex": ["f", "f", "m", None], "group": [7, 7, 7, 9], "ill": ["a", "b", "a", "a"]})


def test_rows_with_equal_quasi_identifiers_are_one_class_and_missing_is_a_value() -> None:
    (codes,) = hg.classes(FRAME, ["age", "sex"])
    assert len(np.unique(codes)) == 3
    assert codes[0] == codes[1]


def test_groups_by_number_stand_beside_those_by_values_only_where_each_has_one_combination() -> None:
    by_number = hg.classes(FRAME, ["age", "sex"], group="group")
    assert [codes.tolist() for codes in by_number] == [[0, 0, 0, 1]]
    published = FRAME.assign(age=1, sex="*")
    assert [codes.tolist() for codes in hg.classes(published, ["age", "sex"], group="group")] == [[0, 0, 0, 1], [0, 0, 0, 0]]


def test_a_table_has_the_roles_and_the_harmless_values_that_are_named() -> None:
    table = hg.table(FRAME, quasi=["age"], sensitive=["ill"], kinds={"age": "integer"}, nonsensitive={"ill": ["a"]})
    assert (table.quasi, table.sensitive) == (("age",), ("ill",))
    assert table["age"].kind is hg.Kind.INTEGER
    assert table["ill"].sensitive.tolist() == [False, True, True]


@pytest.mark.parametrize(
    ("call", "reason"),
    [
        (lambda: hg.encode(FRAME, "agee"), "Did you mean 'age'"),
        (lambda: hg.classes(FRAME, ["seks"]), "not in the table"),
        (lambda: hg.table(FRAME, quasi=["age"], kinds={"ill": "category"}), "neither a quasi-identifier nor sensitive"),
        (lambda: hg.table(FRAME, quasi=["age", "age"]), "named twice"),
        (lambda: hg.encode(FRAME, "age", kinds={"age": "vector"}), "one column, not a vector"),
    ],
)
def test_names_that_are_not_there_are_refused(call, reason: str) -> None:
    with pytest.raises(InputRejected, match=reason):
        call()
