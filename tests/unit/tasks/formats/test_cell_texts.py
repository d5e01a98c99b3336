from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal

import pytest

from headgate.core.errors import InputRejected
from tasks.formats.cell_texts import ALL, SOME, cell_text, table_of_texts, text_column, typed_in


@pytest.mark.parametrize(
    ("cell", "text"),
    [
        (None, None),
        (float("nan"), None),
        ("", None),
        (" a ", " a "),
        (7.0, "7"),
        (7, "7"),
        (0.1, "0.1"),
        (Decimal("1.50"), "1.50"),
        (Decimal("NaN"), None),
        (Decimal("sNaN"), None),
        (date(2024, 1, 2), "2024-01-02"),
        (datetime(2024, 1, 2), "2024-01-02"),
        (datetime(2024, 1, 2, 3, 4), "2024-01-02T03:04:00"),
        (datetime(2024, 1, 2, tzinfo=UTC), "2024-01-02T00:00:00+00:00"),
        (time(8, 30), "08:30:00"),
        (timedelta(hours=26, seconds=5), "26:00:05"),
        (timedelta(hours=-1), "-01:00:00"),
        (timedelta(seconds=1, milliseconds=500), "00:00:01.500000"),
        (timedelta(milliseconds=-500), "-00:00:00.500000"),
    ],
)
def test_a_cell_is_written_as_a_csv_would_hold_it(cell: object, text: str | None) -> None:
    assert cell_text(cell, "") == text


def test_a_cell_of_another_type_is_refused_by_its_type_alone() -> None:
    with pytest.raises(InputRejected, match="Some cells are of type bytes") as refusal:
        cell_text(b"CANARY", "Cast them.")
    assert "CANARY" not in str(refusal.value)


def test_a_column_of_texts_says_which_of_its_cells_had_types() -> None:
    columns = {
        "numbers": text_column([1.125, None, 12], ["1.125", None, "12"]),
        "texts": text_column(["1,125", None, "12"], ["1,125", None, "12"]),
        "both": text_column([1.125, "1,125", None], ["1.125", "1,125", None]),
        "nothing": text_column([None, None, None], [None, None, None]),
    }
    table = table_of_texts(columns)
    assert {name: typed_in(table, name) for name in columns} == {"numbers": ALL, "texts": b"", "both": SOME, "nothing": b""}
    assert table.column("numbers").to_pylist() == ["1.125", None, "12"]
