"""Individuals that fit, counted along sorted rows, against looking at each."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from headgate.risk.candidates.runs import joined, merged, stacked
from headgate.risk.candidates.trie import trie_of

PEOPLE = st.lists(st.tuples(st.integers(-1, 4), st.integers(-1, 4)), min_size=1, max_size=25)
STRETCH = st.tuples(st.integers(0, 5), st.integers(0, 5)).map(lambda ends: (min(ends), max(ends)))


@settings(max_examples=60, deadline=None)
@given(PEOPLE, st.lists(st.tuples(STRETCH, STRETCH), min_size=1, max_size=6))
def test_a_trie_counts_whoever_is_covered_in_every_field(people: list[tuple[int, int]], records: list[tuple[tuple[int, int], ...]]) -> None:
    runs, offsets = stacked([joined([merged(*record[field]) for record in records], 5) for field in (0, 1)])
    wanted = np.array([[i + offsets[0], i + offsets[1]] for i in range(len(records))], dtype=np.int32)
    trie = trie_of([np.array([person[field] for person in people], dtype=np.int32) for field in (0, 1)])
    fits = [
        sum(all(person[field] < 0 or record[field][0] <= person[field] < record[field][1] for field in (0, 1)) for person in people)
        for record in records
    ]
    assert trie.count(wanted, runs, 10**6).tolist() == fits
    assert (trie.count(wanted, runs, 0) == -1).all()
