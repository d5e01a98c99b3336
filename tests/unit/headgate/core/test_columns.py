"""Columns and tables: what a row, a part and a role are."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from headgate.core.columns import Kind, Role, check_quasi
from headgate.core.encode import ColumnSpec, encode_column, encode_table
from headgate.core.errors import InputRejected


def test_counts_of_values_end_with_the_missing_and_follow_the_rows_taken() -> None:
    column = encode_column(pd.Series(["b", None, "a", "b"], dtype=object), ColumnSpec("eye", Kind.CATEGORY, Role.QUASI))
    assert column.counts().tolist() == [1, 2, 1]
    assert column.take(np.array([1, 1, 2])).counts().tolist() == [1, 0, 2]


def test_a_vector_takes_several_columns_of_a_file_and_all_else_its_own() -> None:
    frame = pd.DataFrame({"p": [0.5, 1.0], "q": [0.5, 0.0]})
    vector = ColumnSpec("mix", Kind.VECTOR, Role.SENSITIVE, components=("p", "q"))
    assert encode_column(frame, vector).parts == ("p", "q")
    assert encode_column(frame, ColumnSpec("mix", Kind.VECTOR, Role.SENSITIVE)).parts == ("mix_1", "mix_2")
    assert encode_column(frame["p"], ColumnSpec("p", Kind.NUMBER, Role.SENSITIVE)).parts == ("p",)


def test_codes_of_a_table_are_rows_times_columns_also_where_there_are_none() -> None:
    table = encode_table(pd.DataFrame({"a": [1, 2, 1]}), {"a": ColumnSpec("a", Kind.INTEGER, Role.QUASI)})
    assert table.codes(["a"]).tolist() == [[0], [1], [0]]
    assert table.codes([]).shape == (3, 0)
    assert table.take(np.array([1])).rows == 1


def test_a_set_is_no_quasi_identifier() -> None:
    with pytest.raises(InputRejected, match="cannot be a quasi-identifier"):
        check_quasi(encode_column(pd.Series(["a|b"]), ColumnSpec("ills", Kind.SET, Role.SENSITIVE)))


def test_a_table_of_some_columns_keeps_their_roles_and_knows_no_others() -> None:
    roles = {"age": Role.QUASI, "sex": Role.QUASI, "job": Role.SENSITIVE, "ill": Role.SENSITIVE, "note": Role.INSENSITIVE}
    specs = {name: ColumnSpec(name, Kind.CATEGORY, role) for name, role in roles.items()}
    table = replace(encode_table(pd.DataFrame({name: ["a", "b"] for name in roles}), specs), weight="note", household="home")
    own = table.only(["age", "ill"])
    assert (tuple(own.columns), own.quasi, own.sensitive, own.insensitive) == (("age", "ill"), ("age",), ("ill",), ())
    assert (own.weight, own.household, own.rows) == (None, None, 2)
    assert table.only(["note"]).weight == "note"
