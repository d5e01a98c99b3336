"""Who is similar to whom, as the loops of grouping see it."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headgate.core.distance import Distance
from headgate.grouping import nearness as compiled
from headgate.grouping.nearness import LISTED, RANGE, TABLE
from tests.unit.headgate.grouping.similar_cells import cases, limit_over, similar_cells, steering_by, taken_for_similar


@settings(max_examples=50, deadline=None)
@given(cases(), st.booleans())
def test_by_order_table_or_list_the_similar_ones_are_those_within_epsilon(drawn, listed):
    limit = limit_over(*drawn)
    with pytest.MonkeyPatch.context() as patch:
        if listed:
            patch.setattr(compiled, "LARGEST_TABLE", 0)
        steering = steering_by(limit)
    assert steering.of[0].form <= RANGE or steering.of[0].form == (LISTED if listed else TABLE)
    assert (taken_for_similar(steering, limit) == similar_cells(drawn)).all()


@settings(max_examples=25, deadline=None)
@given(cases(names=["pay", "word"]), st.sampled_from(["0.1", "0.25"]))
def test_where_words_must_agree_similar_pays_follow_each_other_whichever_column_comes_first(drawn, epsilon):
    """Then no table of pairs is needed."""
    drawn = {**drawn[0], "pay": [0.0, 0.01, *drawn[0]["pay"][2:]]}, Distance(weights={"pay": 1.0, "word": 1.0}), epsilon
    limit = limit_over(*drawn)
    steering = steering_by(limit)
    assert steering.of[0].form == RANGE
    assert (taken_for_similar(steering, limit) == similar_cells(drawn)).all()
