from collections import Counter
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headgate.core.columns import Kind, Role
from headgate.core.encode import ColumnSpec, encode_column
from headgate.core.errors import InputRejected
from headgate.projection.contingency import counts_of
from headgate.projection.information import associations, associations_of

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
    counts = counts_of(columns)
    for (i, j), joint in zip(((0, 1), (0, 2), (1, 2)), counts.joint, strict=True):
        expected = Counter(zip(columns[i].codes.tolist(), columns[j].codes.tolist(), strict=True))
        assert _as_dictionary(joint, len(columns[j].values) + 1) == expected
        assert (np.diff(joint.cells) > 0).all()
    assert counts.rows == len(rows)


@settings(max_examples=60, deadline=None)
@given(tables, st.data())
def test_counts_of_chunks_of_rows_add_up_to_those_of_the_whole(rows, data):
    columns = _columns(rows)
    cut = data.draw(st.integers(0, len(rows)))
    halves = [counts_of([column.take(np.arange(a, b)) for column in columns]) for a, b in ((0, cut), (cut, len(rows)))]
    added, whole = halves[1] + halves[0], counts_of(columns)
    assert added.rows == whole.rows == len(rows)
    for one, other in zip((*added.alone, *(j.cells for j in added.joint)), (*whole.alone, *(j.cells for j in whole.joint)), strict=True):
        assert one.tolist() == other.tolist()
    assert [joint.counts.tolist() for joint in added.joint] == [joint.counts.tolist() for joint in whole.joint]
    figures, expected = associations_of(added), associations(columns)
    assert figures.information.tolist() == expected.information.tolist()
    assert figures.exposable.tolist() == expected.exposable.tolist()
    assert figures.entropy.tolist() == expected.entropy.tolist()


def test_chunks_that_were_encoded_apart_are_not_added():
    one, other = _columns([("u", "v", "w"), ("v", "v", "v")]), _columns([("u", "v", "w"), ("w", "v", "v")])
    with pytest.raises(InputRejected, match="encoded with different values"):
        counts_of(one) + counts_of(other)
    louder = tuple(replace(column, sensitive=np.ones_like(column.sensitive)) for column in one)
    with pytest.raises(InputRejected, match="encoded with different values"):
        counts_of(one) + counts_of(louder)


def test_attributes_of_different_length_are_refused():
    one, other = _columns([("u",), ("v",)]), _columns([("u",)])
    with pytest.raises(InputRejected, match="numbers of rows"):
        counts_of((*one, *other))


def test_nothing_to_count_is_refused():
    with pytest.raises(InputRejected, match="no rows"):
        associations([])
    with pytest.raises(InputRejected, match="no rows"):
        associations([column.take(np.arange(0)) for column in _columns([("u", "v")])])
