"""Sets."""

from __future__ import annotations

import pytest

from headgate.core.columns import Kind
from headgate.core.errors import InputRejected
from tests.unit.headgate.core.encoded import decoded, encode


def test_a_missing_set_is_not_the_empty_set() -> None:
    for cells in ([["b", "a"], [], None, {"a"}], ["b|a", "|", None, "a"], [" b | a ", "|", "", "a|"]):
        column = encode(cells, Kind.SET)
        assert decoded(column) == [("a", "b"), (), None, ("a",)]
    flags = encode(["a|none", "none", "|", None], Kind.SET, nonsensitive=frozenset({"none"}))
    assert flags.sensitive[flags.codes].tolist() == [True, False, False, True]
    papers = encode(["a|none", "none", "|", None], Kind.SET, nonsensitive=frozenset({"none"}), absent_sensitive=True)
    assert papers.sensitive[papers.codes].tolist() == [True] * 4


def test_lists_are_refused_where_no_set_is_declared() -> None:
    with pytest.raises(InputRejected, match="cells that are lists"):
        encode([["a"], ["b"]], Kind.CATEGORY)


def test_a_refusal_asks_for_the_separator_that_most_undeclared_cells_hold() -> None:
    with pytest.raises(InputRejected, match="2 cells of 'c' hold values that are not declared") as refusal:
        encode(["a;b", "b;a", "a"], Kind.SET, declared=("a", "b"))
    assert refusal.value.cure.startswith("Most of these cells hold ';': is that the separator? Then declare separator: ';'.")
