"""What stands above a header is told from the header itself, and is never a column."""

from __future__ import annotations

from pathlib import Path

import openpyxl
import pytest

from headgate.core.errors import InputRejected
from policies.drafting.policy_draft import draft_policy
from policies.schema.loading import parse_policy
from tasks.profiling.profile_table import profile_table
from tasks.reading.any_table import open_any
from tasks.reading.source_csv import open_csv_bytes
from tasks.reading.title_lines import below_titles

TABLE = "id;age;cost\n" + "".join(f"P{row};{20 + row % 9};{row},50\n" for row in range(30))


@pytest.mark.parametrize(
    ("lines", "header"),
    [
        ([(1, 1, 1), (2, 3, 3), (3, 3, 2), (4, 3, 3)], 2),
        ([(1, 3, 1), (2, 3, 0), (4, 3, 3), (5, 3, 3), (6, 3, 3)], 4),
        ([(1, 3, 3), (2, 3, 1), (3, 3, 3)], None),  # the first line may well be the header
        ([(1, 3, 2), (2, 3, 3), (3, 3, 3)], None),  # a column without a name
        ([(1, 1, 1), (2, 1, 1)], None),
        ([(1, 1, 1), (2, 3, 3), (3, 2, 2), (4, 4, 4), (5, 3, 3)], None),
        ([], None),
    ],
)
def test_a_header_below_a_title_is_the_first_line_that_names_every_column(lines: list[tuple[int, int, int]], header: int | None) -> None:
    assert below_titles(lines) == header


@pytest.mark.parametrize(("title", "line"), [("Clinic\n", 2), ("Clinic;;\n;;\nof March;;\n", 4), ("Clinic\nof March\n\n", 4)])
def test_a_title_above_the_header_is_said_with_what_to_delete(tmp_path: Path, title: str, line: int) -> None:
    """It was told as "Column 2 has no name", or as thousands of lines of another length."""
    (tmp_path / "t.csv").write_text(title + TABLE, encoding="utf-8")
    with pytest.raises(InputRejected, match=f"a title above its header: line {line} names") as refused:
        open_any(tmp_path / "t.csv")
    assert ("Delete line 1." if line == 2 else f"Delete lines 1 to {line - 1}.") in refused.value.cure
    (tmp_path / "t.csv").write_text("Clinic, made by us\n" + TABLE.replace(",50", ""), encoding="utf-8")
    with pytest.raises(InputRejected, match="above its header: line 2 names"):
        open_any(tmp_path / "t.csv")
    with pytest.raises(InputRejected, match="a title above its header"):
        open_csv_bytes((title + TABLE).encode(), "The source t.csv", ";")


@pytest.mark.parametrize("text", [TABLE, TABLE.replace("id;", "id (a, b);"), "cost;\n" + "1,5;\n" * 9, "name\n" + '"a, b"\n' * 9])
def test_a_header_in_the_first_line_is_no_title(tmp_path: Path, text: str) -> None:
    (tmp_path / "t.csv").write_text(text, encoding="utf-8")
    try:
        assert open_any(tmp_path / "t.csv").source.names
    except InputRejected as refusal:
        assert "title" not in refusal.message  # noqa: PT017


def test_a_draft_names_the_line_of_the_header_of_a_sheet(tmp_path: Path) -> None:
    """Sheets of reports begin with merged cells; `init` asked to name columns that have a name two lines below."""
    book = openpyxl.Workbook()
    for row in [["Clinic"], ["of March"], [], *(line.split(";") for line in TABLE.splitlines())]:
        book.active.append(row)
    book.active.merge_cells("A1:C1")
    book.save(tmp_path / "t.xlsx")
    profile = profile_table(tmp_path / "t.xlsx", tmp_path)
    assert [column.name for column in profile.columns] == ["id", "age", "cost"]
    source = parse_policy(draft_policy(profile), "draft.yaml").source
    assert source.model_dump()["header"] == 4
