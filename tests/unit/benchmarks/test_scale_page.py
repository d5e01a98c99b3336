"""docs/scale.md shows the numbers of its last run, and works out from them what was not run."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from benchmarks.scale import pages
from benchmarks.scale.on_paper import Costs
from benchmarks.scale.shapes import SHAPES, drawn, ratio
from benchmarks.scale.workers import Counted

DOCS = Path(__file__).resolve().parents[3] / "docs"


def test_the_page_shows_the_numbers_of_the_last_run_and_writing_them_again_changes_nothing() -> None:
    text = (DOCS / "scale.md").read_text(encoding="utf-8")
    figures = json.loads((DOCS / "scale" / "figures.json").read_text(encoding="utf-8"))
    assert pages.with_tables(text, figures) == text
    for name in ("loss-and-time.png", "growth.png"):
        assert f"(scale/{name})" in text
        assert (DOCS / "scale" / name).exists()


def test_costs_of_a_row_follow_from_the_two_largest_releases_and_the_pieces_of_a_table() -> None:
    """By hand: 1 µs in regions, 2 in the table's job; a release takes 10 µs more for each row more. Small ones grow faster."""
    growth = {
        "blocks": [{"rows": 10, "column_bytes": 240, "extra_bytes": 2_800}],
        "releases": [
            {"rows": 10, "busy_seconds": 1.0, "peak_mib": 100},
            {"rows": 100, "busy_seconds": 5.0, "peak_mib": 900},
            {"rows": 1_100, "busy_seconds": 5.01, "peak_mib": 901},
        ],
    }
    pieces = {
        "rows": 1_000_000, "pieces": 2, "piece_seconds": [0.4, 0.6], "whole_seconds": 3.0, "table_bytes": 24e6, "sent_bytes": 160e6,
        "returned_bytes": 80e6, "outcome_bytes": 4e6,
    }  # fmt: skip
    cost = Costs.of(growth, {"pieces": pieces})
    assert (cost.pieces, cost.table, cost.rest) == pytest.approx((1, 2, 7))
    assert (cost.network, cost.worker_bytes) == pytest.approx((268, 304))
    assert cost.release_bytes == pytest.approx(2**20 / 1000)
    assert (cost.skew, cost.piece_rows, cost.piece_seconds) == pytest.approx((1.2, 500_000, 0.5))
    assert cost.rows_in(1, cost.worker_bytes) == pytest.approx(2**30 / 304)


def test_pieces_come_back_as_they_were_made_and_are_counted() -> None:
    counted = Counted()
    assert counted.each(_squared, [2, 3], np.zeros(3, dtype=np.int64)) == [4, 9]
    assert len(counted.sent) == len(counted.returned) == len(counted.seconds) == 2
    assert counted.rows == [2, 3]


def _squared(piece: int, state: np.ndarray) -> int:
    state[0] += piece
    return piece * piece


@pytest.mark.parametrize("shape", SHAPES)
def test_a_shape_is_the_same_table_each_time_and_has_the_rows_asked_for(shape: str) -> None:
    one, two = drawn(shape, 300), drawn(shape, 300)
    assert one.rows == 300
    assert 2 <= len(one.quasi) <= 15
    assert all((one[name].codes == two[name].codes).all() for name in one.quasi)


def test_the_ratio_of_a_line_is_over_the_best_of_the_others() -> None:
    assert ratio({"loss": {"blocks": 0.3, "strict Mondrian": 0.6, "k-member": 0.2}}) == pytest.approx(1.5)
