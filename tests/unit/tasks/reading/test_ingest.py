"""Step 1: a source becomes encoded columns, or one refusal that tells no value."""

from __future__ import annotations

import hashlib
import json
import os
import time

import numpy as np
import pyarrow as pa
import pyarrow.csv as arrow_csv
import pyarrow.parquet as parquet
import pytest

from headgate.core.columns import Kind
from headgate.core.errors import CellsRejected, InputRejected
from tasks.reading.ingest import ingest
from tasks.reading.open_source import open_source
from tests.unit.tasks.clinic import csv_text, decoded


def test_the_clinic_is_read_into_codes_and_its_identifier_and_dropped_columns_end_there(clinic):
    found = ingest(clinic.load())
    assert found.rows == 60
    assert found.table.quasi == ("age", "sex", "region", "admitted")
    assert found.table.sensitive == ("diagnosis", "income", "education")
    assert found.table.insensitive == ("zip",)
    assert set(found.table.columns) == {"age", "sex", "region", "admitted", "diagnosis", "income", "education", "zip"}
    assert decoded(found.table, "zip")[:3] == ["000", "001", "002"]  # text stays text
    assert decoded(found.table, "income")[:3] == [None, 1000.5, 2001.0]
    assert decoded(found.table, "diagnosis")[0] == ("asthma", "flu")
    assert "notes" not in found.cells.columns
    assert found.source_digest == hashlib.sha256(clinic.source.read_bytes()).hexdigest()


def test_neither_the_result_nor_the_identifiers_show_a_value_when_printed(clinic, canary):
    found = ingest(clinic.load())
    assert canary not in repr(found)
    assert canary not in repr(found.identifiers)
    assert "north-a" not in repr(found).replace(repr(found.specs), "")


def test_dropped_columns_are_not_even_parsed(clinic):
    table = pa.table({name: [row[name] for row in clinic.rows] for name in clinic.rows[0] if name != "notes"})
    nested = table.append_column("notes", pa.array([{"a": 1}] * 60))  # a type that no attribute could have
    parquet.write_table(nested, clinic.folder / "clinic.parquet")
    assert ingest(clinic.load(), clinic.folder / "clinic.parquet").rows == ingest(clinic.load()).rows == 60


def test_integer_widths_and_masks_take_their_hierarchy_from_the_values_present(clinic):
    clinic.policy["attributes"]["age"]["hierarchy"] = {"widths": [5, 10]}
    clinic.policy["attributes"]["zip"] = {"role": "quasi", "kind": "category", "hierarchy": {"mask": 2}}
    table = ingest(clinic.load()).table
    assert table["age"].hierarchy is not None
    assert table["zip"].hierarchy is not None
    assert sorted(table["zip"].hierarchy.leaves) == [f"00{digit}" for digit in range(7)]


def test_vectors_are_read_from_their_columns(clinic, write_csv):
    for row in clinic.rows:
        row |= {"p1": "0.25", "p2": "0.75"}
    clinic.policy["attributes"]["profile"] = {"role": "sensitive", "kind": "vector", "columns": ["p1", "p2"]}
    clinic.write_source(write_csv(clinic.rows).encode())
    column = ingest(clinic.load()).table["profile"]
    assert column.kind is Kind.VECTOR
    assert column.values.tolist() == [[0.25, 0.75]]


# Every way to be unreadable: one message, exit code 2, a cure, no value.


def spoil_missing(clinic):
    clinic.source.unlink()


def spoil_folder(clinic):
    clinic.source.unlink()
    clinic.source.mkdir()


def spoil_empty(clinic):
    clinic.write_source(b"")


def spoil_blank(clinic):
    clinic.write_source(b"\xef\xbb\xbf\n\n  \n")


def spoil_header_only(clinic):
    clinic.write_source(clinic.source.read_bytes().split(b"\n")[0] + b"\n")


def spoil_encoding(clinic):
    lines = clinic.source.read_bytes().split(b"\n")
    lines[7] = lines[7].replace(b"north", b"n\xf6rth").replace(b"south", b"s\xf6uth")
    clinic.write_source(b"\n".join(lines))


def spoil_utf16(clinic):
    clinic.write_source(clinic.source.read_text().encode("utf-16"))


def spoil_binary(clinic):
    clinic.write_source(clinic.source.read_bytes().replace(b"male", b"ma\x00e"))


def spoil_archive(clinic):
    clinic.write_source(b"PK\x03\x04" + clinic.source.read_bytes())


def spoil_sqlite(clinic):
    clinic.write_source(b"SQLite format 3\x00" + clinic.source.read_bytes())


