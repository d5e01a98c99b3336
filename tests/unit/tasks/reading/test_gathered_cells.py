"""What is gathered part by part holds the same cells as the whole, in less room, and is encoded alike."""

from __future__ import annotations

import io
from collections.abc import Sequence

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as parquet
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import tasks.reading.gathered_cells as room
from headgate.core.columns import Column, Kind, Role
from headgate.core.encode import ColumnSpec, encode_column
from headgate.core.errors import CellsRejected, InputRejected
from tasks.formats.cell_texts import ALL, SOME, table_of_texts, text_column, typed_in
from tasks.reading.arrow_frame import coded_frame, frame_of
from tasks.reading.gathered_cells import Gathering, gathered
from tasks.reading.ingest import ingest
from tasks.reading.source import Source
from tasks.reading.source_parquet import open_parquet_bytes

CELLS = {
    pa.string(): st.sampled_from([None, "", "a", "b ", "c", "7", "7.0", "0.5", "x1", "x2", "x3", "x4"]),
    pa.int64(): st.none() | st.integers(-(2**53), 2**53) | st.integers(-3, 3),
    pa.float64(): st.none() | st.sampled_from([0.0, -0.0, 0.1, 7.0, -1e300]) | st.floats(allow_nan=True, allow_infinity=False),
    pa.bool_(): st.none() | st.booleans(),
    pa.list_(pa.string()): st.none() | st.lists(st.sampled_from(["a", "b"]), max_size=2),
}
KINDS = {pa.string(): Kind.CATEGORY, pa.int64(): Kind.INTEGER, pa.float64(): Kind.NUMBER}


def source_of(table: pa.Table, at_once: int) -> Source:
    def read(names: Sequence[str]) -> list[pa.Table]:
        return [table.select(list(names)).slice(start, at_once) for start in range(0, table.num_rows, at_once)]

    return Source("The table", tuple(table.column_names), "", read)


def encoded(frame: pd.DataFrame, kind: Kind) -> Column | str:
    try:
        return encode_column(frame["x"], ColumnSpec("x", kind, Role.SENSITIVE))
    except InputRejected as refusal:
        return f"{refusal} {getattr(refusal, 'rows', ())} {getattr(refusal, 'cells', ())}"


@pytest.mark.parametrize("kind", CELLS)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data(), at_once=st.integers(1, 6), many=st.integers(1, 6), in_dictionary=st.booleans())
def test_parts_of_any_size_hold_the_same_cells_and_give_the_same_codes(
    monkeypatch: pytest.MonkeyPatch, kind: pa.DataType, data: st.DataObject, at_once: int, many: int, in_dictionary: bool
) -> None:
    monkeypatch.setattr(room, "MANY", many)
    cells = pa.array(data.draw(st.lists(CELLS[kind], min_size=1, max_size=14)), kind, from_pandas=False)
    whole = pa.table({"x": cells.dictionary_encode() if in_dictionary and kind == pa.string() else cells})
    found = gathered(source_of(whole, at_once), ["x"])
    said = [None if cell == "" else cell for cell in cells.to_pylist()]
    assert [repr(cell or None if isinstance(cell, str) else cell) for cell in found.column("x").to_pylist()] == [
        repr(cell) for cell in said
    ]
    if kind not in KINDS:
        return
    old, new = (encoded(frame, KINDS[kind]) for frame in (frame_of(whole, "t"), coded_frame(found, "t")))
    if isinstance(old, str) or isinstance(new, str):
        assert new == old
    else:
        assert new.codes.tolist() == old.codes.tolist()
        assert [repr(value) for value in new.values] == [repr(value) for value in old.values]
        assert (new.codes.dtype, new.values.dtype, new.domain) == (old.codes.dtype, old.values.dtype, old.domain)


@pytest.mark.parametrize("at_once", [1, 7, 100])
def test_numbers_that_are_texts_are_held_by_value_where_they_are_many(monkeypatch: pytest.MonkeyPatch, at_once: int) -> None:
    monkeypatch.setattr(room, "MANY", 5)
    texts = [None, "", *(f"{row}.50" for row in range(20)), "0.5", "1e3", "-7"]
    found = gathered(source_of(pa.table({"x": texts}), at_once), ["x"], ["x"])
    assert found.column("x").type == pa.float64()
    assert found.column("x").to_pylist() == [None, None, *(row + 0.5 for row in range(20)), 0.5, 1000.0, -7.0]


@pytest.mark.parametrize("odd", ["few", " 5", "nan", "inf", "9007199254740993", "1,5", "-0"])
@pytest.mark.parametrize("last", [True, False])
def test_where_one_text_is_no_plain_number_all_of_them_stay_texts(monkeypatch: pytest.MonkeyPatch, odd: str, last: bool) -> None:
    """The refusal of that cell needs it as it is written."""
    monkeypatch.setattr(room, "MANY", 5)
    texts = [str(row) for row in range(20)]
    texts.insert(20 if last else 0, odd)
    found = gathered(source_of(pa.table({"x": texts}), 3), ["x"], ["x"])
    assert found.column("x").to_pylist() == texts


