"""Categories."""

from __future__ import annotations

import pytest

from headgate.core.columns import Kind
from headgate.core.errors import InputRejected
from headgate.core.hierarchy import Hierarchy
from tests.unit.headgate.core.encoded import decoded, encode


@pytest.mark.parametrize(("kind", "cells"), [(Kind.CATEGORY, ["a", "c"]), (Kind.INTEGER, [1, 3]), (Kind.ORDINAL, ["a", "c"])])
def test_a_value_that_is_no_leaf_is_cured_by_a_line_in_the_file_that_lists_them(kind, cells):
    rows = [["1", "*"], ["2", "*"]] if kind is Kind.INTEGER else [["a", "*"], ["b", "*"]]
    levels = ("a", "c") if kind is Kind.ORDINAL else ()
    for file, cure in (("towns.csv", "add a line for each to towns.csv."), ("", "add a line for each.")):
        with pytest.raises(InputRejected) as refusal:
            encode(cells, kind, levels=levels, hierarchy=Hierarchy.from_rows(rows, "c", file=file))
        assert refusal.value.cure.endswith(cure)


def test_a_declared_value_with_blanks_around_it_is_found_as_it_is_written() -> None:
    """Cells were stripped before they were compared with the declared values, which were not: " lead" could never be met, not even by
    itself. Exactly equal comes first; blanks are overlooked only where that fails."""
    assert decoded(encode([" lead", "lead ", "lead"], Kind.CATEGORY, declared=(" lead", "lead"))) == [" lead", "lead", "lead"]
    assert decoded(encode([" low", "high"], Kind.ORDINAL, levels=(" low", "high"))) == [" low", "high"]
