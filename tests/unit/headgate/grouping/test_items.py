"""Items, and the rows of each."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pandas as pd
import pytest

from headgate.core.columns import Column, Kind, Role
from headgate.core.encode import ColumnSpec, encode_table
from headgate.grouping.items import groups_of_rows, items_of


@pytest.mark.parametrize("seed", range(6))
def test_items_are_rows_that_nothing_tells_apart(told, seed):
    case = told(seed, 120)
    marks = {}
    for row in range(case.rows):
        cell = tuple(case.cells[name][row] for name in case.quasi)
        same = [first for first in marks if all(case.similar(name, row, first) for name in case.names)]
        marks.setdefault(row, (cell, same))
    items, item = case.items, case.itemized.item.tolist()
    assert sorted(Counter(item).items()) == list(enumerate(items.rows.tolist()))
    for one in range(case.rows):
        for other in range(one):
            same_cell = all(case.cells[name][one] == case.cells[name][other] for name in case.quasi)
            assert same_cell == (items.item[item[one]].cell == items.item[item[other]].cell)
            values = [case.cells[name][one] == case.cells[name][other] for name in ("word", "pay")]
            if same_cell and all(values):
                assert item[one] == item[other]
            if item[one] == item[other]:
                assert all(case.similar(name, one, other) for name in case.names)
    assert items.cell.rows[:-1].tolist() == [sum(case.rows_of([cell]).values()) for cell in range(items.cells)]


def test_each_part_of_an_item_sends_exactly_its_rows_to_its_group():
    draw = np.random.default_rng(2)
    for _ in range(20):
        parts = draw.integers(1, 4, 6)
        start = np.concatenate([[0], np.cumsum(parts)]).astype(np.int64)
        group, count = draw.integers(0, 5, start[-1]), draw.integers(0, 4, start[-1])
        item = draw.permutation(np.repeat(np.arange(6), [count[start[i] : start[i + 1]].sum() for i in range(6)])).astype(np.int32)
        sent = Counter(zip(item.tolist(), groups_of_rows(item, start, group, count).tolist(), strict=True))
        wanted = Counter()
        for i in range(6):
            for part in range(start[i], start[i + 1]):
                wanted[i, int(group[part])] += int(count[part])
        assert sent == +wanted


def test_to_group_one_of_many_attributes_no_other_is_copied(monkeypatch):
    """200 attributes in 200 tables would be 40,000 copies."""
    names = ["age", *(f"answer_{i}" for i in range(30))]
    specs = {name: ColumnSpec(name, Kind.CATEGORY, Role.QUASI if name == "age" else Role.SENSITIVE) for name in names}
    table = encode_table(pd.DataFrame({name: list("abcd") for name in names}), specs)
    copied = []
    take = Column.take
    monkeypatch.setattr(Column, "take", lambda self, rows: (copied.append(self.name), take(self, rows))[1])
    items_of(table, [])
    assert copied == ["age"]
