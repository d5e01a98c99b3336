"""The riskiest patterns against a count in plain Python."""

from __future__ import annotations

import math
from collections import defaultdict
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headgate.core.published_form.published_table import PublishedCells, PublishedTable
from headgate.risk.disclosure.expected_loss import DisclosureRisk
from headgate.risk.disclosure.patterns import Pattern, riskiest


def published_of(rows: list[tuple[str, ...]]) -> PublishedTable:
    cells = {}
    for place, name in enumerate("xyz"[: len(rows[0])]):
        texts = sorted({row[place] for row in rows}, reverse=True)
        codes = np.array([texts.index(row[place]) for row in rows], dtype=np.int32)
        cells[name] = PublishedCells(codes, np.array(texts, dtype=object))
    return PublishedTable("t", len(rows), np.zeros(len(rows), dtype=np.int32), cells, {}, {})


def risk_of(costs: list[float], consistent: list[int]) -> DisclosureRisk:
    losses = np.array([cost / number if number else 0.0 for cost, number in zip(costs, consistent, strict=True)])
    return DisclosureRisk(
        float(losses.mean()), float(losses.max()), losses, np.array(consistent), float(np.mean(np.array(consistent) == 0))
    )


ROW = st.tuples(st.sampled_from("abcd"), st.sampled_from(["1", "[2..3]", "*", ""]), st.sampled_from("pq"))
COST = st.sampled_from([0.0, 0.5, 1.0, 3.0, math.inf])


@settings(max_examples=150, deadline=None)
@given(st.lists(st.tuples(ROW, COST), min_size=1, max_size=40), st.integers(0, 2**12), st.integers(1, 12))
def test_patterns_are_counted_and_ordered_as_by_hand(drawn: list[tuple[Any, float]], salt: int, most: int) -> None:
    """|ρ| is a pattern's own; what its records cost is theirs."""
    rows, costs = [row for row, _ in drawn], [cost for _, cost in drawn]
    shared = {row[:2]: (salt >> place) % 4 for place, row in enumerate(dict.fromkeys(row[:2] for row in rows))}
    risk = risk_of(costs, [shared[row[:2]] for row in rows])
    found = riskiest(published_of(rows), ("x", "y"), risk, most)

    losses: dict[tuple[str, ...], list[float]] = defaultdict(list)
    for row, loss in zip(rows, risk.per_record.tolist(), strict=True):
        losses[row[:2]].append(loss)
    forever, whole = risk.per_record.tolist().count(math.inf), sum(risk.per_record.tolist())
    wanted = {
        cells: Pattern(
            cells,
            len(own),
            float(shared[cells]),
            max(own),
            pytest.approx(own.count(math.inf) / forever if forever else sum(own) / whole),
        )
        for cells, own in losses.items()
        if max(own) > 0
    }
    assert len(found) == min(most, len(wanted))
    for pattern in found:
        assert pattern == wanted.pop(pattern.cells)
    ranks = [(-pattern.loss, -pattern.records) for pattern in found]
    assert ranks == sorted(ranks)
    assert all(ranks[-1] <= (-left.loss, -left.records) for left in wanted.values())
    assert sum(pattern.share for pattern in found) <= 1 + 1e-9


def test_no_more_than_ten_unless_asked() -> None:
    rows = [(str(number),) for number in range(25)]
    risk = risk_of([1.0] * 25, list(range(1, 26)))
    found = riskiest(published_of(rows), ("x",), risk)
    assert [pattern.cells for pattern in found] == [(str(number),) for number in range(10)]
    assert len(riskiest(published_of(rows), ("x",), risk, 3)) == 3


def test_of_equal_losses_the_pattern_that_more_share_comes_first() -> None:
    rows = [("a",), ("b",), ("b",), ("c",)]
    found = riskiest(published_of(rows), ("x",), risk_of([1.0] * 4, [2, 2, 2, 1]))
    assert [(pattern.cells, pattern.records) for pattern in found] == [(("c",), 1), (("b",), 2), (("a",), 1)]


def test_an_infinite_loss_is_the_whole_risk() -> None:
    rows = [("a",), ("a",), ("b",)]
    found = riskiest(published_of(rows), ("x",), risk_of([math.inf, 1.0, 4.0], [2, 2, 1]))
    assert [(pattern.cells, pattern.loss, pattern.share) for pattern in found] == [(("a",), math.inf, 1.0), (("b",), 4.0, 0.0)]


def test_where_nothing_is_risked_there_is_no_pattern() -> None:
    assert riskiest(published_of([("a",), ("b",)]), ("x",), risk_of([1.0, 0.0], [0, 3])) == ()