def spoil_separator(clinic):
    clinic.write_source(clinic.source.read_bytes().replace(b",", b";"))


def spoil_uneven(clinic):
    lines = clinic.source.read_bytes().split(b"\n")
    lines[5] += b",CANARY-extra"
    clinic.write_source(b"\n".join(lines))


def spoil_quote(clinic):
    clinic.write_source(clinic.source.read_bytes().replace(b"flu", b'"flu', 1))


def spoil_duplicate_column(clinic):
    clinic.write_source(clinic.source.read_bytes().replace(b"sex", b"age", 1))


def spoil_nameless_column(clinic):
    clinic.write_source(
        b"".join((b"," if place == 0 else b"7,") + line for place, line in enumerate(clinic.source.read_bytes().splitlines(True)))
    )


def spoil_policy_column(clinic):
    clinic.write_source(clinic.source.read_bytes().replace(b"education", b"educaton", 1))


def spoil_data_column(clinic):
    del clinic.policy["attributes"]["zip"]


def spoil_identifier_twice(clinic):
    clinic.write_source(clinic.source.read_bytes().replace(b"-0007,", b"-0008,"))


def spoil_identifier_gone(clinic, canary=b"CANARY-7f3a-0007,"):
    clinic.write_source(clinic.source.read_bytes().replace(canary, b" ,"))


def spoil_too_few(clinic):
    clinic.write_source(b"".join(clinic.source.read_bytes().splitlines(True)[:5]))


def spoil_number(clinic):
    clinic.write_source(clinic.source.read_bytes().replace(b"1000.5", b"CANARY-text"))


def spoil_domain(clinic):
    clinic.policy["attributes"]["age"]["domain"] = [0, 50]


def spoil_level(clinic):
    clinic.write_source(clinic.source.read_bytes().replace(b"tertiary", b"CANARY-phd"))


def spoil_set(clinic):
    clinic.write_source(clinic.source.read_bytes().replace(b"stroke", b"CANARY-plague"))


def spoil_hierarchy_leaf(clinic):
    clinic.write_source(clinic.source.read_bytes().replace(b"south-b", b"CANARY-isle"))


def spoil_date(clinic):
    clinic.write_source(clinic.source.read_bytes().replace(b"2024-01-01", b"CANARY-day"))


def spoil_identifier_twice_but_for_a_blank(clinic):
    clinic.write_source(clinic.source.read_bytes().replace(b"-0007,", b"-0008 ,"))


def spoil_header(clinic):
    """The first line is then a person's, and was shown."""
    lines = clinic.source.read_bytes().splitlines(True)
    whole = next(line for line in lines[1:] if b",," not in line and len(set(line.strip().split(b","))) == line.count(b",") + 1)
    clinic.write_source(b"".join([whole, *lines[1:]]))


def spoil_date_to_a_year(clinic):
    """Every day of 2024 was 1 January."""
    clinic.write_source(clinic.source.read_bytes().replace(b"2024-01-01", b"2024"))


def spoil_date_to_a_month(clinic):
    clinic.write_source(clinic.source.read_bytes().replace(b"2024-01-01", b"2024-01"))


SPOILED = [
    (spoil_missing, "does not exist", "relative to the policy"),
    (spoil_folder, "is a folder", "file"),
    (spoil_empty, "is empty", "header"),
    (spoil_blank, "is empty", "header"),
    (spoil_header_only, "a header and no rows", "person"),
    (spoil_encoding, "is not utf-8: line 8", "encoding"),
    (spoil_utf16, "is not utf-8: line 1", "encoding"),
    (spoil_binary, "NUL", "encoding"),
    (spoil_archive, "is a ZIP archive", "Unpack it"),
    (spoil_sqlite, "is an SQLite database", "kind: sql"),
    (spoil_separator, "one column when split at ','", "`separator: ';'`"),
    (spoil_uneven, "1 line does not have the 10 fields of the header", "Quote"),
    (spoil_quote, "quotation mark that is never closed", "Close"),
    (spoil_duplicate_column, "Columns 2 and 3", "Rename"),
    (spoil_nameless_column, "Column 1 of", "index"),
    (spoil_policy_column, "lacks column 'education'", "Did you mean 'educaton'?"),
    (spoil_data_column, "'zip' that the policy does not mention", "never published by default: give it a role"),
    (spoil_identifier_twice, "'patient_id' is repeated in 1 of 60 rows", "without an identifier nobody checks that a row is a person"),
    (spoil_identifier_gone, "'patient_id' is missing in 1 row (in line ", "identifier"),
    (spoil_too_few, "4 rows, fewer than k = 5", "lower k"),
    (spoil_number, "3 cells of 'income' are not numbers (in lines 3, 37 and 54)", "kind: category"),
    (spoil_domain, "cells of 'age' are outside its domain", "widen the domain"),
    (spoil_level, "20 cells of 'education' are not among its declared values", "declare"),
    (spoil_set, "15 cells of 'diagnosis' hold values that are not declared", "declare"),
    (spoil_hierarchy_leaf, "'region'", ""),
    (spoil_date, "'admitted'", "YYYY-MM-DD"),
    (spoil_date_to_a_year, "1 cell of 'admitted' is not a date", "YYYY-MM-DD"),
    (spoil_date_to_a_month, "1 cell of 'admitted' is not a date", "YYYY-MM-DD"),
    (spoil_identifier_twice_but_for_a_blank, "'patient_id' is repeated in 1 of 60 rows", "rows: {per: patient_id, order: visit_date"),
    (spoil_header, "of the policy", "the first line must name the columns"),
]


