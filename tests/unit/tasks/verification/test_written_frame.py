from __future__ import annotations

import csv
import io
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as parquet
import pytest

from headgate.core.errors import InputRejected, StoreUnavailable
from tasks.verification.written_frame import csv_text, parquet_bytes, require_new_file, write_reader_frame

SETS = pd.Series([("a|b", None), None], dtype=object)
FRAME = pd.DataFrame(
    {
        'a "b", c': pd.array(["x,y", None], dtype="str"),
        "whole": pd.array([1, None], dtype="Int64"),
        "day": pd.array(["2024-02-29", None], dtype="datetime64[s]"),
        "level": pd.Categorical(["low", None], categories=["low", "high"], ordered=True),
        "number": [0.5, None],
        "set": SETS,
    }
)


def test_text_holds_days_and_sets_in_a_form_that_every_program_reads() -> None:
    rows = list(csv.reader(io.StringIO(csv_text(FRAME))))
    assert rows == [list(FRAME.columns), ["x,y", "1", "2024-02-29", "low", "0.5", '["a|b", null]'], [""] * 6]


def test_parquet_keeps_types_and_nothing_else() -> None:
    table = parquet.read_table(pa.BufferReader(parquet_bytes(FRAME)))
    assert [str(field.type) for field in table.schema] == ["string", "int64", "date32[day]", "string", "double", "list<element: string>"]
    assert table.schema.metadata is None
    assert table.column("set").to_pylist() == [["a|b", None], None]


def test_a_file_that_is_there_is_never_written_over(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    require_new_file(path)
    write_reader_frame(FRAME, path)
    assert path.read_text() == csv_text(FRAME)
    with pytest.raises(InputRejected, match="exists already"):
        require_new_file(path)
    with pytest.raises(StoreUnavailable):
        write_reader_frame(FRAME, path)
    with pytest.raises(InputRejected, match="is not a folder"):
        require_new_file(tmp_path / "none" / "t.csv")
    with pytest.raises(InputRejected, match=r"neither a \.csv nor a \.parquet"):
        require_new_file(tmp_path / "t.sav")
