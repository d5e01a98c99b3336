"""A hierarchy is a tree, and its refusals name the lines."""

from __future__ import annotations

import pytest

from headgate.core.errors import InputRejected
from headgate.core.hierarchy import Hierarchy

TREE = [["a1", "a", "*"], ["a2", "a", "*"], ["b1", "b", "*"]]


def test_the_height_of_the_common_ancestor_is_the_distance() -> None:
    assert Hierarchy.from_rows(TREE, "t").distances().tolist() == [[0, 0.5, 1], [0.5, 0, 1], [1, 1, 0]]


@pytest.mark.parametrize(
    ("rows", "reason"),
    [
        ([], "is empty"),
        ([["a"]], "one column"),
        ([["a", "*"], ["b", "x", "*"]], "uneven"),
        ([["a", "*"], ["a", "*"]], "twice"),
        ([["a", "*"], ["b", "+"]], "more than one root"),
        ([["a", "x", "p", "*"], ["b", "x", "q", "*"]], "two parents"),
        ([["", "*"], ["b", "*"]], "empty cell"),
        ([["Rome", "Rome", "*"], ["Ostia", "Rome", "*"]], "different values"),
        ([["a", "b", "*"], ["b", "c", "*"]], "different values"),
    ],
)
def test_a_table_that_is_no_tree_is_refused(rows: list[list[str]], reason: str) -> None:
    with pytest.raises(InputRejected, match=reason):
        Hierarchy.from_rows(rows, "t")


@pytest.mark.parametrize(
    ("rows", "lines"),
    [
        ([["a"]], "line 2"),
        ([["a", "*"], ["b", "*"], ["c", "x", "*"]], "line 9 has 3 levels, line 2 has 2"),
        ([["a", "*"], ["b", "*"], ["b", ""]], "line 9"),
        ([["a", "*"], ["b", "*"], ["b", "*"]], "lines 5 and 9"),
        ([["a", "*"], ["b", "*"], ["c", "+"]], "lines 2 and 9"),
        ([["a", "x", "p", "*"], ["b", "y", "q", "*"], ["c", "y", "p", "*"]], "level 1 has two parents, in lines 5 and 9"),
        ([["a", "x", "p", "*"], ["b", "y", "q", "*"], ["c", "x", "q", "*"]], "level 1 has two parents, in lines 2 and 9"),
        ([["Lyon", "Rome", "*"], ["Nice", "Rome", "*"], ["Rome", "Italy", "*"]], "lines 9 and 2"),
    ],
)
def test_every_refusal_of_a_table_names_its_lines(rows: list[list[str]], lines: str) -> None:
    """As the file numbers them: lines 2, 5 and 9 of one that has blank lines too."""
    with pytest.raises(InputRejected, match=rf"{lines}\b"):
        Hierarchy.from_rows(rows, "t", [2, 5, 9][: len(rows)])


def test_a_name_may_be_repeated_to_make_the_levels_even() -> None:
    tree = Hierarchy.from_rows([["Rome", "Rome", "*"], ["Lyon", "France", "*"], ["Nice", "France", "*"]], "t")
    assert tree.height == 2
    assert tree.reordered(["Nice", "Rome"], "t").labels[:, 1].tolist() == ["France", "Rome"]
