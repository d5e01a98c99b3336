"""Orders of cells."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pandas as pd
import pytest

from headgate.core.columns import Kind, Role
from headgate.core.compiling import loop
from headgate.core.encode import ColumnSpec, encode_table
from headgate.grouping.axes import axes_of
from headgate.methods.blocks.orders import axes_by_step, snake


@loop
def _snake(axes, cells, turns):
    return snake(axes, cells, turns)


def _grid(*sizes):
    """The axes of all combinations of so many ordered values each, shuffled."""
    places = np.stack(np.meshgrid(*map(np.arange, sizes), indexing="ij"), axis=-1).reshape(-1, len(sizes))
    places = np.random.default_rng(0).permutation(places)
    names = [f"q{i}" for i in range(len(sizes))]
    frame = pd.DataFrame(places, columns=names).assign(s="x")
    specs = {name: ColumnSpec(name, Kind.INTEGER, Role.QUASI) for name in names}
    specs["s"] = ColumnSpec("s", Kind.CATEGORY, Role.SENSITIVE)
    return axes_of(encode_table(frame, specs))


@pytest.mark.parametrize(("sizes", "turns"), [((4, 3, 5), (0, 1, 2)), ((4, 3, 5), (2, 0, 1)), ((2, 2, 2, 3), (3, 1, 0, 2)), ((7,), (0,))])
def test_in_a_full_grid_each_cell_of_the_order_is_one_step_from_the_next(sizes, turns):
    axes = _grid(*sizes)
    order = _snake(axes, np.arange(len(axes.position)), np.array(turns))
    assert sorted(order.tolist()) == list(range(len(axes.position)))
    steps = np.abs(np.diff(axes.position[order].astype(int), axis=0))
    assert (steps.sum(axis=1) == 1).all()


@pytest.mark.parametrize("seed", range(4))
def test_cells_that_agree_on_the_outer_axes_lie_side_by_side(told, seed):
    axes = told(seed, 80, limited=False).items.axes
    turns = np.random.default_rng(seed).permutation(len(axes.of))
    order = _snake(axes, np.arange(len(axes.position)), turns)
    for depth in range(1, len(turns) + 1):
        prefixes = [tuple(axes.position[cell, turns[:depth]]) for cell in order]
        changes = sum(one != other for one, other in pairwise(prefixes))
        assert changes == len(set(prefixes)) - 1


def test_the_axis_on_which_a_step_loses_most_comes_first():
    axes = _grid(9, 2, 4)
    assert axes_by_step(axes, np.arange(len(axes.position))).tolist() == [1, 2, 0]
