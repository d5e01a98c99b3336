"""Which program wrote a file, by its first bytes: a file that is read as another kind than it is shows only garbage."""

from __future__ import annotations

import re
from dataclasses import dataclass

from headgate.core.errors import InputRejected

ZIP = b"PK\x03\x04"
COMPOUND = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
STATA_OLD = re.compile(rb"[\x69\x6c\x6e\x6f\x71-\x73][\x01\x02]\x01\x00", re.DOTALL)  # releases 105 to 115
WORKBOOK = b"xl/workbook.xml"
SHEETS_OF_OTHERS = (b"mimetypeapplication/vnd.oasis.opendocument.spreadsheet", b"xl/workbook.bin")


@dataclass(frozen=True)
class FileKind:
    """In words, with its article; and the `kind` of source that reads it, or else what helps."""

    words: str
    kind: str = ""
    cure: str = ""


PARQUET = FileKind("a Parquet file", "parquet")
EXCEL = FileKind("an Excel file", "excel")
OLD_EXCEL = FileKind("an Excel file of the old form (.xls) or one with a password", cure="Save it as .xlsx without a password.")
OTHER_SHEET = FileKind("a spreadsheet, but not an .xlsx", cure="Save it as .xlsx or as CSV in UTF-8.")
ARCHIVE = FileKind("a ZIP archive", cure="Unpack it and name the file in it.")
DATABASE = FileKind("an SQLite database", cure="Declare a source of kind: sql with a query, or export the table as CSV.")
OF_SPSS = FileKind("an SPSS file", "spss")
PACKED_SPSS = FileKind("a compressed SPSS file (.zsav)", cure="Save it as .sav.")  # its parts claim what they unpack to
OF_STATA = FileKind("a Stata file", "stata")


def file_kind(content: bytes) -> FileKind | None:
    """None for text, and for everything that is not known here."""
    if content.startswith(b"PAR1"):
        return PARQUET
    if content.startswith(ZIP):
        if WORKBOOK in content:  # names of members are not packed
            return EXCEL
        return OTHER_SHEET if any(mark in content for mark in SHEETS_OF_OTHERS) else ARCHIVE
    if content.startswith(COMPOUND):
        return OLD_EXCEL
    if content.startswith(b"SQLite format 3\x00"):
        return DATABASE
    if content.startswith((b"$FL2", b"$FL3")):
        return OF_SPSS if content.startswith(b"$FL2") else PACKED_SPSS
    if content.startswith(b"<stata_dta>") or STATA_OLD.match(content):
        return OF_STATA
    return None


def refuse_other_kinds(content: bytes, where: str, kind: str) -> None:
    """A file that shows that it is of another kind than `kind`."""
    shown = file_kind(content)
    if shown is not None and shown.kind != kind:
        raise InputRejected(f"{where} is {shown.words}.", shown.cure or f"Use kind: {shown.kind}.")
