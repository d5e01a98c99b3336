"""A region is a table of its own."""

from __future__ import annotations

import pickle

import numpy as np

from headgate.methods.blocks.local_groups import group_region
from headgate.methods.blocks.region import Region, grouped, items_inside
from tests.unit.headgate.methods.blocks.drafts import K, rows_by_item


def _region(case, cells):
    return Region(case.items, cells, K, np.ones(len(case.names)), K, (3, 1))


def test_its_items_are_those_of_its_cells(told):
    case = told(2, 80)
    cells = np.arange(1, case.items.cells, 2)
    own, inside = _region(case, cells).alone(), items_inside(case.items, cells)
    assert own.cells == len(cells)
    assert (cells[own.item.cell] == case.items.item.cell[inside]).all()
    assert (own.rows == case.items.rows[inside]).all()
    assert (own.cell.rows[:-1] == case.items.cell.rows[cells]).all()
    assert (own.axes.position == case.items.axes.position[cells]).all()
    for cell in range(own.cells):
        assert set(own.item.cell[own.cell.start[cell] : own.cell.start[cell + 1]]) == {cell}
    alike = case.items.item.joint[inside][:, None] == case.items.item.joint[inside]
    assert (alike == (own.item.joint[:, None] == own.item.joint)).all()


def test_sent_away_it_takes_no_other_cells_along_and_has_the_same_groups(told):
    case = told(1, 200)
    region = _region(case, np.arange(case.items.cells // 4))
    sent = pickle.dumps(region, protocol=5)
    there = pickle.loads(sent)
    assert there.items.cells == len(region.cells)
    assert int(there.items.rows.sum()) < int(case.items.rows.sum())
    here, elsewhere = (group_region(own, np.zeros(3, dtype=np.int64)) for own in (region, there))
    assert rows_by_item(here.groups) == rows_by_item(elsewhere.groups)
    came_back = pickle.loads(pickle.dumps(grouped(elsewhere), protocol=5))
    assert (came_back.of.rows == here.groups.of.rows[: here.groups.now[0].groups]).all()
