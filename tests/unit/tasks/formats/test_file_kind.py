from __future__ import annotations

import io
import zipfile

import pytest

from headgate.core.errors import InputRejected
from tasks.formats.file_kind import file_kind, refuse_other_kinds


def archive(name: str, content: str = "") -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as file:
        file.writestr(name, content)
    return made.getvalue()


@pytest.mark.parametrize(
    ("content", "words", "cure"),
    [
        (b"PAR1....", "is a Parquet file", "Use kind: parquet."),
        (archive("xl/workbook.xml"), "is an Excel file", "Use kind: excel."),
        (archive("xl/workbook.bin"), "is a spreadsheet, but not an .xlsx", "Save it as .xlsx"),
        (archive("mimetype", "application/vnd.oasis.opendocument.spreadsheet"), "is a spreadsheet", "Save it as .xlsx"),
        (archive("people.csv"), "is a ZIP archive", "Unpack it"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1....", "the old form (.xls) or one with a password", "Save it as .xlsx"),
        (b"SQLite format 3\x00....", "is an SQLite database", "kind: sql"),
        (b"$FL2@(#) SPSS DATA FILE", "is an SPSS file", "Use kind: spss."),
        (b"$FL3@(#) SPSS DATA FILE", "is a compressed SPSS file (.zsav)", "Save it as .sav."),
        (b"<stata_dta><header>", "is a Stata file", "Use kind: stata."),
        (b"\x72\x02\x01\x00....", "is a Stata file", "Use kind: stata."),
    ],
)
def test_a_file_that_is_read_as_a_kind_that_it_is_not_is_refused_with_the_right_kind(content: bytes, words: str, cure: str) -> None:
    with pytest.raises(InputRejected) as refusal:
        refuse_other_kinds(content, "The source people", "csv")
    assert words in refusal.value.message
    assert cure in refusal.value.cure


def test_text_is_of_no_program_and_a_file_of_the_right_kind_is_let_through() -> None:
    assert file_kind(b"id,age\nq2,3\n") is None
    assert file_kind("äöü;1\n".encode("latin-1")) is None
    refuse_other_kinds(b"$FL2@(#)", "The source", "spss")
