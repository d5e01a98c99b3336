"""The source's cells as the policy says that they are written; and refusals that name lines of the file, and no cell."""

from __future__ import annotations

import pickle
from datetime import date
from typing import Any

import numpy as np
import openpyxl
import pyarrow as pa
import pyarrow.parquet as parquet
import pytest

from headgate.core.errors import CellsRejected, InputRejected
from tasks.expectations.inbound import derived_suite, expect_inbound
from tasks.reading.ingest import ingest
from tests.unit.tasks.clinic import decoded

FORMS = ("%d.%m.%Y", "%Y-%m-%d", "%m/%d/%Y")
CODES = {"1": "female", "2": "male", "9": None}
DISTRICTS = "PLZ;Kreis\n000;north\n001;north\n002;south\n003;south\n004;south\n005;south\n006;west\n"


@pytest.fixture
def export(clinic, write_csv):
    """The clinic as a hospital's program exports it, and the cells that headgate must see, worked out from the rows that it was made of."""
    seen: dict[str, list[Any]] = {name: [] for name in ("age", "sex", "income", "admitted", "diagnosis", "district", "zip")}
    for place, row in enumerate(clinic.rows):
        years, income, day = int(row["age"]), row["income"], date.fromisoformat(row["admitted"])
        seen["age"].append("20 to 39" if years < 40 else "40 to 110")
        seen["sex"].append(None if place % 11 == 0 else row["sex"])
        seen["income"].append(float(income) if income else None)
        seen["admitted"].append(str(day))
        seen["diagnosis"].append(() if place % 4 == 2 else tuple(sorted(row["diagnosis"].split("|"))))
        seen["district"].append({"0": "north", "1": "north", "6": "west"}.get(row["zip"][-1], "south"))
        row["birth"] = f"{date(2024 - years, 12, 31 - place % 3):%d.%m.%Y}"
        del row["age"]
        row["sex"] = "9" if place % 11 == 0 else {"female": "1", "male": " 2"}[row["sex"]]
        whole, _, fraction = f"{float(income or 0):,.1f}".partition(".")
        row["income"] = f"{whole.replace(',', '.')},{fraction} EUR" if income else ("", "n/a")[place % 2]
        row["admitted"] = day.strftime(FORMS[place % 3] if day.day > 12 else FORMS[0])
        row["diagnosis"] = "" if place % 4 == 2 else row["diagnosis"].replace("|", ", ")
    attributes = clinic.policy["attributes"]
    attributes["birth"] = {"role": "dropped", "date": "%d.%m.%Y"}
    attributes["age"] = {"role": "quasi", "kind": "ordinal", "age": {"from": "birth", "at": "2024-12-31"}, "bands": [20, 40, 110]}
    attributes["sex"] = {"role": "quasi", "kind": "category", "map": CODES}
    attributes["income"] |= {"decimal": ",", "thousands": ".", "unit": "EUR", "map": {"n/a": None}, "unmapped": "keep"}
    attributes["admitted"]["date"] = list(FORMS)
    attributes["diagnosis"] |= {"separator": ",", "empty": "none"}
    attributes["zip"] = {"role": "dropped"}
    table = {"from": "zip", "path": "districts.csv", "key": "PLZ", "value": "Kreis", "separator": ";"}
    attributes["district"] = {"role": "quasi", "kind": "category", "region": table}
    (clinic.folder / "districts.csv").write_text(DISTRICTS, encoding="utf-8")
    clinic.policy["source"] |= {"separator": ";", "encoding": "latin-1"}
    clinic.seen = seen
    clinic.save = lambda: clinic.write_source(write_csv(clinic.rows, ";").encode("latin-1"))
    clinic.save()
    return clinic


def test_an_export_is_read_as_the_policy_says_that_it_is_written(export):
    """Decimal commas, units, three orders of dates, codes, empty sets, a birth date and postal codes used to need Python first."""
    loaded = export.load()
    read = ingest(loaded)
    for name in ("age", "sex", "income", "diagnosis", "district"):
        assert decoded(read.table, name) == export.seen[name], name
    assert [str(np.datetime64(int(day), "D")) for day in decoded(read.table, "admitted")] == export.seen["admitted"]
    assert list(read.table["age"].values) == ["20 to 39", "40 to 110"]
    assert {"zip", "birth"}.isdisjoint(read.table.columns)
    assert {"zip", "birth"}.isdisjoint(read.cells.columns)
    assert all(outcome.success for outcome in expect_inbound(loaded, read))
    assert "district" in next(iter(derived_suite(loaded.policy, read.specs))).kwargs["column_set"]


