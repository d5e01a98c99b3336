"""Expectations over a table that need not lie in memory as a frame: what is expected of columns sees frames of these alone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
import pandas as pd

from tasks.expectations.running import ExpectationOutcome, Expected, run_expectations

CELLS_AT_ONCE = 10_000_000  # of which a frame is made
COLUMN_KEYS = ("column", "column_A", "column_B", "column_list")


class Cells(Protocol):
    """A table of which frames are made, of as few columns at once as somebody asks for."""

    @property
    def rows(self) -> int: ...

    @property
    def columns(self) -> Sequence[str]: ...

    def frame(self, columns: Sequence[str]) -> pd.DataFrame: ...


def run_in_frames(cells: Cells, expected: Sequence[Expected]) -> tuple[ExpectationOutcome, ...]:
    """One outcome for each, in order. What is expected of columns sees these alone, as many at once as a frame may hold. What is expected
    of the table sees its names and its rows."""
    outcomes: dict[int, ExpectationOutcome] = {}
    for columns, places in _frames(cells, expected):
        frame = cells.frame(columns) if columns else _bare(cells)
        for place, outcome in zip(places, run_expectations(frame, [expected[place] for place in places]), strict=True):
            outcomes[place] = outcome
    return tuple(outcomes[place] for place in range(len(expected)))


def _frames(cells: Cells, expected: Sequence[Expected]) -> list[tuple[tuple[str, ...], list[int]]]:
    """Which columns lie in a frame together, and which expectations look at it."""
    most = max(1, CELLS_AT_ONCE // max(1, cells.rows))
    by_columns: dict[tuple[str, ...], list[int]] = {}
    for place, item in enumerate(expected):
        named = {name for key in COLUMN_KEYS for name in names_in(item.kwargs.get(key))}
        by_columns.setdefault(tuple(name for name in cells.columns if name in named), []).append(place)
    frames: list[tuple[tuple[str, ...], list[int]]] = []
    for columns, places in by_columns.items():
        last = frames[-1][0] if frames else ()
        together = tuple(dict.fromkeys((*last, *columns)))
        if last and columns and len(together) <= most:
            frames[-1] = (together, [*frames[-1][1], *places])
        else:
            frames.append((columns, places))
    return frames


def _bare(cells: Cells) -> pd.DataFrame:
    """Every column, and nothing in it."""
    nothing = np.zeros(cells.rows, dtype=bool)
    return pd.DataFrame(dict.fromkeys(cells.columns, nothing), index=pd.RangeIndex(cells.rows), copy=False)


def names_in(value: Any) -> list[str]:
    """Of an argument that is a text, a list of them or nothing."""
    return [str(name) for name in value] if isinstance(value, list) else [] if value is None else [str(value)]
