"""A file for SPSS or Stata holds the cells, names and labels that it should, and nothing else."""

from __future__ import annotations

import json
from typing import Any

import pyarrow as pa
import pytest

from headgate.core.errors import IntegrityBroken
from tasks.formats.variables import variables_of
from tasks.formats.write_labelled import labelled_bytes
from tasks.stores.files import Stored
from tasks.verification.labelled_tables import check_labelled

FIELDS: list[dict[str, Any]] = [
    {"name": "age", "description": "Generalized.", "type": "string", "role": "quasi"},
    {"name": "ill=flu", "description": "1 or 0.", "type": "integer", "role": "sensitive", "variable": "ill_flu"},
]
CELLS = pa.table({"age": ["[20..29]", "*"], "ill=flu": ["1", None]})
PATHS = {"spss": "tables/t.sav", "stata": "tables/t.dta"}


def files_of(cells: pa.Table = CELLS, fields: list[dict[str, Any]] = FIELDS, said: list[dict[str, Any]] = FIELDS) -> dict[str, Stored]:
    """`fields` are those of the files, `said` those of the data dictionary."""
    package = {"title": "T", "resources": [{"path": path, "schema": {"fields": said}} for path in PATHS.values()]}
    content = {path: labelled_bytes(form, cells, variables_of(fields), "T") for form, path in PATHS.items()}
    content["datapackage.json"] = json.dumps(package).encode()
    return {path: Stored(path, each) for path, each in content.items()}


def test_files_of_the_same_cells_hold() -> None:
    check_labelled("t", CELLS, files_of())
    check_labelled("t", CELLS, {})


@pytest.mark.parametrize("form", PATHS)
def test_bytes_that_no_reader_shows_are_found(form: str) -> None:
    """The moment of writing could hold a code of the row that came first, and bytes behind the cells anything."""
    files = files_of()
    for change in (b"01 Jan 1971 00:00", b"01 Jan 7100:00:00"):
        content = files[PATHS[form]].content.replace(b"01 Jan 1970 00:00", change).replace(b"01 Jan 7000:00:00", change)
        with pytest.raises(IntegrityBroken, match=f"{PATHS[form]} is not what headgate writes"):
            check_labelled("t", CELLS, files | {PATHS[form]: Stored(PATHS[form], content)})
    longer = Stored(PATHS[form], files[PATHS[form]].content + b"\0")
    with pytest.raises(IntegrityBroken, match="is not what headgate writes"):
        check_labelled("t", CELLS, files | {PATHS[form]: longer})


def test_other_cells_and_other_labels_are_found() -> None:
    for files in (
        files_of(cells=pa.table({"age": ["[20..29]", "35"], "ill=flu": ["1", None]})),
        files_of(fields=[{**FIELDS[0], "description": "Anna lives in row 2."}, FIELDS[1]]),
    ):
        with pytest.raises(IntegrityBroken, match=r"tables/t\.sav is not what headgate writes of the cells of t"):
            check_labelled("t", CELLS, files)


@pytest.mark.parametrize(
    "fields",
    [
        pytest.param([FIELDS[0]], id="a column less"),
        pytest.param(FIELDS[::-1], id="another order"),
        pytest.param([{**FIELDS[0], "variable": "ill_flu"}, {**FIELDS[1], "variable": "age"}], id="exchanged names"),
        pytest.param([*FIELDS, *({**FIELDS[1], "variable": f"v{number}"} for number in range(3))], id="copies"),
    ],
)
def test_all_columns_have_the_names_that_headgate_gives_them(fields: list[dict[str, Any]]) -> None:
    """Where the data dictionary said the same, a column could be left out or pass for another, and thousands of copies took the memory of
    whoever verified a stranger's folder."""
    with pytest.raises(IntegrityBroken, match=r"tables/t\.sav has other columns than t, or other names for them"):
        check_labelled("t", CELLS, files_of(fields=fields, said=fields))


@pytest.mark.parametrize("package", [b"", b"[]", b'{"resources": []}', b'{"title": "T", "resources": [{"path": "tables/t.sav"}]}'])
def test_a_file_that_the_data_dictionary_does_not_describe_is_refused(package: bytes) -> None:
    with pytest.raises(IntegrityBroken, match="does not describe"):
        check_labelled("t", CELLS, files_of() | {"datapackage.json": Stored("datapackage.json", package)})