def test_numbers_days_and_lists_that_a_file_has_typed_are_not_read_as_text(export):
    columns = {name: [row[name] or None for row in export.rows] for name in export.rows[0]}
    columns["income"] = pa.array(export.seen["income"], pa.float64())
    columns["admitted"] = pa.array([date.fromisoformat(day) for day in export.seen["admitted"]], pa.date32())
    columns["diagnosis"] = pa.array([list(cell) or None for cell in export.seen["diagnosis"]], pa.list_(pa.string()))
    parquet.write_table(pa.table(columns), export.folder / "clinic.parquet")
    read = ingest(export.load(), export.folder / "clinic.parquet").table
    assert decoded(read, "income") == export.seen["income"]
    assert decoded(read, "diagnosis") == export.seen["diagnosis"]
    export.rows[4]["sex"] = columns["sex"][4] = "CANARY-7f3a"
    parquet.write_table(pa.table(columns), export.folder / "clinic.parquet")
    with pytest.raises(CellsRejected, match=r"1 cell of 'sex' is not in `map` \(in row 5 of the data\)"):
        ingest(export.load(), export.folder / "clinic.parquet")


def test_members_of_a_set_are_recoded_one_by_one(export):
    recoding = {"asthma": "J45", "flu": "J11", "stroke": None}
    export.policy["attributes"]["diagnosis"] |= {"map": recoding, "values": ["J45", "J11"], "nonsensitive": []}
    wanted = [tuple(sorted(recoding[code] for code in cell if recoding[code])) for cell in export.seen["diagnosis"]]
    assert decoded(ingest(export.load()).table, "diagnosis") == wanted
    columns = {name: [row[name] or None for row in export.rows] for name in export.rows[0]}
    columns["diagnosis"] = pa.array([list(cell) or None for cell in export.seen["diagnosis"]], pa.list_(pa.string()))
    parquet.write_table(pa.table(columns), export.folder / "clinic.parquet")
    assert decoded(ingest(export.load(), export.folder / "clinic.parquet").table, "diagnosis") == wanted
    del recoding["flu"]
    for source in (None, export.folder / "clinic.parquet"):
        with pytest.raises(CellsRejected, match="30 cells of 'diagnosis' are not in `map`"):
            ingest(export.load(), source)


WRONG = [
    ("income", "1.234.5", "1 cell of 'income' is not a number of the form 1.234,5 EUR", "`unmapped: keep` makes n/a missing"),
    ("income", "1.000 USD", "is not a number of the form", '`map: {"n/a": null}`'),
    ("admitted", "31.02.2024", 'is not a day of the form "%d.%m.%Y" or "%Y-%m-%d"', "An unknown day is empty"),
    ("sex", "divers", "1 cell of 'sex' is not in `map`", "`unmapped: keep` or `unmapped: missing`"),
    ("birth", "01.01.2025", "1 cell of 'birth' is not a birth date up to 2024-12-31", "move `age.at`, which is 2024-12-31, to a later day"),
    ("birth", "01.01.1899", "1 cell of 'birth' is not a number from 20 to 110", "widen the `bands`"),
    ("zip", "999", "1 cell of 'zip' is not in the table districts.csv", "`unmapped: missing`"),
    ("diagnosis", "flu, canary-9", "1 cell of 'diagnosis' holds values that are not declared", "declare the values"),
]


@pytest.mark.parametrize(("name", "cell", "message", "cure"), WRONG, ids=[f"{case[0]} {case[1]}" for case in WRONG])
def test_a_cell_that_cannot_be_read_is_refused_with_its_line_and_without_the_cell(export, name, cell, message, cure):
    """A note of two lines and a blank line come before it, so that its line is not the number of its row."""
    export.rows[2]["notes"] = 'two\nlines; "quoted"'
    export.rows[9][name] = cell
    content = export.save().read_bytes().replace(b"\n", b"\n\n", 1)
    export.write_source(content)
    with pytest.raises(CellsRejected, match=r"\(in line 13\)") as refusal:
        ingest(export.load())
    problem = refusal.value
    assert message in problem.message
    assert cure in problem.cure
    assert cell not in str(problem)
    assert problem.values == (cell,)
    assert problem.rows == (9,)
    assert type(pickle.loads(pickle.dumps(problem))) is InputRejected
    assert cell not in repr(pickle.loads(pickle.dumps(problem)).__dict__)


def test_the_first_three_lines_of_many_wrong_cells_are_named(export):
    for place in (3, 5, 8, 21):
        export.rows[place]["income"] = "CANARY-7f3a"
    export.save()
    with pytest.raises(CellsRejected, match=r"4 cells of 'income' are not numbers .* \(the first in lines 5, 7 and 10\)"):
        ingest(export.load())


