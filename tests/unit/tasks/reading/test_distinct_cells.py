from __future__ import annotations

import numpy as np
import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from tasks.reading.distinct_cells import coded_texts, distinct_texts, in_order, narrowest, places_of, untrimmed_texts

TEXTS = st.lists(st.sampled_from([None, "", " ", "a", " a", "a ", "b", "7", "é"]), max_size=12)


@given(TEXTS, st.integers(1, 5))
def test_a_column_is_coded_alike_however_it_is_held(texts: list[str | None], at_once: int) -> None:
    trimmed = [(text or "").strip() or None for text in texts]
    known = list(dict.fromkeys(text for text in trimmed if text is not None))
    plain = pa.chunked_array([texts[start : start + at_once] for start in range(0, len(texts), at_once)], pa.string())
    for cells in (plain, plain.dictionary_encode()):
        codes, found = distinct_texts(cells, "x", "The table")
        assert found == known
        assert codes.tolist() == [-1 if text is None else known.index(text) for text in trimmed]
        assert untrimmed_texts(cells, "x", "The table") == list(dict.fromkeys(text for text in texts if text))


def test_texts_that_no_row_has_are_not_told() -> None:
    cells = pa.chunked_array([pa.DictionaryArray.from_arrays(pa.array([2, None, 0], pa.int8()), ["c", "unused", "a"])])
    assert distinct_texts(cells, "x", "The table")[1] == untrimmed_texts(cells, "x", "The table") == ["a", "c"]


def test_texts_that_are_read_alike_become_one() -> None:
    codes, texts = in_order(np.array([0, 1, 2, -1, 1]), ["x", None, "x"])
    assert (codes.tolist(), texts) == ([0, -1, 0, -1, -1], ["x"])


def test_places_are_held_in_the_narrowest_numbers() -> None:
    cells = coded_texts(np.array([1, -1, 0]), ["a", "b"])
    assert cells.to_pylist() == ["b", None, "a"]
    assert (cells.type.index_type, places_of(cells.combine_chunks()).tolist()) == (pa.int8(), [1, -1, 0])
    assert [narrowest(many) for many in (127, 128, 40_000)] == [np.int8, np.int16, np.int32]