def test_whole_numbers_take_no_more_room_than_they_need() -> None:
    table = pa.table(
        {"age": [30, None, 99, 7], "income": [1, 2, 3, 70_000], "most": [0, 1, 2, 2**60], "none": pa.array([None] * 4, pa.int64())}
    )
    found = gathered(source_of(table, 2), table.column_names)
    assert [field.type for field in found.schema] == [pa.int8(), pa.int32(), pa.int64(), pa.int8()]
    beyond = pa.array([2**63 + 5, 1], pa.uint64())
    assert gathered(source_of(pa.table({"x": beyond}), 1), ["x"]).column("x").to_pylist() == [2**63 + 5, 1]


def test_a_column_says_which_of_its_cells_had_types_in_whichever_parts() -> None:
    columns = {
        "numbers": text_column([1.125, None], ["1.125", None]),
        "texts": text_column(["1,125", None], ["1,125", None]),
        "nothing": text_column([None, None], [None, None]),
    }

    def told(*parts: str) -> bytes:
        gathering = Gathering("The table")
        for part in parts:
            gathering.add(table_of_texts({"x": columns[part]}))
        return typed_in(gathering.table(), "x")

    assert (told("numbers", "nothing"), told("texts", "nothing"), told("nothing")) == (ALL, b"", b"")
    assert told("numbers", "texts") == told("texts", "nothing", "numbers") == SOME


def test_a_dictionary_that_does_not_fit_is_refused_with_its_column_and_what_helps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(room, "MANY", 10)
    monkeypatch.setenv("HEADGATE_MAX_DICTIONARY_BYTES", "5000")
    table = pa.table({"note": [f"CANARY {row % 60}" for row in range(600)], "few": ["a", "b"] * 300})
    with pytest.raises(InputRejected, match="The different texts of column 'note' of the table take more than 5,000 bytes") as refusal:
        gathered(source_of(table, 200), table.column_names)
    assert "CANARY" not in str(refusal.value)
    assert "role: identifier or dropped" in refusal.value.cure
    assert "limits.dictionary_bytes in operator.yaml" in refusal.value.cure
    assert gathered(source_of(table, 200), ["few"]).num_rows == 600


def test_columns_of_which_nearly_every_cell_differs_are_bounded_when_they_are_encoded(clinic, monkeypatch, refusal, write_csv) -> None:
    """An identifier may differ in every row; a published column may too, as far as its dictionary fits."""
    monkeypatch.setattr(room, "MANY", 10)
    clinic.policy["attributes"]["notes"] = {"role": "insensitive", "kind": "category"}
    for row in clinic.rows:
        row |= {"zip": "1", "admitted": "2024-01-01", "age": "30"}
    clinic.write_source(write_csv(clinic.rows).encode())
    assert ingest(clinic.load()).rows == 60
    monkeypatch.setenv("HEADGATE_MAX_DICTIONARY_BYTES", "4000")
    assert "different texts of column 'notes'" in refusal(lambda: ingest(clinic.load())).message


@pytest.mark.parametrize("wrong", ["61", "6100"])
def test_a_refused_number_is_shown_as_the_file_writes_it_though_its_text_was_not_kept(clinic, monkeypatch, write_csv, wrong: str) -> None:
    monkeypatch.setattr(room, "MANY", 5)
    clinic.policy["attributes"]["income"]["domain"] = [0, 60]
    for place, row in enumerate(clinic.rows):
        row["income"] = f"{place}.500"
    clinic.rows[40]["income"] = f"{wrong}.00"
    clinic.write_source(write_csv(clinic.rows).encode())
    with pytest.raises(CellsRejected) as refused:
        ingest(clinic.load())
    assert (refused.value.numbers, refused.value.cells) == ((42,), (f"{wrong}.00",))


def test_a_million_numbers_and_texts_are_gathered_in_little_more_than_their_own_room() -> None:
    rows = 1_000_000
    rng = np.random.default_rng(3)
    table = pa.table({"age": rng.integers(0, 90, rows), "sex": rng.choice(["female", "male"], rows), "wage": rng.random(rows)})
    sink = io.BytesIO()
    parquet.write_table(table, sink, row_group_size=250_000)
    found = gathered(open_parquet_bytes(sink.getvalue(), "The table"), table.column_names)
    assert found.nbytes < rows * (1 + 1 + 8) * 1.2
    assert found.column("sex").cast(pa.string()).to_pylist() == table.column("sex").to_pylist()