def test_a_missing_cell_stays_missing(export):
    for row in export.rows[:3]:
        row |= dict.fromkeys(("birth", "sex", "income", "admitted", "zip"), "")
    export.save()
    table = ingest(export.load()).table
    assert all((table[name].codes[:3] == -1).all() for name in ("age", "sex", "income", "admitted", "district"))


@pytest.mark.parametrize(
    ("table", "message"),
    [
        (DISTRICTS + "000;south\n", "1 row has another 'Kreis' for a 'PLZ' of a line above (in line 9)"),
        (DISTRICTS + "007;\n;north\n", "2 rows have no 'PLZ' or no 'Kreis' (in lines 9 and 10)"),
        (DISTRICTS.replace("Kreis", "Land"), "has no column 'Kreis'"),
    ],
)
def test_a_table_of_regions_that_does_not_say_which_is_refused(export, table, message):
    (export.folder / "districts.csv").write_text(table, encoding="utf-8")
    with pytest.raises(InputRejected) as refusal:
        export.load()
    assert message in refusal.value.message


def test_a_column_of_the_source_cannot_be_made_from_another_one_too(export):
    for row in export.rows:
        row["district"] = "x"
    export.save()
    with pytest.raises(InputRejected, match="'district', which the policy makes from 'zip'"):
        ingest(export.load())


def test_visits_as_exported_become_people(export, write_csv):
    """What is made of a person's rows is made of cells that were read; lines are those of the rows, or of where a person begins."""
    for place, row in enumerate(export.rows):
        row["patient_id"] = f"P{place // 2}"
        row["visit"] = f"{1 + place % 2:02d}.02.2024"
        row["birth"] = export.rows[place // 2 * 2]["birth"]
    attributes = export.policy["attributes"]
    attributes["visit"] = {"role": "dropped", "date": "%d.%m.%Y"}
    rules = {"sex": "last", "income": "sum", "admitted": "max", "diagnosis": "union", "education": "last", "region": "last"}
    export.policy["rows"] = {"per": "patient_id", "order": "visit", **rules, "district": "first"}
    export.save()
    read = ingest(export.load())
    assert read.rows == 30
    pairs = list(zip(export.seen["income"][::2], export.seen["income"][1::2], strict=True))
    assert decoded(read.table, "income") == [None if None in pair else sum(pair) for pair in pairs]
    assert decoded(read.table, "district") == export.seen["district"][::2]
    export.rows[7]["income"] = "CANARY-7f3a"
    export.save()
    with pytest.raises(CellsRejected, match=r"1 cell of 'income' is not a number of the form .* \(in line 9\)"):
        ingest(export.load())
    export.rows[7]["income"] = "600.000 EUR"
    export.save()
    begins = r"1 cell of 'income' is outside its domain \(in the rows of the person who begins in line 8\)"
    with pytest.raises(CellsRejected, match=begins):
        ingest(export.load())


def test_columns_that_cannot_be_read_are_refused_together(export):
    export.rows[3]["income"] = export.rows[4]["income"] = "CANARY-7f3a"
    export.rows[5]["sex"], export.rows[6]["birth"] = "3", "1.1.2050"
    export.save()
    with pytest.raises(CellsRejected, match=r"1 cell of 'birth' is not a birth date up to 2024-12-31 \(in line 8\)") as refusal:
        ingest(export.load())
    assert "Look at 1 cell of 'sex' and 2 cells of 'income' too: `headgate check TABLE --lines COLUMN" in refusal.value.cure


@pytest.mark.parametrize("kind", ["all", "some", "none"])
def test_numbers_that_a_sheet_has_typed_are_not_read_by_marks_of_texts(clinic, kind) -> None:
    """1.125 in a cell of numbers was published as 1125 where the policy said that points stand between thousands."""
    book = openpyxl.Workbook()
    book.active.append(list(clinic.rows[0]))
    expected = []
    for place, row in enumerate(clinic.rows):
        number, typed = place + 0.125, kind == "all" or (kind == "some" and place % 2)
        row["income"] = number if typed else f"{place},125"
        expected.append(number)
        book.active.append(list(row.values()))
    book.save(clinic.folder / "clinic.xlsx")
    clinic.policy["source"] = {"kind": "excel", "path": "clinic.xlsx"}
    clinic.policy["attributes"]["income"] |= {"decimal": ",", "thousands": "."}
    if kind == "some":
        with pytest.raises(InputRejected, match="'income' of .* holds numbers or days of the file's own beside texts"):
            ingest(clinic.load())
        return
    assert decoded(ingest(clinic.load()).table, "income") == expected
