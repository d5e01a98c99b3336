"""The methods beside which `blocks` is shown: they keep k, take everybody, and lose what a plain count says."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.peers.cells import Cells, cells_of
from benchmarks.peers.hilbert_cut import cut
from benchmarks.peers.k_member import k_member
from benchmarks.peers.recounted import loss_of
from benchmarks.scale.shapes import category, number
from benchmarks.scale.shapes import drawn as shapes_drawn
from headgate.core.columns import Table
from headgate.grouping.items import items_of
from headgate.methods.anonymize import anonymize
from headgate.methods.blocks.blocks_method import Blocks
from headgate.methods.settings import Settings

pytestmark = pytest.mark.slow  # the peers' loops compile first


def drawn(seed: int, rows: int = 61) -> Table:
    draw = np.random.default_rng(seed)
    columns = {"age": number(draw.integers(0, 9, rows)), "height": number(draw.random(rows)), "town": category(draw.integers(0, 5, rows))}
    return Table(columns, tuple(columns), ())


def lost(table: Table, groups: np.ndarray) -> float:
    """By the definition: the width of a group's numbers over the domain, its different categories over all; 1 for who is left out."""
    total = 0.0
    for group in np.unique(groups):
        rows = np.flatnonzero(groups == group)
        for column in table.select(table.quasi):
            values = column.values[column.codes[rows]]
            if group < 0:
                share = 1.0
            elif column.kind.numeric:
                share = (values.max() - values.min()) / (column.values[-1] - column.values[0])
            else:
                share = len(set(values)) / len(column.values) if len(set(values)) > 1 else 0.0
            total += share * len(rows) / len(table.quasi)
    return total / table.rows


@pytest.mark.parametrize("k", [2, 5, 20, 31, 61])
def test_k_member_and_the_cut_curve_put_everybody_into_groups_of_k(k: int) -> None:
    table = drawn(k)
    cells = cells_of(table)
    order = np.random.default_rng(k).permutation(len(cells))
    for groups in (k_member(cells, k), cut(cells, order, k)):
        assert groups.min() == 0
        assert np.bincount(groups).min() >= k
        assert loss_of(items_of(table, ()), groups, k) == pytest.approx(lost(table, groups))


def test_a_suppressed_row_loses_all_that_there_is() -> None:
    table = drawn(1)
    groups = k_member(cells_of(table), 5)
    groups[groups == 3] = -1
    assert loss_of(items_of(table, ()), groups, 5) == pytest.approx(lost(table, groups))
    assert loss_of(items_of(table, ()), np.full(table.rows, -1, dtype=np.int32), 5) == 1.0


def test_a_group_of_fewer_than_k_rows_is_no_comparison() -> None:
    table = drawn(2)
    with pytest.raises(ValueError, match="A group has 5 rows, and k is 6"):
        loss_of(items_of(table, ()), k_member(cells_of(table), 5), 6)


def test_no_other_cut_of_a_line_loses_less() -> None:
    """Against all of them, on a line of ten rows."""
    table = drawn(3, 10)
    cells = cells_of(table)
    order = np.arange(len(cells))
    line = np.concatenate([cells.row[cells.start[cell] : cells.start[cell + 1]] for cell in order])
    every = []
    for marks in range(2**9):
        groups = np.empty(10, dtype=np.int32)
        groups[line] = np.concatenate([[0], np.cumsum([(marks >> place) & 1 for place in range(9)])])
        if np.bincount(groups).min() >= 2:
            every.append(lost(table, groups))
    assert lost(table, cut(cells, order, 2)) == pytest.approx(min(every))


def test_k_member_takes_whoever_widens_a_cluster_least() -> None:
    """By hand: from one end, then the farthest from there; the one left over joins its nearest."""
    ages = np.array([0, 1, 2, 50, 51, 52, 98, 99, 100, 60])
    table = Table({"age": number(ages)}, ("age",), ())
    groups = k_member(cells_of(table), 3)
    assert len(set(groups[:3])) == len(set(groups[3:6])) == len(set(groups[6:9])) == 1
    assert groups[9] == groups[3]


def test_blocks_keeps_sparse_people_as_close_as_greedy_growth_does() -> None:
    """Everybody is alone in their cell: with boxes and orders alone they lost 9 % more."""
    table, k = shapes_drawn("15 numbers of 100 values, 2 factors", 1_000), 5
    groups = anonymize(Blocks(), table, (), Settings(k), 0).groups
    itemized = items_of(table, ())
    assert loss_of(itemized, groups, k) <= loss_of(itemized, k_member(cells_of(table), k), k)


def test_a_table_with_a_missing_cell_is_not_taken() -> None:
    table = drawn(4)
    table["age"].codes[0] = len(table["age"].values)
    with pytest.raises(ValueError, match="missing"):
        cells_of(table)


def test_cells_hold_each_row_once() -> None:
    table = drawn(5)
    cells: Cells = cells_of(table)
    assert sorted(cells.row.tolist()) == list(range(table.rows))
    assert cells.rows.sum() == table.rows
    assert cells.count.tolist() == [0, 0, 5]