@pytest.mark.parametrize(("spoil", "message", "cure"), SPOILED, ids=lambda value: getattr(value, "__name__", None))
def test_a_spoiled_source_is_refused_in_one_sentence_with_its_cure_and_nothing_is_written(clinic, refusal, spoil, message, cure):
    spoil(clinic)
    loaded = clinic.load()
    before = sorted(os.walk(clinic.folder))
    problem = refusal(lambda: ingest(loaded))
    assert message in problem.message
    assert cure in problem.cure
    assert "\n" not in problem.message
    assert sorted(os.walk(clinic.folder)) == before


@pytest.mark.parametrize("kind", ["csv", "parquet"])
@pytest.mark.parametrize("change", ["replaced", "rewritten", "written on"])
def test_a_source_that_changes_while_it_is_read_is_the_old_one_or_refused(clinic, refusal, monkeypatch, kind: str, change: str) -> None:
    """Another file takes its place between its digest and its cells, or is written into it, or the export is not at its end."""
    path, old = clinic.folder / f"clinic.{kind}", arrow_csv.read_csv(clinic.source)
    new = old.set_column(old.schema.get_field_index("sex"), "sex", old["sex"].take(list(range(59, -1, -1))))
    for file, table in ((path, old), (clinic.folder / "new", new)):
        arrow_csv.write_csv(table, file) if kind == "csv" else parquet.write_table(table, file)
    os.utime(path, (0, 0))
    content, expected = path.read_bytes(), ingest(clinic.load(), path).table

    def meanwhile(*given):
        source = open_source(*given)
        if change == "replaced":
            (clinic.folder / "new").replace(path)
        else:
            path.write_bytes((clinic.folder / "new").read_bytes() if change == "rewritten" else content + b"more")
        return source

    monkeypatch.setattr("tasks.reading.ingest.open_source", meanwhile)
    if change != "replaced":
        problem = refusal(lambda: ingest(clinic.load(), path))
        assert problem.message == f"The source clinic.{kind} changed while it was read."
        assert problem.cure == "Wait until it is written, or give a copy of it."
        return
    found = ingest(clinic.load(), path)
    assert found.source_digest == hashlib.sha256(content).hexdigest() != hashlib.sha256(path.read_bytes()).hexdigest()
    assert decoded(found.table, "sex") == decoded(expected, "sex")


def test_several_identifiers_must_each_be_unique(clinic, refusal, write_csv):
    for place, row in enumerate(clinic.rows):
        row["insurance"] = f"CANARY-i{place}"
    clinic.policy["attributes"]["insurance"] = {"role": "identifier"}
    clinic.write_source(write_csv(clinic.rows).encode())
    assert ingest(clinic.load()).rows == 60
    clinic.rows[9]["insurance"] = clinic.rows[8]["insurance"]
    clinic.write_source(write_csv(clinic.rows).encode())
    assert "'insurance' is repeated" in refusal(lambda: ingest(clinic.load())).message


def test_a_published_column_that_copies_the_identifier_is_refused(clinic, refusal, write_csv):
    for place, row in enumerate(clinic.rows):
        row["zip"] = row["patient_id"] if place < 12 else "elsewhere"  # a partial copy is enough
    clinic.write_source(write_csv(clinic.rows).encode())
    assert "'zip' equals identifier 'patient_id' in 12 rows" in refusal(lambda: ingest(clinic.load())).message


@pytest.mark.parametrize("name", ["education", "region"])
def test_a_column_without_any_cell_is_no_copy_of_the_identifier(clinic, write_csv, name):
    """All of its 0 cells equal the identifier: a column with declared values that is missing in every row was refused as a copy."""
    clinic.write_source(write_csv([{**row, name: ""} for row in clinic.rows]).encode())
    assert (ingest(clinic.load()).table[name].codes == -1).all()


