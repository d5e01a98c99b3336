from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

from headgate.core.columns import Kind, Role, Table
from headgate.core.encode import ColumnSpec, encode_table
from headgate.core.hierarchy import Hierarchy

TOWNS = [["a1", "a", "*"], ["a2", "a", "*"], ["b1", "b", "*"], ["b2", "b", "*"]]
FLOORS = [["1", "low", "*"], ["2", "low", "*"], ["3", "high", "*"], ["4", "high", "*"]]


@pytest.fixture(scope="session")
def make_people() -> Callable[..., Table]:
    """A quasi-identifier of every kind, and a sensitive attribute of most."""
    specs = {
        "age": ColumnSpec("age", Kind.INTEGER, Role.QUASI, domain=(0, 9)),
        "size": ColumnSpec("size", Kind.NUMBER, Role.QUASI),
        "born": ColumnSpec("born", Kind.DATE, Role.QUASI),
        "floor": ColumnSpec("floor", Kind.INTEGER, Role.QUASI, hierarchy=Hierarchy.from_rows(FLOORS, "floor")),
        "town": ColumnSpec("town", Kind.CATEGORY, Role.QUASI, hierarchy=Hierarchy.from_rows(TOWNS, "town")),
        "eye": ColumnSpec("eye", Kind.CATEGORY, Role.QUASI),
        "grade": ColumnSpec("grade", Kind.ORDINAL, Role.QUASI, levels=("one", "two", "three", "four")),
        "ill": ColumnSpec("ill", Kind.CATEGORY, Role.SENSITIVE),
        "pay": ColumnSpec("pay", Kind.NUMBER, Role.SENSITIVE),
        "habits": ColumnSpec("habits", Kind.SET, Role.SENSITIVE),
    }

    def build(rows: int, seed: int, gaps: bool = True, kept: tuple[str, ...] = tuple(specs), **given: Any) -> Table:
        rng = np.random.default_rng(seed)
        frame = pd.DataFrame(
            {
                "age": rng.integers(0, 10, rows).astype(object),
                "size": rng.choice([1.5, 2.25, 3, 8], rows).astype(object),
                "born": rng.choice(["2001-02-03", "2001-02-28", "2001-03-01", "2001-09-30", "2002-01-01"], rows).astype(object),
                "floor": rng.integers(1, 5, rows).astype(object),
                "town": rng.choice([row[0] for row in TOWNS], rows).astype(object),
                "eye": rng.choice(["blue", "brown", "green"], rows, p=[0.6, 0.3, 0.1]).astype(object),
                "grade": rng.choice(["one", "two", "four"], rows).astype(object),
                "ill": rng.choice(["flu", "cold", "none"], rows).astype(object),
                "pay": rng.choice([10, 20.5, 30, 99], rows).astype(object),
                "habits": rng.choice(["tea", "tea|wine", "wine", "|"], rows).astype(object),
            }
        )
        if gaps:
            frame = frame.mask(rng.random(frame.shape) < 0.05, None)
        frame = frame.assign(**given)
        return encode_table(frame, {name: specs[name] for name in kept})

    return build
