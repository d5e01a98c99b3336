from __future__ import annotations

import io
import zipfile

import openpyxl
import pytest

from headgate.core.errors import InputRejected
from tasks.formats.excel_workbook import Workbook, open_workbook, require_readable

NAMESPACE = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
HEAD = f'<?xml version="1.0" encoding="UTF-8"?><worksheet {NAMESPACE}><sheetData>'
TEXTS = "xl/sharedStrings.xml"


def workbook(**parts: str) -> bytes:
    """A plain workbook of one sheet; the cells of its sheet, and its shared texts, may be given as XML."""
    plain = io.BytesIO()
    book = openpyxl.Workbook()
    book.active.append(["id", "age"])  # type: ignore[union-attr]
    book.save(plain)
    made = io.BytesIO()
    with zipfile.ZipFile(plain) as old, zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            given = parts.get("rows") if name == "xl/worksheets/sheet1.xml" else None
            new.writestr(name, old.read(name) if given is None else f"{HEAD}{given}</sheetData></worksheet>")
        if "texts" in parts:
            new.writestr(TEXTS, f"<sst {NAMESPACE}>{parts['texts']}</sst>")
    return made.getvalue()


def opened(content: bytes) -> Workbook:
    return open_workbook(content, "The source t.xlsx")


FAR = '<row r="1"><c r="A1"><v>1</v></c></row><row r="1048576"><c r="XFD1048576"><v>1</v></c></row>'
PREFIXED = FAR.replace("<row", "<x:row").replace("<c ", "<x:c ").replace("</row", "</x:row")
UNNAMED = "<row>" + "<c><v>1</v></c>" * 40_000 + "</row>" + "<row/>" * 40_000 + "<row><c><v>1</v></c></row>"
ELSEWHERE = '<row r="1"><c r="A1"><v>1</v></c><c s="1" r = \'XFD1048576\'><v>1</v></c></row>'


@pytest.mark.parametrize("rows", [FAR, PREFIXED, UNNAMED, ELSEWHERE], ids=["far", "prefixed", "unnamed", "elsewhere"])
def test_a_sheet_whose_rectangle_would_fill_the_memory_is_refused(rows: str) -> None:
    """Its two cells are some bytes in the file and 17 billion in the memory."""
    with pytest.raises(InputRejected, match="which is more than is read here"):
        require_readable(opened(workbook(rows=rows)), "Sheet", 1)


def test_one_long_text_to_which_many_cells_refer_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HEADGATE_MAX_BYTES", "10000000")
    cells = "".join(f'<row r="{row}"><c r="A{row}" t="s"><v>0</v></c></row>' for row in range(1, 2_001))
    content = workbook(rows=cells, texts=f"<si><t>{'x' * 10_000}</t></si><si><t>y</t></si>")
    with pytest.raises(InputRejected, match="more than 10,000,000 bytes"):
        require_readable(opened(content), "Sheet", 1)
    require_readable(opened(workbook(rows=cells.replace("<v>0", "<v>1"), texts="<si><t>x</t></si><si><t>y</t></si>")), "Sheet", 1)


def test_what_members_unpack_to_is_counted_as_they_are_unpacked(monkeypatch: pytest.MonkeyPatch) -> None:
    content = workbook(texts=f"<si><t>{'x' * 3_000_000}</t></si>")
    assert len(content) < 20_000
    monkeypatch.setenv("HEADGATE_MAX_BYTES", "1000000")
    with pytest.raises(InputRejected, match="unpacked, has more than 1,000,000 bytes"):
        opened(content)


def test_a_member_that_claims_to_be_smaller_than_it_is_is_refused() -> None:
    """The parser that comes after would unpack all of it."""
    content = workbook(texts=f"<si><t>{'x' * 3_000_000}</t></si>")
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        size = archive.getinfo(TEXTS).file_size.to_bytes(4, "little")
    assert content.count(size) == 2
    with pytest.raises(InputRejected, match="damaged or cut short"):
        opened(content.replace(size, (100).to_bytes(4, "little")))


@pytest.mark.parametrize("spoiled", [b"PK\x03\x04xl/workbook.xml", workbook()[:-400], b"PK\x03\x04"])
def test_a_damaged_archive_is_refused(spoiled: bytes) -> None:
    with pytest.raises(InputRejected, match="damaged or cut short"):
        opened(spoiled)


def test_cells_whose_value_is_not_in_the_file_are_refused_by_their_line() -> None:
    cells = '<row r="1"><c r="A1" t="inlineStr"><is><t>id</t></is></c></row><row r="2"><c r="A2"{}</c></row>'
    for cell, said in [
        (' t="e"><v>#N/A</v>', "1 cell of the source t.xlsx holds an error, such as #N/A (the first is in line 2)"),
        ("><f>1+1</f>", "1 cell of the source t.xlsx holds a formula without a stored value (the first is in line 2)"),
        ("><f>1+1</f><v></v>", "without a stored value"),
        ("><f>1+1</f><v/>", "without a stored value"),
        ('><f>1+1</f><v xml:space="preserve"></v>', "without a stored value"),
        ("><f>1+1</f><!-- recalculate --><v/>", "without a stored value"),
        ("><f><![CDATA[1<2]]></f><v/>", "without a stored value"),
        ('><f t="shared" si="0"/>', "without a stored value"),
    ]:
        with pytest.raises(InputRejected) as refusal:
            require_readable(opened(workbook(rows=cells.format(cell))), "Sheet", 1)
        assert said in refusal.value.message
    for fine in ("><f>1+1</f><v>2</v>", ' t="str"><f>A1</f><v></v>', ' t="b"><v>1</v>', '><!-- <c t="e"> --><v><![CDATA[1]]></v>'):
        require_readable(opened(workbook(rows=cells.format(fine))), "Sheet", 1)


def test_only_what_stands_above_the_header_may_be_wrong() -> None:
    cells = '<row r="1"><c r="A1" t="e"><v>#N/A</v></c></row><row r="2"><c r="A2"><v>1</v></c></row>'
    require_readable(opened(workbook(rows=cells)), "Sheet", 2)


@pytest.mark.parametrize(
    ("cell", "said"),
    [
        ('<c t="e"><v>#N/A</v></c>', r"1 cell .* holds an error, such as #N/A \(the first is in line 4\)"),
        ("<c><f>1+1</f><v/></c>", r"1 cell .* without a stored value \(the first is in line 4\)"),
        ('<c s="1"><f>IF(A1= r="B1",1)</f></c>', r"1 cell .* without a stored value \(the first is in line 4\)"),
    ],
)
@pytest.mark.parametrize("row", ["<row>", '<row r="4">', '<row spans="1:1">'])
def test_cells_that_do_not_name_themselves_are_in_the_line_of_their_row(row: str, cell: str, said: str) -> None:
    """The same cell above the header is not the one that is meant."""
    rows = f"<row>{cell}</row><row><c><v>1</v></c></row><row/>{row}{cell}</row>"
    with pytest.raises(InputRejected, match=said):
        require_readable(opened(workbook(rows=rows)), "Sheet", 2)
    require_readable(opened(workbook(rows=f"<row>{cell}</row><row><c><v>1</v></c></row>")), "Sheet", 2)


def test_a_cell_outside_all_rows_is_not_taken_to_stand_above_the_header() -> None:
    with pytest.raises(InputRejected, match="holds an error"):
        require_readable(opened(workbook(rows='<c t="e"><v>#N/A</v></c><row><c><v>1</v></c></row>')), "Sheet", 2)
