"""Semantic distance Δ between sensitive values (DEFINITIONS §2): component distances in [0, 1], composed by L^p or min.

A composite is laid out flat so that compiled loops can evaluate it on codes: each component is either *discrete* (0/1),
*positions on a line* (|x − y|), or a *matrix*. A missing cell is at 0 from a missing one and at 1 from everything else.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from headgate.core.columns import Codes, Column
from headgate.core.compiling import inner, loop
from headgate.core.errors import HeadgateError, InputRejected
from headgate.core.kinds.kind_rules import DISCRETE, LARGEST_MATRIX, LINE, MATRIX
from headgate.core.tolerance import TOLERANCE

__all__ = [
    "DISCRETE",
    "LARGEST_MATRIX",
    "LINE",
    "MATRIX",
    "CompositeDistance",
    "Distance",
    "DistanceLayout",
    "PairFunction",
    "component_distance",
    "pair_distance",
    "radius",
]

PairFunction = Callable[[Any, Any], float]


class DistanceLayout(NamedTuple):
    """A composite distance as plain arrays; component i occupies buffer[offset[i] : …]."""

    mode: NDArray[np.int64]
    offset: NDArray[np.int64]
    size: NDArray[np.int64]
    buffer: NDArray[np.float64]
    weight: NDArray[np.float64]  # normalized to sum 1
    power: float
    least: bool  # combine by the minimum instead of L^p


@inner
def component_distance(layout: DistanceLayout, i: int, a: int, b: int) -> float:
    if a == b:
        return 0.0
    if a < 0 or b < 0:
        return 1.0
    mode = layout.mode[i]
    if mode == DISCRETE:
        return 1.0
    start = layout.offset[i]
    if mode == LINE:
        return float(abs(layout.buffer[start + a] - layout.buffer[start + b]))
    return float(layout.buffer[start + a * layout.size[i] + b])


@inner
def pair_distance(layout: DistanceLayout, a: NDArray[np.int32], b: NDArray[np.int32]) -> float:
    """Δ between two rows of codes."""
    if layout.least:
        least = 1.0
        for i in range(len(layout.mode)):
            least = min(least, component_distance(layout, i, a[i], b[i]))
        return least
    total = 0.0
    if layout.power == 1.0:
        for i in range(len(layout.mode)):
            total += layout.weight[i] * component_distance(layout, i, a[i], b[i])
        return total
    for i in range(len(layout.mode)):
        total += layout.weight[i] * component_distance(layout, i, a[i], b[i]) ** layout.power
    return float(total ** (1.0 / layout.power))


@loop
def _rowwise(layout: DistanceLayout, a: NDArray[np.int32], b: NDArray[np.int32]) -> NDArray[np.float64]:
    out = np.empty(len(a))
    for row in range(len(a)):
        out[row] = pair_distance(layout, a[row], b[row])
    return out


@dataclass(frozen=True, eq=False)
class CompositeDistance:
    """Δ over given columns: rows are tuples of their codes, in their order."""

    columns: tuple[str, ...]
    layout: DistanceLayout

    def between(self, a: Codes, b: Codes) -> NDArray[np.float64]:
        """Δ of row i of `a` and row i of `b`."""
        return np.asarray(_rowwise(self.layout, np.atleast_2d(a), np.atleast_2d(b)))

    def matrix(self, distinct: Codes) -> NDArray[np.float64]:
        """Δ between all pairs of rows of `distinct`; for small numbers of distinct values."""
        size = len(distinct)
        left, right = np.repeat(np.arange(size), size), np.tile(np.arange(size), size)
        return self.between(distinct[left], distinct[right]).reshape(size, size)


@dataclass(frozen=True)
class Distance:
    """How sensitive values are compared. A function replaces the composition: it is called on pairs of distinct values only
    (a tuple of values where there are several attributes)."""

    p: float = 1.0
    weights: Mapping[str, float] = field(default_factory=dict)
    combine: Literal["lp", "min"] = "lp"
    kinds: Mapping[str, str] = field(default_factory=dict)
    hierarchies: Mapping[str, Any] = field(default_factory=dict)
    function: PairFunction | None = None

    def over(self, columns: Sequence[Column]) -> CompositeDistance:
        self._check()
        weights = np.array([self.weights.get(column.name, column.weight) for column in columns], dtype=np.float64)
        if (weights < 0).any() or not np.isfinite(weights).all() or weights.sum() <= 0:
            raise InputRejected("Weights must be finite, not negative, and not all 0.", "Correct the weights.")
        components = [column.kind.rules.component(column, self.p) for column in columns]
        sizes = np.array([len(column.values) for column in columns], dtype=np.int64)
        offsets = np.cumsum([0] + [len(buffer) for _, buffer in components])[:-1].astype(np.int64)
        buffer = np.concatenate([buffer for _, buffer in components] or [np.empty(0)])
        mode = np.array([mode for mode, _ in components], dtype=np.int64)
        layout = DistanceLayout(mode, offsets, sizes, buffer, weights / weights.sum(), float(self.p), self.combine == "min")
        return CompositeDistance(tuple(column.name for column in columns), layout)

    def _check(self) -> None:
        if self.function is not None:
            raise InputRejected("A callable distance is bound to rows, not to columns.", "Call bind() with the rows' codes.")
        if not 1 <= self.p < np.inf:
            raise InputRejected(f"p = {self.p} does not give a norm.", "Give a finite p ≥ 1.")
        if self.combine not in ("lp", "min"):
            raise InputRejected(f"Distances cannot be combined by '{self.combine}'.", "Use lp or min.")

    def bind(self, columns: Sequence[Column], distinct: Codes) -> tuple[CompositeDistance, Codes]:
        """Δ for the distinct rows of codes that occur, and those rows in the coding that Δ understands.

        A callable becomes a matrix over the distinct rows: one component whose code is the row's number."""
        if self.function is None:
            return self.over(columns), distinct
        size = len(distinct)
        if size > LARGEST_MATRIX:
            raise InputRejected(
                f"A callable distance over {size} distinct values would take {size * size} calls.",
                "Use fewer values, or a built-in distance.",
            )
        matrix = _called_on_all(self.function, [_decoded(columns, row) for row in distinct])
        layout = DistanceLayout(np.array([MATRIX]), np.array([0]), np.array([size]), matrix.ravel(), np.array([1.0]), 1.0, False)
        composite = CompositeDistance(tuple(column.name for column in columns), layout)
        return composite, np.arange(size, dtype=np.int32).reshape(-1, 1)


