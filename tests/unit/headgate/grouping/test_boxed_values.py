"""On the safe side where values are too many for a table."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headgate.core.distance import Distance
from headgate.grouping import nearness as compiled
from headgate.grouping.nearness import RANGE
from tests.unit.headgate.grouping.similar_cells import LEVELS, cases, limit_over, similar_cells, steering_by, taken_for_similar


@settings(max_examples=50, deadline=None)
@given(cases(rows=st.integers(15, 40)), st.sampled_from([2, 6, 15]))
def test_boxes_of_values_miss_no_similar_pair_and_no_centre(drawn, most):
    """As if a table of `most` values were as large as can be, and lists too long."""
    limit = limit_over(*drawn)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(compiled, "LARGEST_TABLE", most)
        patch.setattr(compiled, "MOST_VALUES", 0)
        steering = steering_by(limit)
    if steering.of[0].form > RANGE:
        assert steering.value.max() <= most
        assert steering.own.centre[steering.value[:, 0]].all()
        assert (taken_for_similar(steering, limit) | ~similar_cells(drawn)).all()


def test_boxes_tell_apart_what_is_far_apart():
    """On the safe side is not everywhere: two attributes, hundreds of values."""
    draw = np.random.default_rng(0)
    drawn = {"pay": draw.random(100).tolist(), "rank": draw.choice(LEVELS, 100).tolist()}, Distance(weights={"pay": 1, "rank": 1}), "0.2"
    limit = limit_over(*drawn)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(compiled, "LARGEST_TABLE", 80)
        patch.setattr(compiled, "MOST_VALUES", 0)
        steering = steering_by(limit)
    assert steering.value.max() < 80 < len(limit.distinct)
    taken, similar = taken_for_similar(steering, limit), similar_cells(drawn)
    assert (taken | ~similar).all()
    assert taken.sum() < 1.5 * similar.sum()


def test_a_box_with_a_centre_among_others_is_a_centre():
    draw = np.random.default_rng(1)
    drawn = {"pay": draw.random(60).tolist(), "rank": draw.choice(LEVELS, 60).tolist()}, Distance(weights={"pay": 1, "rank": 1}), "0.2"
    limit = limit_over(*drawn)
    limit = replace(limit, centre=np.arange(len(limit.distinct)) % 7 == 0)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(compiled, "LARGEST_TABLE", 6)
        patch.setattr(compiled, "MOST_VALUES", 0)
        steering = steering_by(limit)
    assert steering.value.max() < 6
    assert steering.own.centre[steering.value[limit.centres(), 0]].all()
