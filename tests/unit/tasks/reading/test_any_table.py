"""A table that nobody has described yet: its rows."""

from __future__ import annotations

import gzip

import numpy as np
import pandas as pd
import pytest

from headgate.core.errors import InputRejected
from tasks.reading.any_table import open_any, read_any_table


def test_a_table_to_check_has_numbers_where_all_cells_are_numbers_and_texts_elsewhere(frame, tmp_path):
    frame["gap"] = [None, *range(39)]
    frame.to_csv(tmp_path / "t.csv", index=False)
    read = read_any_table(tmp_path / "t.csv", list(frame.columns))
    kinds = {name: "number" if pd.api.types.is_numeric_dtype(dtype) else "text" for name, dtype in read.dtypes.items()}
    assert kinds == {name: "number" if name in ("age", "score", "gap") else "text" for name in frame.columns}
    assert read["age"].tolist() == frame["age"].tolist()
    assert read["zip"].tolist() == frame["zip"].tolist()
    assert read["gap"].isna().sum() == 1
    frame.to_parquet(tmp_path / "t.parquet")
    typed = read_any_table(tmp_path / "t.parquet", ["age", "sex"])
    assert typed["age"].tolist() == frame["age"].tolist()
    assert typed["sex"].isna().sum() == 10
    with pytest.raises(InputRejected, match="'agee' is not in the table. Did you mean 'age'"):
        read_any_table(tmp_path / "t.parquet", ["agee"])


def test_a_table_that_cannot_be_read_is_refused_without_a_value(tmp_path, refusal):
    assert "does not exist" in refusal(lambda: read_any_table(tmp_path / "none.csv", ["a"])).message
    (tmp_path / "t.csv").write_text('a,b\n"CANARY,2\n')
    assert "quotation" in refusal(lambda: read_any_table(tmp_path / "t.csv", ["a"])).message
    (tmp_path / "t.parquet").write_text("a,b\nCANARY,2\n")
    assert "Parquet" in refusal(lambda: read_any_table(tmp_path / "t.parquet", ["a"])).message
    (tmp_path / "t.gz").write_bytes(gzip.compress(b"a,b\n1,2\n")[:-4])
    assert "cut short" in refusal(lambda: read_any_table(tmp_path / "t.gz", ["a"])).message


def test_regression_numbers_of_nineteen_digits_are_codes(tmp_path):
    """Read as floats, two people with neighbouring numbers were one: k was 2 where it is 1."""
    codes = ["1152921504606846976", "1152921504606846977", "1152921504606846976"]
    pd.DataFrame({"code": codes, "edge": ["9007199254740992", "9007199254740991", "0"]}).to_csv(tmp_path / "t.csv", index=False)
    read = read_any_table(tmp_path / "t.csv", ["code", "edge"])
    assert read["code"].tolist() == codes
    assert read["edge"].tolist() == [2**53, 2**53 - 1, 0]


def test_narrow_floats_of_parquet_are_the_decimals_that_were_written(tmp_path):
    pd.DataFrame({"share": np.array([0.7, 0.8, np.nan], dtype=np.float32)}).to_parquet(tmp_path / "t.parquet")
    assert read_any_table(tmp_path / "t.parquet", ["share"])["share"].tolist()[:2] == [0.7, 0.8]


@pytest.mark.parametrize(
    "content", [b"%PDF-1.7\nabc,def\n", b"\x89PNG\r\n\x1a\n" + b"a" * 99, bytes(range(256)) * 4, b"\x7fELF" + b"\x00" * 99]
)
def test_what_is_not_text_is_said_to_be_no_table(content: bytes, tmp_path) -> None:
    """A picture was "not cp1252: line 3 cannot be decoded", and a document had columns."""
    (tmp_path / "t.csv").write_bytes(content)
    with pytest.raises(InputRejected, match="is not a table: it is not text") as refused:
        open_any(tmp_path / "t.csv")
    assert "Name a CSV, Parquet" in refused.value.cure