def _called_on_all(function: PairFunction, values: Sequence[Any]) -> NDArray[np.float64]:
    """The function's table over all pairs: refused unless it is finite, not negative, symmetric, and 0 between equal values."""
    matrix = np.zeros((len(values), len(values)))
    for i, value in enumerate(values):
        for j, other in enumerate(values):  # both orders, to see whether it is symmetric
            matrix[i, j] = _called(function, value, other)
    if not np.isfinite(matrix).all() or (matrix < 0).any():
        raise InputRejected("The callable distance returns values that are negative or not finite.", "Correct the function.")
    if np.abs(np.diag(matrix)).max(initial=0.0) > TOLERANCE or np.abs(matrix - matrix.T).max(initial=0.0) > TOLERANCE:
        raise InputRejected("The callable distance is not symmetric, or not 0 between equal values.", "Correct the function.")
    np.fill_diagonal(matrix, 0.0)
    return matrix


def _decoded(columns: Sequence[Column], row: NDArray[np.int32]) -> Any:
    cells = tuple(None if code < 0 else column.values[code] for column, code in zip(columns, row, strict=True))
    return cells[0] if len(cells) == 1 else cells


def _called(function: PairFunction, value: Any, other_value: Any) -> float:
    """The message of a foreign function's failure may contain cells, so only the class of the failure is shown."""
    try:
        return float(function(value, other_value))
    except HeadgateError:
        raise
    except Exception as problem:  # noqa: BLE001 - whatever a foreign function raises
        raise InputRejected(
            f"The callable distance failed on a pair of values ({type(problem).__name__}).",
            "Make it return a number for any two values; None stands for a missing one.",
        ) from None


def radius(epsilon: float) -> float:
    """ε with its tolerance folded in, so that compiled loops compare plainly."""
    return epsilon + TOLERANCE * max(1.0, abs(epsilon))
