"""What is left out of pages and pictures is said."""

from __future__ import annotations

from tasks.reporting.shown_part import foremost, out_of


def test_the_largest_are_shown_in_the_order_in_which_they_stand() -> None:
    assert foremost([3, 9, 1, 7], 2, lambda number: number) == [9, 7]
    assert foremost([3, 9], 2, lambda number: -number) == [3, 9]


def test_what_is_left_out_is_counted() -> None:
    assert out_of([1], range(1200), "largest") == "; the 1 largest of 1,200"
    assert out_of([1], [1], "largest") == ""
