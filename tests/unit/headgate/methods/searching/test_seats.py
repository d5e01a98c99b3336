from __future__ import annotations

import numpy as np

from tests.unit.headgate.methods.searching.begun_tables import begun, counted


def test_similar_rows_are_those_of_the_definitions() -> None:
    for seed in range(6):
        case, itemized, seats = begun(seed)
        order = {limit.name: at for at, limit in enumerate(case.settings().limits)}
        assert len(order) == len(seats.near) == len(case.promises)
        expected = sorted(case.near(promised).astype(int).sum() for promised in case.promises)
        assert sorted(near.astype(int).sum() for near in seats.near) == expected
        assert all((near == near.T).all() and near.diagonal().all() for near in seats.near)
        assert seats.centre.all()
        assert len(itemized.item) == case.rows


def test_everybody_sits_in_a_group_and_is_counted() -> None:
    for seed in range(6):
        _, _, seats = begun(seed)
        assert seats.over.tolist() == counted(seats)
        for group, size in enumerate(seats.size.tolist()):
            members = seats.member[group, :size]
            assert sorted(members.tolist()) == np.flatnonzero(seats.group == group).tolist()
            assert seats.place[members].tolist() == list(range(size))