def test_numbers_that_happen_to_be_identifiers_are_no_copy(clinic, write_csv):
    order = np.random.default_rng(5).permutation(60)
    for place, row in enumerate(clinic.rows):
        row["patient_id"] = str(order[place])  # ages 20 … 59 are all somebody's number
    clinic.write_source(write_csv(clinic.rows).encode())
    assert ingest(clinic.load()).identifiers.among(["20", "59", "60"]) == {"20", "59"}


def test_sorted_numbers_that_run_along_numbered_rows_for_a_while_are_no_copy(clinic, refusal, write_csv):
    people = [dict(clinic.rows[place % 60], patient_id=str(place), age=str(place if place < 12 else 60)) for place in range(2040)]
    clinic.write_source(write_csv(people).encode())
    assert ingest(clinic.load()).rows == 2040
    for place in range(100):
        people[place]["age"] = str(place)
    clinic.write_source(write_csv(people).encode())
    assert "'age' equals identifier" in refusal(lambda: ingest(clinic.load())).message


def test_a_hundred_thousand_rows_of_eighteen_columns_are_read_in_under_a_second(tmp_path):
    from headgate.core.columns import Role
    from headgate.core.encode import ColumnSpec, encode_table
    from tasks.reading.arrow_frame import frame_of
    from tasks.reading.source_csv import open_csv

    rng = np.random.default_rng(7)
    columns = {"id": [f"P{row}" for row in range(100_000)]}
    columns |= {f"c{place}": rng.integers(0, 60, 100_000).astype(str) for place in range(17)}
    arrow_csv.write_csv(pa.table(columns), tmp_path / "large.csv")
    start = time.process_time()
    source = open_csv(tmp_path / "large.csv")
    table = encode_table(
        frame_of(source.read(source.names), ""), {f"c{i}": ColumnSpec(f"c{i}", Kind.CATEGORY, Role.QUASI) for i in range(17)}
    )
    taken = time.process_time() - start
    assert table.rows == 100_000
    assert taken < 1.0  # of the processors; 0.1 s by the clock, alone on the machine


def surveyed(clinic, write_csv, homes):
    """The clinic's rows with a household and a weight each."""
    for row, home in zip(clinic.rows, homes, strict=True):
        row |= {"hh": home, "wgt": "12.6"}
    clinic.policy["attributes"] |= {"hh": {"role": "household"}, "wgt": {"role": "weight", "kind": "number"}}
    clinic.write_source(write_csv(clinic.rows).encode())


def test_households_are_numbered_and_their_texts_end_here(clinic, write_csv):
    surveyed(clinic, write_csv, [f"home-{row // 2}" if row else " " for row in range(60)])
    found = ingest(clinic.load())
    assert (found.table.household, found.table.weight, found.table.insensitive) == ("hh", "wgt", ("zip", "wgt"))
    codes = found.table["hh"].codes
    assert len(np.unique(codes)) == 31  # whose cell is blank has a household of their own
    assert codes[2] == codes[3] != codes[4]
    assert "home-" not in repr(found)
    assert found.table["hh"].values.tolist() == list(range(31))


def test_a_household_under_another_name_and_fewer_than_k_households_are_refused(clinic, write_csv):
    surveyed(clinic, write_csv, ["one"] * 60)
    with pytest.raises(InputRejected, match="1 household cannot make a group of k"):
        ingest(clinic.load())
    surveyed(clinic, write_csv, [row["zip"] for row in clinic.rows])
    with pytest.raises(InputRejected, match="Column 'zip' equals household 'hh' in every row"):
        ingest(clinic.load())


@pytest.mark.parametrize("cell", ["", "0", "-2.5"])
def test_a_row_that_stands_for_no_known_number_of_people_is_refused_with_its_line(clinic, cell: str) -> None:
    """Only an expectation told of it, later and without a line."""
    clinic.policy["attributes"]["wgt"] = {"role": "weight", "kind": "number"}
    rows = [row | {"wgt": cell if place == 4 else "12.5"} for place, row in enumerate(clinic.rows)]
    (clinic.folder / "clinic.csv").write_text(csv_text(rows), encoding="utf-8")
    (clinic.folder / "policy.yaml").write_text(json.dumps(clinic.policy), encoding="utf-8")
    with pytest.raises(CellsRejected, match=r"1 cell of 'wgt' is missing, 0 or negative \(in line 6\)") as refused:
        ingest(clinic.load())
    assert refused.value.cells == (cell,)
