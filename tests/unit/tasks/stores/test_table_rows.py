from __future__ import annotations

import io
import json

import pandas as pd
import pytest

from tasks.stores.table_rows import published_tables

DICTIONARY = json.dumps(
    {
        "resources": [
            {
                "path": f"tables/table-1.{form}",
                "schema": {
                    "fields": [
                        {"name": "age", "type": "string"},
                        {"name": "income", "type": "number"},
                        {"name": "day", "type": "date"},
                        {"name": "group", "type": "integer"},
                    ]
                },
            }
            for form in ("csv", "parquet")
        ]
    }
).encode()
CSV = b'age,income,day,group\n"[20..29]",250.5,2024-02-29,7\n,,,7\n"a ""b"",\nc",100,2024-03-01,8\n'
ROWS = [["[20..29]", "250.5", "2024-02-29", "7"], [None, None, None, "7"], ['a "b",\nc', "100", "2024-03-01", "8"]]


def parquet_of(frame: pd.DataFrame) -> bytes:
    stream = io.BytesIO()
    frame.to_parquet(stream)
    return stream.getvalue()


def test_a_csv_gives_its_cells_and_the_dictionary_their_types() -> None:
    (table,) = published_tables({"datapackage.json": DICTIONARY, "tables/table-1.csv": CSV})
    assert (table.name, table.columns) == ("table-1", ("age", "income", "day", "group"))
    assert table.types == ("text", "double precision", "date", "bigint")
    assert list(table.rows()) == ROWS
    assert list(table.rows()) == ROWS


def test_without_a_dictionary_everything_is_text() -> None:
    (table,) = published_tables({"tables/table-1.csv": CSV})
    assert set(table.types) == {"text"}


def test_parquet_serves_where_no_csv_was_published_and_says_the_same() -> None:
    frame = pd.DataFrame({"age": ["[20..29]", None], "income": [250.5, None], "day": ["2024-02-29", None], "group": [7.0, 7.0]})
    content = parquet_of(frame)
    (table,) = published_tables({"datapackage.json": DICTIONARY, "tables/table-1.parquet": content})
    assert table.types == ("text", "double precision", "date", "bigint")
    assert [tuple(row) for row in table.rows()] == [("[20..29]", 250.5, "2024-02-29", 7), (None, None, None, 7)]
    both = published_tables({"tables/table-1.parquet": content, "tables/table-1.csv": CSV, "tables/table-2.parquet": content})
    assert [(one.name, one.format) for one in both] == [("table-1", "csv"), ("table-2", "parquet")]


def test_only_tables_are_tables() -> None:
    assert published_tables({"report.html": b"", "tables/notes.txt": b"", "deep/tables/t.csv": b"a\n1\n", "t.csv": b"a\n1\n"}) == ()


@pytest.mark.parametrize(
    ("name", "column"), [("é" * 40, "é" * 30 + "~1"), ("ctid", "ctid~1"), ("x" * 63, "x" * 63), ("x" * 64, "x" * 61 + "~1")]
)
def test_a_name_that_the_database_does_not_take_ends_with_its_place(name: str, column: str) -> None:
    (table,) = published_tables({"tables/t.csv": f"{name},b\n1,2\n".encode()})
    assert table.columns == (column, "b")
    assert len(column.encode()) <= 63


def test_parts_are_the_rows_of_one_table_in_their_order() -> None:
    paths = [f"tables/table-1/part-{part:05}.csv" for part in range(11)]
    dictionary = json.dumps({"resources": [{"path": paths, "schema": {"fields": [{"name": "n", "type": "integer"}]}}]}).encode()
    files = {path: f"n\n{number}\n".encode() for number, path in enumerate(paths)}
    (table,) = published_tables({"datapackage.json": dictionary, **dict(reversed(files.items()))})
    assert (table.name, table.types, list(table.rows())) == ("table-1", ("bigint",), [[str(number)] for number in range(11)])
    frames = [pd.DataFrame({"n": [number, None]}, dtype="float64") for number in range(2)]
    (typed,) = published_tables({f"tables/t/part-0000{part}.parquet": parquet_of(frame) for part, frame in enumerate(frames)})
    assert [tuple(row) for row in typed.rows()] == [(0,), (None,), (1,), (None,)]
