"""`headgate read`: what a folder holds, and its tables with typed cells."""

from __future__ import annotations

import csv
import io
import shutil
from pathlib import Path
from typing import Any

import pyarrow.parquet as parquet
import pytest


def test_a_published_folder_is_shown_and_its_tables_are_given_with_typed_cells(run: Any, world: Any) -> None:
    folder = world.published().folder
    shown = run("read", folder)
    assert shown.code == 0, shown.err
    assert "table-1: 60 rows; generalized: age, sex; as in the source, or rounded: job, visit" in shown.out
    document = run("read", folder, "--json").json
    assert document["tables"][1] == {
        "name": "table-2",
        "rows": 60,
        "quasi": ["age", "sex"],
        "sensitive": ["income"],
        "insensitive": [],
        "parts": {"age": {"low": "age low", "high": "age high"}, "sex": {"values": "sex values"}},
    }
    rows = list(csv.DictReader(io.StringIO(run("read", folder, "--table", "table-2").out)))
    assert list(rows[0]) == ["age", "age low", "age high", "sex", "sex values", "income", "group"]
    assert len(rows) == 60
    assert all(row["age"] in (f"[{row['age low']}..{row['age high']}]", row["age low"]) for row in rows)


def test_a_table_is_written_to_a_new_file_only(run: Any, world: Any, tmp_path: Path) -> None:
    folder, output = world.published().folder, tmp_path / "out.parquet"
    several = run("read", folder, "-o", output)
    assert (several.code, "Add --table: table-1, table-2." in several.err) == (2, True)
    assert run("read", folder, "--table", "table-1", "-o", output).code == 0
    written = parquet.read_table(output)
    assert written.column_names == ["age", "age low", "age high", "sex", "sex values", "job", "visit", "group"]
    assert str(written.schema.field("sex values").type).startswith("list<")
    assert written.schema.metadata is None
    again = run("read", folder, "--table", "table-1", "-o", output)
    assert (again.code, "exists already" in again.err) == (2, True)
    assert run("read", folder, "--table", "table-1", "-o", tmp_path / "out.xlsx").code == 2


@pytest.mark.parametrize("command", [("read",), ("estimate", "count")])
def test_a_changed_folder_is_not_read(run: Any, world: Any, tmp_path: Path, command: tuple[str, ...]) -> None:
    folder = tmp_path / "copy"
    shutil.copytree(world.published().folder, folder)
    table = folder / "tables" / "table-2.csv"
    table.chmod(0o644)
    table.write_bytes(table.read_bytes().replace(b"400", b"401", 1))
    assert run(command[0], folder, *command[1:]).code == 5
    table.unlink()
    table.symlink_to(folder / "tables" / "table-1.csv")
    assert run(command[0], folder, *command[1:]).code == 5
    assert run(command[0], tmp_path, *command[1:]).code == 2
