from __future__ import annotations

import numpy as np
import pyarrow as pa

from headgate.core.text_hashes import text_hashes


def hashes_of(texts: list[str]) -> list[int]:
    _, ends, letters = pa.array(texts).buffers()
    return text_hashes(np.frombuffer(ends, dtype=np.int32)[: len(texts) + 1], np.frombuffer(letters or b"", dtype=np.uint8)).tolist()


def test_equal_texts_have_one_hash_and_others_have_others() -> None:
    texts = [f"P{row}" for row in range(50_000)]
    once = hashes_of(texts)
    assert len(set(once)) == 50_000
    assert hashes_of(texts[::-1]) == once[::-1]


def test_every_letter_counts_and_so_does_its_place() -> None:
    assert len(set(hashes_of(["", "a", "b", "ab", "ba", "aab", "aba", "é", "a "]))) == 9
