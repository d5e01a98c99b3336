"""Cells as codes: equal exactly if the cells are, however they are typed, and the same table however it is cut into parts."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from headgate.core.errors import InputRejected
from tasks.tables.coded_cells import JoinedParts, coded_texts, plain_texts

CELLS = st.lists(st.none() | st.sampled_from(["", "a", "b", "7", "é", "7.5"]), min_size=1, max_size=12)


def joined(*tables: pa.Table) -> JoinedParts:
    parts = JoinedParts("t")
    for table in tables:
        parts.add(table, coded_texts(table, "t"))
    return parts


@given(CELLS, CELLS)
def test_codes_are_equal_exactly_if_cells_are(one: list[str | None], other: list[str | None]) -> None:
    left, right = (coded_texts(pa.table({"a": pa.array(cells, pa.string())}), "t") for cells in (one, other))
    assert left.equals(right) == ([cell or None for cell in one] == [cell or None for cell in other])


def test_one_cell_has_one_text_in_every_type() -> None:
    texts = pa.table({"a": pa.array(["7", None, "8.5", "-0", "7"])})
    for typed in ([7.0, None, 8.5, -0.0, 7.0], [7.0, float("nan"), 8.5, -0.0, 7.0]):
        coded = coded_texts(pa.table({"a": pa.array(typed, pa.float64())}), "t")
        assert plain_texts(coded).column("a").to_pylist()[:3] == ["7", None, "8.5"]
        assert coded.slice(0, 3).column("a").to_pylist() == coded_texts(texts, "t").slice(0, 3).column("a").to_pylist()
    wide, whole = (coded_texts(pa.table({"a": pa.array([3, 1, None, 3], kind)}), "t") for kind in (pa.float64(), pa.int64()))
    assert wide.equals(whole)


@given(CELLS, st.integers(0, 12), st.integers(0, 12))
def test_a_table_is_the_same_in_whatever_parts(cells: list[str | None], one: int, other: int) -> None:
    table = pa.table({"a": pa.array(cells, pa.string()), "n": np.arange(len(cells))})
    low, high = sorted((one % len(cells), other % len(cells)))
    parts = [part for part in (table.slice(0, low), table.slice(low, high - low), table.slice(high)) if part.num_rows]
    cut, whole = joined(*parts), joined(table)
    assert plain_texts(cut.texts()).equals(plain_texts(whole.texts()))
    assert cut.sizes == [part.num_rows for part in parts]
    frame = cut.frame(cut.texts())
    assert [None if cell != cell else cell for cell in frame["a"].astype(object)] == [cell or None for cell in cells]
    assert frame["n"].tolist() == list(range(len(cells)))


def test_parts_without_rows_or_with_other_columns_are_refused_and_name_no_cell() -> None:
    table = pa.table({"a": ["CANARY"]})
    for spoiled, words in (
        (table.slice(0, 0), "has no rows"),
        (pa.table({"b": ["CANARY"]}), "different columns"),
        (pa.table({"a": [1]}), "different columns"),
        (table.append_column("b", [["x"]]), "different columns"),
    ):
        with pytest.raises(InputRejected, match=words) as refused:
            joined(table, spoiled)
        assert "CANARY" not in str(refused.value)


def test_the_limit_of_cells_counts_all_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HEADGATE_MAX_CELLS", "5")
    table = pa.table({"a": ["x", "y"], "b": ["x", "y"]})
    joined(table)
    with pytest.raises(InputRejected, match="more than 5 cells"):
        joined(table, table)
