from __future__ import annotations

import pandas as pd
import pyarrow as pa
import pyarrow.csv as arrow_csv
import pyarrow.parquet as parquet

from tasks.reading.ingest import ingest
from tests.unit.tasks.clinic import decoded


def test_parquet_with_types_categories_and_an_index_gives_the_same_table_as_csv(clinic):
    plain = ingest(clinic.load())
    frame = pd.read_csv(clinic.source, dtype={"zip": "str"}, keep_default_na=False, na_values={"income": [""]})
    frame["age"] = frame["age"].astype("int8")
    frame["region"] = frame["region"].astype("category")
    frame["admitted"] = pd.to_datetime(frame["admitted"])
    frame["diagnosis"] = frame["diagnosis"].str.split("|")
    path = clinic.folder / "clinic.parquet"
    frame.set_index(frame["age"] * 3 % 7, drop=True).to_parquet(path, index=False)
    found = ingest(clinic.load(), path)
    for name in plain.table.columns:
        assert decoded(found.table, name) == decoded(plain.table, name), name
    pd.testing.assert_frame_equal(found.frame_for_expectations, plain.frame_for_expectations)


def test_a_parquet_file_whose_pages_are_damaged_is_refused(clinic, refusal):
    table = arrow_csv.read_csv(clinic.source)
    parquet.write_table(table, clinic.folder / "torn.parquet", compression="zstd")
    content = bytearray((clinic.folder / "torn.parquet").read_bytes())
    content[4:600] = b"\xff" * 596
    (clinic.folder / "torn.parquet").write_bytes(bytes(content))
    assert "damaged" in refusal(lambda: ingest(clinic.load(), clinic.folder / "torn.parquet")).message


def test_parquet_cells_that_no_attribute_can_have_are_refused(clinic, refusal):
    table = arrow_csv.read_csv(clinic.source, convert_options=arrow_csv.ConvertOptions(column_types={"zip": pa.string()}))
    for cells in (pa.array([b"CANARY"] * 60), pa.array([{"CANARY": 1}] * 60), pa.array([12] * 60, type=pa.duration("s"))):
        spoiled = table.set_column(table.column_names.index("zip"), "zip", cells)
        parquet.write_table(spoiled, clinic.folder / "odd.parquet")
        assert "'zip'" in refusal(lambda: ingest(clinic.load(), clinic.folder / "odd.parquet")).message
