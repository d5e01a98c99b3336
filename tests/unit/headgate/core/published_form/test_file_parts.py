"""How many rows each file of a table has, and what the files are called."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headgate.core.errors import InputRejected
from headgate.core.published_form.file_parts import MOST_PARTS, ROWS_PER_PART, TABLE_FILE, sizes_of_parts, table_paths


@given(st.integers(1, 10**7), st.integers(10**4, 10**7))
def test_parts_are_as_few_as_can_be_and_none_is_empty(rows: int, most: int) -> None:
    sizes = sizes_of_parts(rows, most)
    assert sum(sizes) == rows
    assert 0 < min(sizes) <= max(sizes) <= min(most, min(sizes) + 1)
    assert (len(sizes) - 1) * most < rows


def test_a_table_within_the_bound_is_one_file() -> None:
    assert sizes_of_parts(ROWS_PER_PART) == (1_000_000,)
    assert sizes_of_parts(ROWS_PER_PART + 1) == (500_001, 500_000)
    assert table_paths("table-1", "csv", 1) == table_paths("table-1", "csv", 0) == ("tables/table-1.csv",)
    assert table_paths("table-1", "parquet", 2) == ("tables/table-1/part-00000.parquet", "tables/table-1/part-00001.parquet")


def test_more_parts_than_anybody_reads_are_refused_with_a_bound_that_works() -> None:
    with pytest.raises(InputRejected, match="more than 10,000 parts") as refused:
        sizes_of_parts(10**9, 1000)
    assert "at least 100,000." in refused.value.cure
    assert len(sizes_of_parts(10**9, 100_000)) == MOST_PARTS


def test_a_name_says_the_table_the_part_and_the_format() -> None:
    paths = ("tables/t.csv", "tables/t/part-00012.parquet", "tables/t/part-1.csv", "tables/t/u/part-00001.csv")
    groups = [TABLE_FILE.fullmatch(path) for path in paths]
    assert [match and match.groups() for match in groups] == [("t", None, "csv"), ("t", "00012", "parquet"), None, None]
