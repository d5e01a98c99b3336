"""Who sits where and how many similar rows there are, against counting all pairs."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headgate.core.columns import Kind, Role
from headgate.core.encode import ColumnSpec, encode_table
from headgate.grouping.limits import NeighbourhoodLimit, dissimilarity, linkability
from headgate.grouping.nearness import compile_limits, order_of_limits
from headgate.methods.xcolor.classes import crowd_of, edge, empty_crowds, put, seat, similar_in, violates

ROWS, COUNT = 12, 3


def limits_of(seed: int) -> tuple[NeighbourhoodLimit, ...]:
    draw = np.random.default_rng(seed)
    frame = pd.DataFrame({"pay": draw.integers(0, 9, ROWS), "word": draw.choice(list("uvw"), ROWS)})
    specs = {
        "pay": ColumnSpec("pay", Kind.INTEGER, Role.SENSITIVE, domain=(0, 10)),
        "word": ColumnSpec("word", Kind.CATEGORY, Role.SENSITIVE, nonsensitive=frozenset({"u"})),
    }
    table = encode_table(frame, specs)
    return dissimilarity(table.select(["pay", "word"]), "0.2", "0.5"), linkability(table["word"], "0.5")


@pytest.mark.parametrize("seed", range(6))
def test_counts_stay_exact_while_rows_change_places(seed: int) -> None:
    limits = limits_of(seed)
    compiled = compile_limits(limits, ROWS)
    groups = (np.random.default_rng(seed).permutation(ROWS) % COUNT).astype(np.int32)
    classes = seat(compiled, groups, COUNT)
    crowds = empty_crowds(compiled, COUNT, int(classes.size.max()))
    draw = np.random.default_rng(seed + 100)
    for _ in range(8):
        for l in range(len(limits)):  # noqa: E741
            for row in range(ROWS):
                together = [other for other in range(ROWS) if classes.group[other] == classes.group[row]]
                assert classes.inside[row, l] == sum(edge(compiled, l, row, other) for other in together)
                for g in range(COUNT):
                    there = sum(edge(compiled, l, row, other) for other in range(ROWS) if classes.group[other] == g)
                    assert similar_in(compiled, classes, crowds, l, row, g) == there
        one, other = draw.choice(ROWS, 2, replace=False)
        home, away = classes.group[one], classes.group[other]
        if home != away:
            spot, other_spot = classes.place[one], classes.place[other]
            put(compiled, classes, crowds, other, one, home, spot)
            put(compiled, classes, crowds, one, other, away, other_spot)
        assert sorted(classes.member[g, i] for g in range(COUNT) for i in range(classes.size[g])) == list(range(ROWS))


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10_000))
def test_a_row_violates_if_it_is_sensitive_and_has_too_many_similar_ones(seed: int) -> None:
    limits = limits_of(seed)
    compiled = compile_limits(limits, ROWS)
    classes = seat(compiled, (np.arange(ROWS) % COUNT).astype(np.int32), COUNT)
    for row in range(ROWS):
        together = [other for other in range(ROWS) if other % COUNT == row % COUNT]
        wanted = any(
            limit.centres()[row] and sum(edge(compiled, l, row, other) for other in together) > limit.allowed[len(together)]
            for l, limit in enumerate(order_of_limits(limits))  # noqa: E741
        )
        assert violates(compiled, classes, row) == wanted


def test_the_oldest_counts_go_when_there_is_no_room_for_more() -> None:
    compiled = compile_limits(limits_of(1)[:1], ROWS)
    classes = seat(compiled, (np.arange(ROWS) % COUNT).astype(np.int32), COUNT)
    crowds = empty_crowds(compiled, COUNT, 4)
    few = crowds._replace(rows=crowds.rows[:2], limit=crowds.limit[:2], row=crowds.row[:2])
    different = [int(np.flatnonzero(compiled.value[:, 0] == value)[0]) for value in np.unique(compiled.value[:, 0])[:3]]
    slots = [crowd_of(compiled, classes, few, 0, row) for row in different]
    assert slots == [0, 1, 0]
    assert few.slot[compiled.value[different[0], 0]] == -1
    for row, slot in zip(different[1:], slots[1:], strict=True):
        counts = [sum(edge(compiled, 0, row, other) for other in range(ROWS) if other % COUNT == g) for g in range(COUNT)]
        assert few.rows[slot].tolist() == counts
