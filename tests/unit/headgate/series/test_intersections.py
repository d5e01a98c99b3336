from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from headgate.counting.class_counts import class_counts
from headgate.series import intersections as room
from headgate.series.intersections import intersections
from tests.unit.headgate.series.by_definition import few


def drawn(seed: int) -> tuple[list[Counter[int]], np.ndarray, room.Intersections]:
    draw = np.random.default_rng(seed)
    versions, chains = int(draw.integers(1, 6)), int(draw.integers(1, 9))
    values = draw.integers(-1, 4, 40).astype(np.int32)
    classes = np.concatenate([np.arange(8), draw.integers(0, 8, 32)]).astype(np.int32)
    rows = draw.integers(-1, 8, (chains, versions)).astype(np.int32)
    rows[:, 0] = np.maximum(rows[:, 0], 0)
    groups = [Counter(values[classes == group].tolist()) for group in range(8)]
    parts = list(intersections(rows, class_counts(values, classes), np.zeros(5, dtype=np.bool_)))
    assert len(parts) == 1
    return groups, rows, parts[0]


@pytest.mark.parametrize("seed", range(40))
def test_intersections_are_the_least_counts_over_singles_pairs_and_all(seed: int) -> None:
    groups, rows, found = drawn(seed)
    counts = found.counts
    by_chain: dict[int, list[dict[int, int]]] = {chain: [] for chain in range(len(rows))}
    for entry, owner in enumerate(found.owner):
        span = slice(counts.starts[entry], counts.starts[entry + 1])
        by_chain[int(owner)].append(dict(zip(counts.codes[span].tolist(), counts.counts[span].tolist(), strict=True)))
        assert counts.sizes[entry] == counts.counts[span].sum()
    for chain, row in enumerate(rows):
        held = [groups[group] for group in row if group >= 0]
        wanted = [{value: min(held[i][value] for i in some) for value in held[some[0]]} for some in few(range(len(held)))]
        wanted = [{value: count for value, count in one.items() if count} for one in wanted]
        ordered = sorted(sorted(one.items()) for one in wanted if one)
        assert sorted(sorted(one.items()) for one in by_chain[chain]) == ordered
        assert (chain in found.empty) == any(not one for one in wanted)


def test_many_chains_are_processed_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    counts = class_counts(np.arange(20, dtype=np.int32) % 5, np.arange(20, dtype=np.int32) // 10)
    rows = np.array([[0, 1]] * 30, dtype=np.int32)
    monkeypatch.setattr(room, "ROOM", 40)
    parts = list(intersections(rows, counts, np.zeros(6, dtype=np.bool_)))
    assert len(parts) > 5
    assert np.concatenate([part.owner for part in parts]).tolist() == np.repeat(np.arange(30), 3).tolist()


def test_nothing_more_is_compared_once_a_single_sensitive_value_is_left() -> None:
    counts = class_counts(np.array([0, 1, 0, 2, 0, 3], dtype=np.int32), np.array([0, 0, 1, 1, 2, 2], dtype=np.int32))
    rows = np.array([[0, 1, 2]], dtype=np.int32)
    (all_at_once,) = intersections(rows, counts, np.array([True] * 5))
    (harmless,) = intersections(rows, counts, np.array([False] * 5))
    assert (len(all_at_once.owner), len(harmless.owner)) == (1, 7)
