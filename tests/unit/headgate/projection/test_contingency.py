from collections import Counter

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headgate.core.columns import Kind, Role
from headgate.core.encode import ColumnSpec, encode_column
from headgate.core.errors import InputRejected
from headgate.projection.contingency import joints
from headgate.projection.information import associations

cells = st.sampled_from(["u", "v", "w", None])
tables = st.lists(st.tuples(cells, cells, cells), min_size=1, max_size=40)


def _columns(rows):
    return tuple(
        encode_column(
            pd.Series([row[i] for row in rows], dtype=object),
            ColumnSpec(f"a{i}", Kind.CATEGORY, Role.SENSITIVE, nonsensitive=frozenset({"u"} if i == 0 else {None})),
        )
        for i in range(len(rows[0]))
    )


def _as_dictionary(joint, width):
    return {(int(cell) // width - 1, int(cell) % width - 1): int(count) for cell, count in zip(joint.cells, joint.counts, strict=True)}


@settings(max_examples=60, deadline=None)
@given(tables)
def test_joint_values_are_counted_as_they_occur(rows):
    columns = _columns(rows)
    met = list(joints(columns))
    assert [(i, j) for i, j, _ in met] == [(0, 1), (0, 2), (1, 2)]
    for i, j, joint in met:
        expected = Counter(zip(columns[i].codes.tolist(), columns[j].codes.tolist(), strict=True))
        assert _as_dictionary(joint, len(columns[j].values) + 1) == expected
        assert (np.diff(joint.cells) > 0).all()
        assert joint.counts.sum() == len(rows)


def test_attributes_of_different_length_are_refused():
    one, other = _columns([("u",), ("v",)]), _columns([("u",)])
    with pytest.raises(InputRejected, match="numbers of rows"):
        list(joints((*one, *other)))


def test_nothing_to_count_is_refused():
    with pytest.raises(InputRejected, match="no rows"):
        associations([])
    with pytest.raises(InputRejected, match="no rows"):
        associations([column.take(np.arange(0)) for column in _columns([("u", "v")])])
