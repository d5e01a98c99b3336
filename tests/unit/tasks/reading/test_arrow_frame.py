from __future__ import annotations

from datetime import date

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from headgate.core.errors import Defect, InputRejected
from tasks.reading.arrow_frame import frame_of, plain_array, texts_of, trimmed_texts, unique_keys


def chunked(cells: list[object], kind: pa.DataType | None = None) -> pa.ChunkedArray:
    return pa.chunked_array([pa.array(cells, type=kind)])


@pytest.mark.parametrize(
    ("cells", "kind", "texts"),
    [
        (["a", "", None], pa.string(), ["a", None, None]),
        ([7.0, 0.5, None, float("nan")], pa.float64(), ["7", "0.5", None, None]),
        ([0.7], pa.float32(), ["0.7"]),
        ([7, None], pa.int64(), ["7", None]),
        ([date(2024, 1, 2)], pa.date32(), ["2024-01-02"]),
        (["a", "b", "a"], pa.dictionary(pa.int8(), pa.string()), ["a", "b", "a"]),
        (["a"], pa.large_string(), ["a"]),
        ([None], pa.null(), [None]),
    ],
)
def test_cells_of_every_type_are_the_text_that_another_format_would_hold(
    cells: list[object], kind: pa.DataType, texts: list[str | None]
) -> None:
    assert texts_of(chunked(cells, kind), "x", "t").to_pylist() == texts


def test_blanks_around_a_cell_do_not_count() -> None:
    assert trimmed_texts(chunked([" a ", "  ", "\u00a0b", None]), "x", "t").to_pylist() == ["a", None, "b", None]


def test_nested_cells_are_refused_by_their_outer_type_alone() -> None:
    for kind in (pa.struct([("CANARY", pa.int64())]), pa.list_(pa.float64()), pa.binary()):
        with pytest.raises(InputRejected) as refusal:
            frame_of(pa.table({"x": pa.array([None], type=kind)}), "t")
        assert "CANARY" not in refusal.value.message


def test_lists_of_words_are_sets_and_everything_else_keeps_its_cells() -> None:
    table = pa.table({"s": [["a", None, "b"], None], "n": [1.5, None], "w": [1, 2]})
    frame = frame_of(table, "t")
    assert frame["s"].tolist() == [("a", "b"), None]
    assert frame["n"].tolist()[0] == 1.5
    assert np.isnan(frame["n"].tolist()[1])
    assert frame["w"].tolist() == [1, 2]


@pytest.mark.parametrize("cells", [["p1", "p1 "], ["p1", None], ["p1", ""]])
def test_a_key_is_there_once_for_everybody(cells: list[str | None]) -> None:
    assert unique_keys(chunked(["p1", "p2"]), "id", "t").to_pylist() == ["p1", "p2"]
    with pytest.raises(InputRejected, match="'id'"):
        unique_keys(chunked(cells), "id", "t")


def test_a_published_column_is_built_anew_without_categories_index_or_mask() -> None:
    assert plain_array(pd.Series(["a", "", None], index=[9, 9, 9], dtype="object"), "x").to_pylist() == ["a", None, None]
    assert plain_array(pd.Series(["a", "b"], dtype="category"), "x").type == pa.string()
    assert plain_array(pd.array([1, None], dtype="Int64"), "x").to_pylist() == [1, None]
    assert plain_array(np.array([1.5, np.nan]), "x").to_pylist() == [1.5, None]
    assert plain_array([None, None], "x").type == pa.string()


@pytest.mark.parametrize("cells", [[True, False], [1, "a"], [b"bytes"], [{"a": 1}]])
def test_cells_that_no_published_column_has_are_a_defect(cells: list[object]) -> None:
    with pytest.raises(Defect, match="'x'"):
        plain_array(pd.Series(cells, dtype=None if cells[0] is True else object), "x")
