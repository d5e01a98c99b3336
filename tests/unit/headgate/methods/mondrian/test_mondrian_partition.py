from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headgate.core.published_form.published_table import publish_form
from headgate.methods.mondrian.mondrian_partition import mondrian_partition
from tests.unit.headgate.methods.mondrian.definitions import (
    MONOTONE,
    OTHERS,
    SENSITIVE,
    Oracle,
    as_sets,
    encoded,
    frames,
    settings_of,
)


@pytest.mark.slow
@settings(max_examples=100, deadline=None)
@given(frames(), st.sampled_from(MONOTONE + OTHERS), st.sampled_from([(), ("none",), ("none", None)]), st.integers(2, 5), st.booleans())
def test_what_is_reached_keeps_every_definition_in_groups_and_published_classes(drawn, asked, harmless, k, strict):
    frame, quasi = drawn
    if len(frame) < k:
        return
    table, oracle = encoded(frame, quasi, harmless), Oracle(frame, harmless, asked)
    found = mondrian_partition(table, SENSITIVE, settings_of(table, k, asked), strict)
    groups = as_sets(found.groups)
    assert sorted(row for group in groups for row in group) == list(range(len(frame)))
    assert min(map(len, groups)) == found.smallest >= k
    classes = as_sets(publish_form(table, found.groups, "t", ["illness"]).by_values())
    assert found.reached == all(oracle.holds(list(rows)) for rows in groups | classes)
    assert found.reached == (not found.broken) == (found.rows_over == 0)
    if oracle.holds(list(range(len(frame)))):
        assert found.reached  # at worst all cuts are taken back
