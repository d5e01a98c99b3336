"""Window-(δ, l): no closed interval of length 2δ around a sensitive value holds more than |E|/l rows; against every interval."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headgate.core.columns import Kind, Role, Table
from headgate.core.encode import ColumnSpec, encode_table
from headgate.core.errors import InputRejected
from headgate.methods.full_domain.lattice import Entries
from headgate.methods.full_domain.windows import WindowL, windows_of

HARMLESS = 3


def table_of(cells: list[int | None]) -> Table:
    frame = pd.DataFrame({"pay": pd.Series(cells, dtype=object)})
    spec = ColumnSpec("pay", Kind.INTEGER, Role.SENSITIVE, domain=(0, 9), nonsensitive=frozenset({str(HARMLESS)}))
    return encode_table(frame, {"pay": spec})


def fails(group: list[int | None], interval: Fraction, least: Fraction) -> bool:
    sensitive = [cell for cell in group if cell != HARMLESS]
    present = [cell for cell in group if cell is not None]
    most = group.count(None) if None in sensitive else 0
    for low in present:  # an interval may as well begin at a value
        inside = [cell for cell in present if low <= cell <= low + 2 * interval]
        if any(cell != HARMLESS for cell in inside):
            most = max(most, len(inside))
    return most * least > len(group)


@settings(max_examples=150, deadline=None)
@given(
    st.lists(st.lists(st.one_of(st.none(), st.integers(0, 9)), min_size=1, max_size=9), min_size=1, max_size=3),
    st.sampled_from(["0", "0.5", "1", "2.5"]),
    st.sampled_from(["1", "1.5", "2", "3"]),
)
def test_a_group_fails_exactly_if_some_interval_holds_too_many(groups: list[list[int | None]], interval: str, least: str) -> None:
    table = table_of([cell for group in groups for cell in group])
    condition = WindowL("pay", Fraction(interval), Fraction(least))
    first = np.arange(table.rows, dtype=np.int32)
    (window,) = windows_of(table, first, [condition])
    bounds = np.cumsum([0, *map(len, groups)])
    entries = Entries(np.arange(table.rows), np.ones(table.rows, dtype=np.int64))
    assert window.fails(entries, bounds).tolist() == [fails(group, condition.interval, condition.l) for group in groups]


@pytest.mark.parametrize(("interval", "least"), [(Fraction(-1), Fraction(2)), (Fraction(1), Fraction(1, 2))])
def test_a_window_that_asks_for_nothing_is_refused(interval: Fraction, least: Fraction) -> None:
    with pytest.raises(InputRejected):
        windows_of(table_of([1, 2]), np.arange(2, dtype=np.int32), [WindowL("pay", interval, least)])


def test_a_window_over_words_is_refused() -> None:
    table = encode_table(pd.DataFrame({"word": ["a", "b"]}), {"word": ColumnSpec("word", Kind.CATEGORY, Role.SENSITIVE)})
    with pytest.raises(InputRejected, match="needs numbers"):
        windows_of(table, np.arange(2, dtype=np.int32), [WindowL("word", Fraction(1), Fraction(2))])


@pytest.mark.parametrize("others", [[], [-1e7]])
def test_an_interval_ends_where_the_decimals_say(others: list[float]) -> None:
    """10000000.2 to 10000000.3 is one of length 0.1; as doubles it is longer."""
    frame = pd.DataFrame({"pay": [10000000.2, 10000000.3, *others]})
    table = encode_table(frame, {"pay": ColumnSpec("pay", Kind.NUMBER, Role.SENSITIVE)})
    (window,) = windows_of(table, np.arange(len(frame), dtype=np.int32), [WindowL("pay", Fraction("0.05"), Fraction(2))])
    entries = Entries(np.arange(2), np.ones(2, dtype=np.int64))
    assert window.fails(entries, np.array([0, 2])).tolist() == [True]
