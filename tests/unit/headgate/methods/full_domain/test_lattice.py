from __future__ import annotations

from fractions import Fraction

import numpy as np
import pandas as pd
import pytest

from headgate.core.columns import Kind, Role
from headgate.core.encode import ColumnSpec, encode_table
from headgate.core.errors import InputRejected
from headgate.methods.full_domain.level_search import full_domain
from headgate.methods.full_domain.level_settings import LevelSettings


def test_a_lattice_of_more_than_a_million_nodes_is_refused_with_the_cure():
    frame = pd.DataFrame({f"q{i}": ["a", "b"] for i in range(20)})
    specs = {name: ColumnSpec(name, Kind.CATEGORY, Role.QUASI) for name in frame}
    with pytest.raises(InputRejected, match="1048576 nodes.*fewer levels"):
        full_domain(encode_table(frame, specs), (), LevelSettings(1))


def test_keys_beyond_62_bits_are_still_told_apart():
    """Eight attributes of 400 values: mixed-radix keys wrap."""
    draw = np.random.default_rng(5)
    frame = pd.DataFrame({f"q{i}": draw.integers(0, 400, 600).astype(str) for i in range(8)})
    frame = pd.concat([frame, frame.iloc[:300]], ignore_index=True)
    specs = {name: ColumnSpec(name, Kind.CATEGORY, Role.QUASI) for name in frame}
    found = full_domain(encode_table(frame, specs), (), LevelSettings(2, Fraction(1, 3)))
    assert found.optimum == (0,) * 8
    assert (found.count, found.suppressed) == (300, 300)
