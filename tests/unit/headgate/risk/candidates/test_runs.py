"""Cells as runs of codes."""

from __future__ import annotations

import numpy as np
import pandas as pd

from headgate.core.columns import Column
from headgate.core.published_form.cell_reader import CellReader
from headgate.core.published_form.published_table import PublishedCells
from headgate.risk.candidates.consistency import encode_dictionary
from headgate.risk.candidates.runs import cell_runs
from tests.unit.headgate.risk.candidates.release_and_register import COVERED, DOMAINS, HELD, published


def mask_of(cells: PublishedCells, column: Column) -> np.ndarray:
    """Cells × values of the dictionary's column, its missing ones last: by reading each cell by itself."""
    out = np.ones((len(cells.texts), len(column.values) + 1), dtype=bool)
    for place, text in enumerate(cells.texts):
        covered = CellReader(column).covers(text) if text != "" else out[place]
        out[place, :-1] = covered[:-1] | covered[-1]
    return out


def test_what_a_cell_covers_is_the_same_as_runs_and_as_a_mask() -> None:
    for name, own in COVERED.items():
        cells = published(["", "*", *own])
        column = encode_dictionary(pd.DataFrame({name: pd.Series([None, *HELD[name]], dtype=object)}), DOMAINS, [name])[name]
        runs, mask = cell_runs(cells, column), mask_of(cells, column)
        pairs = np.array([(cell, code) for cell in range(len(cells.texts)) for code in range(-1, len(column.values))])
        assert runs.cover(pairs[:, 0], pairs[:, 1]).tolist() == mask[pairs[:, 0], pairs[:, 1]].tolist()
        for cell in range(len(cells.texts)):
            covered = np.zeros(len(column.values) + 1, dtype=bool)
            for run in range(runs.starts[cell], runs.starts[cell + 1]):
                covered[np.arange(runs.low[run], runs.high[run])] = True
            assert covered.tolist() == mask[cell].tolist()
        assert runs.sums(column.counts()).tolist() == (mask @ column.counts()).tolist()
