"""Dates."""

from __future__ import annotations

import pandas as pd

from headgate.core.calendar_parts import format_day
from headgate.core.columns import Kind
from tests.unit.headgate.core.encoded import encode


def test_days_are_counted_from_1970_and_may_come_as_stamps() -> None:
    for cells in (["2025-01-02", None, "1969-12-31"], pd.to_datetime(pd.Series(["2025-01-02", None, "1969-12-31"]))):
        column = encode(cells, Kind.DATE)
        assert column.values.tolist() == [-1, 20090]
        assert [format_day(day) for day in column.values] == ["1969-12-31", "2025-01-02"]
        assert column.codes.tolist() == [1, -1, 0]
