"""What is known of a column."""

from __future__ import annotations

from policies.drafting.table_profile import ColumnProfile


def test_present_cells_unique_ones_and_constants() -> None:
    assert ColumnProfile("x", "text", 10, 1000, 0.1).present == 900
    assert ColumnProfile("x", "text", 1000, 1000).unique
    assert not ColumnProfile("x", "text", 999, 1000, 0.001).unique
    assert not ColumnProfile("x", "text", 1, 1).unique
    assert ColumnProfile("x", "text", 1, 1000).constant
    assert ColumnProfile("x", "text", 0, 1000, 1.0).constant
    assert not ColumnProfile("x", "text", 1, 1000, 0.4).constant
