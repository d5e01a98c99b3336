"""What cells span together."""

from __future__ import annotations

import numpy as np
import pytest

from headgate.core.compiling import empty_records, loop
from headgate.methods.blocks.sweep import SPAN, begin_sweep, meet, spanned_loss


@loop
def _losses(axes, cells, seen):
    """After each cell, what those so far lose as one group."""
    span, clock, losses = np.zeros(len(axes.of), dtype=SPAN), np.zeros(1, dtype=np.int64), np.empty(len(cells))
    begin_sweep(span, clock)
    for i in range(len(cells)):
        meet(axes, span, seen, clock[0], cells[i])
        losses[i] = spanned_loss(axes, span)
    return losses


@pytest.mark.parametrize("seed", range(6))
def test_a_sweep_knows_after_each_cell_what_those_so_far_lose(told, seed):
    case = told(seed, 40, limited=False)
    axes = case.items.axes
    assert empty_records(1, SPAN).different[0] == 0
    cells = np.random.default_rng(seed).permutation(case.items.cells)[:12]
    losses = _losses(axes, cells, np.full(len(axes.at) + 1, -1, dtype=np.int64))
    for i, loss in enumerate(losses.tolist()):
        assert loss == pytest.approx(case.loss(case.rows_of(cells[: i + 1].tolist())), abs=1e-12)
