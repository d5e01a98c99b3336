from __future__ import annotations

import numpy as np

from benchmarks.every_partition import groups_of
from headgate.methods.searching.annealing import RANDOM, Cooling, resolve
from headgate.methods.searching.narrowing import narrow
from tests.unit.headgate.methods.searching.begun_tables import begun, counted


def test_groups_lose_less_and_still_keep_their_limits() -> None:
    narrower = 0
    for seed in range(8):
        case, itemized, seats = begun(seed)
        tally, state = np.array([0, 7], dtype=np.int64), np.zeros(3, dtype=np.int64)
        assert tally[RANDOM] == 7
        if not resolve(seats, case.k, Cooling(20_000, 1.0, 0.15), tally, 10**9, state):
            continue
        before = case.loss(groups_of(seats.group))
        cell = itemized.items.item.cell[itemized.item].astype(np.int64)
        narrow(seats, itemized.items.axes, cell, case.k, 20_000, tally, state)
        assert not any(counted(seats)), seed
        assert seats.size.min() >= case.k
        assert case.loss(groups_of(seats.group)) <= before + 1e-12
        narrower += case.loss(groups_of(seats.group)) < before
    assert narrower >= 3
