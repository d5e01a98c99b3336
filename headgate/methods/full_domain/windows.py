"""Window-(δ, l): no closed interval of length 2δ that holds a sensitive value holds more than |E|/l rows (DEFINITIONS §5)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from headgate.core.columns import Table
from headgate.core.compiling import loop
from headgate.core.distance import radius
from headgate.core.errors import InputRejected
from headgate.core.tolerance import floors
from headgate.counting.class_counts import Counted
from headgate.counting.figure import Shortfall
from headgate.methods.full_domain.lattice import Entries
from headgate.principles.delta_l import delta_l

DEFINITION, WINDOW = "definition", "window"
READINGS = (DEFINITION, WINDOW)  # of (δ, l): rows near one value, or rows all near each other


@dataclass(frozen=True)
class WindowL:
    """The reading of (δ, l)-diversity that is subadditive; missing is similar to missing only."""

    column: str
    interval: Fraction  # δ, in the attribute's own unit
    l: Fraction  # noqa: E741 the literature's letter

    @property
    def name(self) -> str:
        return f"(δ, l) window of {self.column}"

    def shortfall(self, counted: Counted) -> Shortfall:
        return delta_l(counted, self.interval).window.short_of(self.l)


@dataclass(frozen=True, eq=False)
class Window:
    """One condition, ready for the loop."""

    value: NDArray[np.int32]  # of each unit, missing last
    line: NDArray[np.float64]
    sensitive: NDArray[np.bool_]
    length: float
    allowed: NDArray[np.int64]

    def fails(self, entries: Entries, bounds: NDArray[np.int64]) -> NDArray[np.bool_]:
        return np.asarray(_fails(self.value, self.line, self.sensitive, self.length, self.allowed, entries, bounds))


def windows_of(table: Table, first: NDArray[np.int32], conditions: Sequence[WindowL]) -> tuple[Window, ...]:
    windows = []
    for condition in conditions:
        column = table[condition.column]
        if not column.kind.numeric:
            raise InputRejected(f"(δ, l) needs numbers, and '{column.name}' is {column.kind}.", "Use it on a number or a date.")
        if condition.l < 1 or condition.interval < 0:
            raise InputRejected("A window needs an interval of at least 0 and an l of at least 1.", "Give both.")
        codes, (line, unit) = column.codes[first], column.kind.rules.line(column)
        windows.append(
            Window(
                np.where(codes < 0, len(column.values), codes).astype(np.int32),
                line,
                column.sensitive,
                radius(float(2 * condition.interval)) * unit,
                floors(np.arange(table.rows + 1, dtype=np.int64), 1 / condition.l),
            )
        )
    return tuple(windows)


@loop
def _fails(
    value: NDArray[np.int32],
    line: NDArray[np.float64],
    sensitive: NDArray[np.bool_],
    length: float,
    allowed: NDArray[np.int64],
    entries: Entries,
    bounds: NDArray[np.int64],
) -> NDArray[np.bool_]:
    out = np.zeros(len(bounds) - 1, np.bool_)
    tally, missing = np.zeros(len(line) + 1, np.int64), len(line)
    for g in range(len(out)):
        size = np.int64(0)
        for i in range(bounds[g], bounds[g + 1]):
            tally[value[entries.unit[i]]] += entries.weight[i]
            size += entries.weight[i]
        rising = np.unique(value[entries.unit[bounds[g] : bounds[g + 1]]])
        if sensitive[missing] and tally[missing] > allowed[size]:
            out[g] = True
        known = len(rising) - (1 if rising[-1] == missing else 0)
        high, inside, marks = 0, np.int64(0), 0
        for low in range(known):
            while high < known and line[rising[high]] - line[rising[low]] <= length:
                inside += tally[rising[high]]
                marks += sensitive[rising[high]]
                high += 1
            if marks > 0 and inside > allowed[size]:
                out[g] = True
            inside -= tally[rising[low]]
            marks -= sensitive[rising[low]]
        for v in rising:
            tally[v] = 0
    return out
