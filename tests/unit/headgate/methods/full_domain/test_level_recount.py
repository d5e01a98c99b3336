"""A forged answer of the search is noticed: each promise, broken on purpose."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest

from headgate.core.columns import Kind, Role, Table
from headgate.core.encode import ColumnSpec, encode_table
from headgate.core.hierarchy import Hierarchy
from headgate.grouping.conditions import DistinctL
from headgate.grouping.limits import linkability
from headgate.methods.full_domain.level_recount import broken_promises
from headgate.methods.full_domain.level_settings import LevelSettings

TOWN = Hierarchy.from_rows([(f"t{i}", f"r{i // 2}", "*") for i in range(4)], "town")


@pytest.fixture
def table() -> Table:
    frame = pd.DataFrame({"town": [f"t{i // 3}" for i in range(12)], "word": ["flu", "flu", "cold"] * 4})
    specs = {
        "town": ColumnSpec("town", Kind.CATEGORY, Role.QUASI, hierarchy=TOWN),
        "word": ColumnSpec("word", Kind.CATEGORY, Role.SENSITIVE),
    }
    return encode_table(frame, specs)


def in_groups_of(size: int) -> np.ndarray:
    return (np.arange(12) // size).astype(np.int32)


def test_what_is_kept_is_called_so(table: Table) -> None:
    settings = LevelSettings(3, conditions=(DistinctL("word", Fraction(2)),), limits=(linkability(table["word"], "0.7"),))
    assert broken_promises(table, in_groups_of(3), {"town": 0}, settings) == ()
    assert broken_promises(table, in_groups_of(6), {"town": 1}, settings) == ()


def test_each_promise_that_is_broken_is_named(table: Table) -> None:
    plain = LevelSettings(3)
    assert broken_promises(table, in_groups_of(3), {"town": 0}, replace(plain, k=4)) == ("k",)
    without = in_groups_of(3)
    without[:3] = -1
    without[without > 0] -= 1
    assert broken_promises(table, without, {"town": 0}, plain) == ("suppression",)
    assert broken_promises(table, without, {"town": 0}, replace(plain, suppression=Fraction(1, 4))) == ()
    strict = replace(plain, limits=(linkability(table["word"], "0.5"),))
    assert broken_promises(table, in_groups_of(3), {"town": 0}, strict) == ("linkability of word",)
    diverse = replace(plain, k=1, conditions=(DistinctL("word", Fraction(2)),))
    alone = np.arange(12, dtype=np.int32)
    assert broken_promises(table, alone, {"town": 0}, diverse) == ("distinct l of word",)


def test_groups_that_a_level_publishes_alike_are_one_class(table: Table) -> None:
    """By itself each half of a town keeps it; both are published as that town."""
    words = pd.DataFrame({"town": ["t0"] * 4, "word": ["flu", "cold", "flu", "flu"]})
    specs = {
        "town": ColumnSpec("town", Kind.CATEGORY, Role.QUASI, hierarchy=TOWN),
        "word": ColumnSpec("word", Kind.CATEGORY, Role.SENSITIVE, nonsensitive=frozenset({"cold"})),
    }
    small = encode_table(words, specs)
    settings = LevelSettings(1, limits=(linkability(small["word"], "0.5"),))
    assert broken_promises(small, np.array([0, 0, 1, 1], dtype=np.int32), {"town": 0}, settings) == ("linkability of word",)
