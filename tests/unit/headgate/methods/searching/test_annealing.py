from __future__ import annotations

import numpy as np

from headgate.grouping.watch import STOP
from headgate.methods.searching.annealing import RANDOM, WORK, Cooling, resolve
from headgate.methods.searching.seats import Seats
from tests.unit.headgate.methods.searching.begun_tables import begun, counted

SLOWLY = Cooling(20_000, 1.0, 0.15)


def search(seats: Seats, k: int, cooling: Cooling = SLOWLY, most: int = 10**9, seed: int = 7, stopped: int = 0) -> tuple[bool, int]:
    tally, state = np.zeros(2, dtype=np.int64), np.zeros(3, dtype=np.int64)
    tally[RANDOM], state[STOP] = seed, stopped
    return resolve(seats, k, cooling, tally, most, state), int(tally[WORK])


def test_limits_come_to_be_kept_and_counts_stay_true() -> None:
    reached = 0
    for seed in range(12):
        case, _, seats = begun(seed)
        before = sum(counted(seats))
        kept, _ = search(seats, case.k)
        assert seats.over.tolist() == counted(seats), seed
        assert kept == (sum(counted(seats)) == 0), seed
        assert seats.size.min() >= case.k
        assert np.bincount(seats.group).tolist() == seats.size.tolist()
        reached += kept and before > 0
    assert reached >= 6


def test_the_same_seed_gives_the_same_groups() -> None:
    groups = []
    for seed in (7, 7, 8):
        case, _, seats = begun(1)
        search(seats, case.k, Cooling(300, 1.0, 0.5), seed=seed)
        groups.append(seats.group.tolist())
    assert groups[0] == groups[1] != groups[2]


def test_it_ends_when_enough_was_looked_at_or_it_is_stopped() -> None:
    case, _, seats = begun(1)
    assert sum(counted(seats)) > 0
    before = seats.group.tolist()
    assert search(seats, case.k, most=0) == (False, 0)
    assert search(seats, case.k, stopped=1) == (False, 0)
    assert seats.group.tolist() == before
    _, looked = search(seats, case.k, Cooling(100, 1.0, 0.9), most=40)
    assert looked < 40 + 2 * case.rows * len(seats.near)
