"""Dates."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from headgate.core.calendar_parts import YEAR_BANDS, format_day
from headgate.core.columns import Kind, Role
from headgate.core.encode import ColumnSpec, encode_column
from headgate.core.published_form.cell_reader import CellReader
from headgate.utility.loss import cell_loss
from tests.unit.headgate.core.encoded import encode


def test_days_are_counted_from_1970_and_may_come_as_stamps() -> None:
    for cells in (["2025-01-02", None, "1969-12-31"], pd.to_datetime(pd.Series(["2025-01-02", None, "1969-12-31"]))):
        column = encode(cells, Kind.DATE)
        assert column.values.tolist() == [-1, 20090]
        assert [format_day(day) for day in column.values] == ["1969-12-31", "2025-01-02"]
        assert column.codes.tolist() == [1, -1, 0]


DAYS = ["1938-03-01", "1941-07-30", "1944-12-31", "1945-01-01", "1959-12-31", "1961-05-05", "1999-12-31"]


@pytest.mark.parametrize("bands", [YEAR_BANDS, (4, 20), ()])
def test_the_tree_of_dates_has_the_nodes_and_shares_of_their_published_texts(bands: tuple[int, ...]) -> None:
    """The loops that cut groups see the tree, readers the texts: both must lose the same."""
    column = encode_column(pd.Series(DAYS), ColumnSpec("born", Kind.DATE, Role.QUASI, year_bands=bands))
    rules = column.kind.rules
    rank, node, share = rules.tree(column)
    levels = rules.levels(column)
    assert len(node) == len(levels) + 1 == 5 + len(bands)
    for level, labels in enumerate(levels):
        assert [[node[level][a] == node[level][b] for b in rank] for a in rank] == [[one == other for other in labels] for one in labels]
        assert share[level][rank] == pytest.approx([rules.node_loss(column, label, 1, level) for label in labels])
    assert set(node[-1]) == {0}
    assert set(share[-1]) == {1.0}


def test_a_band_covers_the_days_of_its_years_and_loses_their_share_of_the_domain() -> None:
    column = encode(DAYS, Kind.DATE)
    reader = CellReader(column)
    assert np.array(DAYS)[reader.covers("[1940..1944]")[:-1]].tolist() == ["1941-07-30", "1944-12-31"]
    text, loss = column.kind.rules.between(column, 1, 3)
    assert text == "[1940..1949]"
    days = pd.date_range(DAYS[0], DAYS[-1])
    assert loss == pytest.approx(sum(1940 <= year <= 1949 for year in days.year) / len(days))
    assert cell_loss(text, reader) == pytest.approx(loss)
