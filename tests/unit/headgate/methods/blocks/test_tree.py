"""The tree of boxes: what it cuts, against every cut there is."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from headgate.core.columns import Kind, Role
from headgate.core.encode import ColumnSpec, encode_table
from headgate.grouping.items import items_of
from headgate.methods.blocks.tree import grow_tree

SEEDS = range(10)
UNBOUNDED = 10_000


def _grown(case, k, at_most=UNBOUNDED):
    cells = np.arange(case.items.cells)
    return grow_tree(case.items, cells, k, np.ones(len(case.names)), at_most, np.zeros(3, dtype=np.int64))


def _cells(tree, box):
    return tree.order[tree.box[box].start : tree.box[box].stop].tolist()


@pytest.mark.parametrize("seed", SEEDS)
def test_leaves_share_out_all_cells_and_hold_k_rows(told, seed):
    case = told(seed, 80)
    tree = _grown(case, 4)
    leaves = [box for box in range(len(tree.box)) if tree.box[box].left < 0]
    assert sorted(cell for box in leaves for cell in _cells(tree, box)) == list(range(case.items.cells))
    assert min(sum(case.rows_of(_cells(tree, box)).values()) for box in leaves) >= 4


def test_a_cut_that_a_sample_of_cells_recommends_still_leaves_k_rows():
    """Nine rows of one age far from 1,500 others: cells are compared by a sample of one in three, in which k = 10 is four rows."""
    specs = {"age": ColumnSpec("age", Kind.INTEGER, Role.QUASI), "word": ColumnSpec("word", Kind.CATEGORY, Role.SENSITIVE)}
    table = encode_table(pd.DataFrame({"age": [0] * 9 + [*range(10_000, 11_500)], "word": ["x"] * 1_509}), specs)
    items = items_of(table, []).items
    tree = grow_tree(items, np.arange(items.cells), 10, np.empty(0), UNBOUNDED, np.zeros(3, dtype=np.int64))
    rows = [int(items.cell.rows[_cells(tree, box)].sum()) for box in range(len(tree.box)) if tree.box[box].left < 0]
    assert sum(rows) == 1_509
    assert min(rows) >= 10


@pytest.mark.parametrize("seed", SEEDS)
def test_boxes_span_their_cells_and_both_halves_lose_less_than_the_whole(told, seed):
    case = told(seed, 80, limited=False)
    tree = _grown(case, 4)
    assert len(tree.box) > 1

    def lost(box):
        rows = case.rows_of(_cells(tree, box))
        return sum(rows.values()) * case.loss(rows)

    for box in range(len(tree.box)):
        position = case.items.axes.position[_cells(tree, box)]
        assert tree.span.low[box].tolist() == position.min(axis=0).tolist()
        assert tree.span.high[box].tolist() == position.max(axis=0).tolist()
        if tree.box[box].left >= 0:
            halves = (tree.box[box].left, tree.box[box].right)
            assert _cells(tree, halves[0]) + _cells(tree, halves[1]) == _cells(tree, box)
            assert [tree.box[half].parent for half in halves] == [box, box]
            if "town" not in case.quasi:  # in a hierarchy a cut may only pay by the next one
                assert sum(map(lost, halves)) < lost(box)


@pytest.mark.parametrize("seed", SEEDS)
def test_the_first_cut_is_the_one_after_which_rows_lose_least(told, seed):
    """Every step between two values of every attribute, missing cells last."""
    case = told(seed, 60, limited=False, quasi=("age", "school", "colour"))
    k = 5
    tree = _grown(case, k, at_most=3)
    levels = {"age": sorted, "colour": sorted, "school": lambda values: sorted(values, key=("none", "low", "mid", "high").index)}
    costs = []
    for name in case.quasi:
        present = levels[name](set(case.cells[name]) - {None}) + [None] * (None in case.cells[name])
        for step in range(1, len(present)):
            halves = [{}, {}]
            for item, rows in enumerate(case.items.rows.tolist()):
                halves[present.index(case.cells[name][case.like[item]]) >= step][item] = rows
            sizes = [sum(half.values()) for half in halves]
            if min(sizes) >= k:
                costs.append(sum(size * case.loss(half) for size, half in zip(sizes, halves, strict=True)))
    chosen = [case.rows_of(_cells(tree, box)) for box in (1, 2)]
    assert sum(sum(half.values()) * case.loss(half) for half in chosen) == pytest.approx(min(costs), abs=1e-9)
