from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pandas as pd
import pytest

from headgate.core.columns import Column, Kind, Role
from headgate.core.encode import ColumnSpec, encode_column


@pytest.fixture
def make_columns() -> Callable[..., tuple[Column, ...]]:
    """Categories from lists of cells, with their non-sensitive values."""

    def build(cells: dict[str, Sequence[Any]], nonsensitive: dict[str, Sequence[Any]] | None = None) -> tuple[Column, ...]:
        return tuple(
            encode_column(
                pd.Series(list(values), dtype=object),
                ColumnSpec(name, Kind.CATEGORY, Role.SENSITIVE, nonsensitive=frozenset((nonsensitive or {}).get(name, ()))),
            )
            for name, values in cells.items()
        )

    return build


@pytest.fixture
def table_1(make_columns) -> tuple[Column, ...]:
    """Paper "codip", Table 1 (a)."""
    return make_columns(
        {
            "diagnosis": ["HT", "HT", "DB", "AS"],
            "family_history": ["HT", "DB", "HT", "AS"],
            "job": ["teacher", "lawyer", "farmer", "teacher"],
        }
    )


@pytest.fixture
def five(make_columns):
    """a ~ b strongly, c ~ d less, e alone."""
    draw = np.random.default_rng(5)
    a = draw.integers(0, 4, 400)
    b = np.where(draw.random(400) < 0.9, a, draw.integers(0, 4, 400))
    c = draw.integers(0, 4, 400)
    d = np.where(draw.random(400) < 0.6, c, draw.integers(0, 4, 400))
    e = draw.integers(0, 4, 400)
    return make_columns({name: [str(x) for x in values] for name, values in zip("abcde", (a, b, c, d, e), strict=True)})
