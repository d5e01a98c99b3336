from __future__ import annotations

import datetime
import shutil
from pathlib import Path
from typing import Any

import openpyxl
import pytest

from headgate.core.errors import InputRejected
from policies.drafting.policy_draft import draft_policy
from tasks.profiling.profile_table import profile_table
from tasks.reading.any_table import read_any_table
from tasks.reading.ingest import ingest
from tasks.reading.source_excel import READER
from tests.unit.tasks.clinic import decoded


def typed(name: str, text: str) -> Any:
    """As somebody types it into a sheet."""
    if text == "":
        return None
    return {"age": float, "income": float, "admitted": datetime.date.fromisoformat}.get(name, str)(text)


def write_clinic(clinic, above: int = 0) -> Path:
    book = openpyxl.Workbook()
    cover = book.active
    sheet = book.create_sheet("Visits")
    for line in range(above):
        sheet.append([f"Printed by CANARY {line}"])
    if above:
        sheet.merge_cells("A1:D1")
    sheet.append(list(clinic.rows[0]))
    for row in clinic.rows:
        sheet.append([typed(name, text) for name, text in row.items()])
    path = clinic.folder / "clinic.xlsx"
    assert cover is not None
    book.save(path)
    return path


def test_a_sheet_gives_the_same_table_as_a_csv_of_it(clinic) -> None:
    """Numbers without a needless fraction, days in ISO form, 007 as text, an empty cell as missing; an empty sheet beside plays no part."""
    plain = ingest(clinic.load())
    path = write_clinic(clinic, above=2)
    clinic.policy["source"] = {"kind": "excel", "path": path.name, "header": 3}
    declared = ingest(clinic.load())
    in_its_place = ingest(clinic.load(), shutil.copy(path, clinic.folder / "other.xlsx"))
    clinic.policy["source"]["sheet"] = "Visits"
    named = ingest(clinic.load())
    for name in plain.table.columns:
        for found in (declared, in_its_place, named):
            assert decoded(found.table, name) == decoded(plain.table, name), name


def test_cells_are_texts_as_a_csv_has_them() -> None:
    source = READER.open_recognized(content_of([["t", True, 3.0, 0.1, datetime.datetime(2024, 1, 2, 3, 4)]]), "t.xlsx", "The table")
    assert source is not None
    assert source.names == ("A", "B", "C", "D", "E")
    assert source.read(source.names).to_pylist() == [{"A": "t", "B": "TRUE", "C": "3", "D": "0.1", "E": "2024-01-02T03:04:00"}]


def content_of(rows: list[list[Any]], header: list[Any] | None = None, merged: str = "", sheets: int = 1) -> bytes:
    import io

    book = openpyxl.Workbook()
    for place in range(sheets):
        sheet = book.active if place == 0 else book.create_sheet(f"CANARY {place}")
        assert sheet is not None
        for row in [header or list("ABCDE"[: len(rows[0])]), *rows]:
            sheet.append(row)
        if merged:
            sheet.merge_cells(merged)
    made = io.BytesIO()
    book.save(made)
    return made.getvalue()


@pytest.mark.parametrize(
    ("content", "said", "cure"),
    [
        (content_of([["a", "b"]], merged="A2:A3"), "The source clinic.csv has 1 range of merged cells (line 2)", "Unmerge"),
        (content_of([["a", "b"]], header=["x", None]), "Column B of the source clinic.csv has cells, but no name in line 1", "header: 3"),
        (content_of([["a", "b"]], header=["x", "x"]), "Columns 1 and 2 of the source clinic.csv have the same name", "Rename"),
        (content_of([["a"]], header=[None, None]), "Line 1 of sheet 'Sheet' of the source clinic.csv is blank", "header: 3"),
        (content_of([["=1+1"]]), "a formula without a stored value (the first is in line 2)", "save it there"),
        (content_of([["a"]], sheets=2), "has 2 sheets with something in them", "Declare `sheet:` as one of 'Sheet', 'CANARY 1'."),
        (b"id,age\n1,2\n", "is not an Excel file", "kind: csv"),
        (b"PAR1", "is a Parquet file", "kind: parquet"),
    ],
)
def test_a_sheet_that_cannot_be_read_as_a_table_is_refused_with_its_cure(clinic, content: bytes, said: str, cure: str) -> None:
    clinic.write_source(content)
    clinic.policy["source"] = {"kind": "excel", "path": "clinic.csv"}
    with pytest.raises(InputRejected) as refusal:
        ingest(clinic.load())
    assert said in refusal.value.message
    assert cure in refusal.value.cure


def test_a_sheet_that_is_not_there_is_refused_with_those_that_are(clinic) -> None:
    write_clinic(clinic)
    clinic.policy["source"] = {"kind": "excel", "path": "clinic.xlsx", "sheet": "visits"}
    with pytest.raises(InputRejected, match="has no visible sheet 'visits'") as refusal:
        ingest(clinic.load())
    assert refusal.value.cure == "It has: 'Visits'."


def test_an_excel_file_that_is_declared_as_csv_names_its_kind(clinic, refusal) -> None:
    """It used to end as a line that cannot be decoded."""
    clinic.policy["source"]["path"] = write_clinic(clinic).name
    problem = refusal(lambda: ingest(clinic.load()))
    assert (problem.message, problem.cure) == ("The source clinic.xlsx is an Excel file.", "Use kind: excel.")


def test_it_is_recognized_by_init_check_and_source(clinic) -> None:
    path = write_clinic(clinic)
    profile = profile_table(path, clinic.folder)
    assert (profile.kind, [column.dtype for column in profile.columns if column.name == "admitted"]) == ("excel", ["date"])
    assert "source: {kind: excel, path: clinic.xlsx}" in draft_policy(profile)
    assert read_any_table(path, ["age"])["age"].tolist() == [int(row["age"]) for row in clinic.rows]
    assert ingest(clinic.load(), path).table.rows == 60
    book = openpyxl.load_workbook(path)
    book.create_sheet("More").append(["x"])
    book.save(path)
    assert "source: {kind: excel, path: clinic.xlsx, sheet: Visits}" in draft_policy(profile_table(path, clinic.folder))


def test_a_code_list_may_be_a_sheet(clinic) -> None:
    (clinic.folder / "codes.xlsx").write_bytes(content_of([["asthma"], ["flu"], ["none"], ["stroke"]]))
    del clinic.policy["attributes"]["diagnosis"]["values"]
    clinic.policy["attributes"]["diagnosis"]["values_from"] = {"path": "codes.xlsx", "key": "A"}
    assert clinic.load().references.codes["diagnosis"] == ("asthma", "flu", "none", "stroke")
