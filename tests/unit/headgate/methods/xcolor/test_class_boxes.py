"""Losses of classes, and what leaving and replacing change, against boxes measured anew."""

from __future__ import annotations

import numpy as np
import pandas as pd
from hypothesis import given, settings
from hypothesis import strategies as st

from headgate.core.columns import Kind, Role
from headgate.core.encode import ColumnSpec, encode_table
from headgate.core.hierarchy import Hierarchy
from headgate.grouping.axes import Axes, axes_of
from headgate.methods.xcolor.class_boxes import UNIT, empty_boxes, find_positions, mark_positions, measure_class, replaced_loss

TOWN = Hierarchy.from_rows([(f"t{i}", f"r{i // 2}", "*") for i in range(6)], "town")
ROWS = 12


def axes(seed: int) -> Axes:
    draw = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "age": pd.Series([None if draw.random() < 0.15 else int(x) for x in draw.integers(0, 9, ROWS)], dtype=object),
            "town": [f"t{x}" for x in draw.integers(0, 6, ROWS)],
            "sex": draw.choice(list("fmx"), ROWS),
        }
    )
    specs = {
        "age": ColumnSpec("age", Kind.INTEGER, Role.QUASI, domain=(0, 10)),
        "town": ColumnSpec("town", Kind.CATEGORY, Role.QUASI, hierarchy=TOWN),
        "sex": ColumnSpec("sex", Kind.CATEGORY, Role.QUASI),
    }
    return axes_of(encode_table(frame, specs))


def loss_of(made: Axes, members: list[int]) -> int:
    boxes = empty_boxes(made, ROWS, 1)
    measure_class(made, boxes, 0, np.array(members))
    return int(boxes.loss[0])


cases = st.tuples(st.integers(0, 10_000), st.lists(st.integers(0, ROWS - 1), min_size=2, max_size=7, unique=True))


@settings(max_examples=80, deadline=None)
@given(cases)
def test_a_departure_changes_the_loss_to_that_of_the_others(case: tuple[int, list[int]]) -> None:
    made, members = axes(case[0]), case[1]
    boxes = empty_boxes(made, ROWS, 1)
    measure_class(made, boxes, 0, np.array(members))
    for row in members:
        assert boxes.departure[row] == loss_of(made, [other for other in members if other != row]) - boxes.loss[0] <= 0
    assert loss_of(made, members[:1]) == 0
    assert 0 <= boxes.loss[0] <= 3 * UNIT


@settings(max_examples=80, deadline=None)
@given(cases, st.integers(0, ROWS - 1))
def test_a_row_that_takes_anothers_place_gives_the_loss_of_the_class_with_it(case: tuple[int, list[int]], joining: int) -> None:
    made, members = axes(case[0]), [row for row in case[1] if row != joining]
    boxes, held = empty_boxes(made, ROWS, 1), np.zeros(len(made.of), dtype=np.bool_)
    measure_class(made, boxes, 0, np.array(members))
    find_positions(made, joining, np.array(members), held)
    for leaving in members:
        wanted = loss_of(made, [joining, *(row for row in members if row != leaving)])
        assert replaced_loss(made, boxes, 0, leaving, joining, held) == wanted


def test_positions_of_a_class_stay_marked_until_the_next_is_looked_at() -> None:
    made = axes(3)
    boxes = empty_boxes(made, ROWS, 1)
    first = mark_positions(made, boxes, np.array([0, 1]))
    assert (boxes.seen == first).any()
    assert mark_positions(made, boxes, np.array([2])) != first
