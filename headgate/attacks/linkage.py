"""Order and id linkage (DEFINITIONS §6): shuffled rows are independent, so no test may show a dependence.

Ranks are correlated (Spearman 1904); under random order the correlation has variance 1/(n−1), whatever the ties, and is normal from a few
rows on; with fewer rows all orders are tried. Several tests: p-values are multiplied by their number (Bonferroni)."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.stats import rankdata

from headgate.core.cells import Interval, Single, parse_cell
from headgate.core.columns import GROUP
from headgate.core.errors import InputRejected
from headgate.core.published_form.published_table import PublishedCells
from headgate.risk.candidates.consistency import frame_cells

LEAST_P = 0.001
_FEW = 7  # rows for which all orders are tried
Numbers = NDArray[np.float64]


@dataclass(frozen=True)
class IndependenceTest:
    name: str
    statistic: float
    p: float


@dataclass(frozen=True)
class Linkage:
    tests: tuple[IndependenceTest, ...]

    @property
    def p(self) -> float:
        return min(1.0, len(self.tests) * min((test.p for test in self.tests), default=1.0))

    @property
    def passes(self) -> bool:
        return self.p >= LEAST_P

    def sentence(self) -> str:
        verdict = "show no trace of each other" if self.passes else "can be linked"
        level = f"p = {self.p:.2g}; at least {LEAST_P:g} is required"
        return f"In {len(self.tests)} tests of order and numbers, the two tables {verdict} ({level})."


def linkage_frames(one: pd.DataFrame, other: pd.DataFrame, quasi: Sequence[str], group: str | None = GROUP) -> Linkage:
    """The test for published frames; group numbers are read as they are written."""
    wanted = [*quasi, *([group] if group else [])]
    absent = [name for name in wanted if name not in one.columns or name not in other.columns]
    if absent:
        raise InputRejected(f"Column '{absent[0]}' is not in both tables.", "Name columns that both have.")
    pairs = [(name, frame_cells(one[name]), frame_cells(other[name])) for name in quasi]
    if group is None:
        return _outside(pairs, None, None)
    numbers = pd.factorize(pd.concat([one[group], other[group]]), sort=True)[0].astype(np.int64)
    return _outside(pairs, numbers[: len(one)], numbers[len(one) :])


def _outside(
    pairs: Sequence[tuple[str, PublishedCells, PublishedCells]], groups: NDArray[np.int64] | None, other_groups: NDArray[np.int64] | None
) -> Linkage:
    """Row by row: cells of one table against cells of the other. Number by number: the mean cells of groups with equal numbers."""
    if not pairs:
        raise InputRejected("The two tables share no quasi-identifier.", "Compare tables of the same people.")
    tests = []
    for name, left, right in pairs:
        x, y = _places(left, right)
        rows = min(len(x), len(y))
        tests.append(_spearman(f"'{name}' row by row", x[:rows], y[:rows]))
        if groups is not None and other_groups is not None:
            numbers = np.intersect1d(groups, other_groups)
            tests.append(_spearman(f"'{name}' by group number", _means(x, groups, numbers), _means(y, other_groups, numbers)))
    return Linkage(tuple(tests))


def _places(first: PublishedCells, second: PublishedCells) -> tuple[Numbers, Numbers]:
    """Each row's cell as a place on a common line: the middle of its numbers, or else its place among the sorted texts."""
    texts = sorted({*(str(text) for text in first.texts), *(str(text) for text in second.texts)})
    middles = [_middle(text) for text in texts]
    known = [middle for middle in middles if middle is not None]
    if len(known) * 2 >= len(texts):
        rest = float(np.mean(known)) if known else 0.0
        line = {text: rest if middle is None else middle for text, middle in zip(texts, middles, strict=True)}
    else:
        line = {text: float(i) for i, text in enumerate(texts)}
    x, y = (np.array([line[str(text)] for text in cells.texts], dtype=np.float64)[cells.codes] for cells in (first, second))
    return x, y


def _middle(text: str) -> float | None:
    cell = parse_cell(text)
    ends = (cell.low, cell.high) if isinstance(cell, Interval) else (cell.label, cell.label) if isinstance(cell, Single) else None
    if ends is None:
        return None
    try:
        return (float(ends[0]) + float(ends[1])) / 2
    except ValueError:
        return None


def _means(values: Numbers, group: NDArray[np.int64], numbers: NDArray[np.int64]) -> Numbers:
    size = int(group.max(initial=-1)) + 1
    sums, rows = np.bincount(group, weights=values, minlength=size), np.bincount(group, minlength=size)
    return np.asarray(sums[numbers] / rows[numbers])


def _spearman(name: str, x: Numbers, y: Numbers) -> IndependenceTest:
    """The two-sided test. A constant tells nothing."""
    if len(x) < 2 or np.ptp(x) == 0 or np.ptp(y) == 0:
        return IndependenceTest(name, 0.0, 1.0)
    a, b = rankdata(x), rankdata(y)
    a, b = (a - a.mean()) / np.linalg.norm(a - a.mean()), (b - b.mean()) / np.linalg.norm(b - b.mean())
    rho = float(a @ b)
    if len(x) <= _FEW:
        every = np.array([a[list(order)] @ b for order in itertools.permutations(range(len(a)))])
        return IndependenceTest(name, rho, float((np.abs(every) >= abs(rho) - 1e-12).mean()))
    return IndependenceTest(name, rho, math.erfc(abs(rho) * math.sqrt(len(x) - 1) / math.sqrt(2)))
