"""Semantic distance Δ between sensitive values (DEFINITIONS §2): component distances in [0, 1], composed by L^p or min.

A composite is laid out flat so that compiled loops can evaluate it on codes: each component is either *discrete* (0/1),
*positions on a line* (|x − y|), or a *matrix*. A missing cell is at 0 from a missing one and at 1 from everything else.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from headgate.core.columns import Codes, Column
from headgate.core.compiling import inner, loop
from headgate.core.errors import HeadgateError, InputRejected
from headgate.core.kinds.kind_rules import DISCRETE, LARGEST_MATRIX, LINE, MATRIX, Lines
from headgate.core.tolerance import TOLERANCE, radius

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
    own_units: bool = False  # of one attribute: ε is a width in its own units instead of a share of its domain

    def over(self, columns: Sequence[Column]) -> CompositeDistance:
        weights = self._weights(columns)
        components = [column.kind.rules.component(column, self.p) for column in columns]
        sizes = np.array([len(column.values) for column in columns], dtype=np.int64)
        offsets = np.cumsum([0] + [len(buffer) for _, buffer in components])[:-1].astype(np.int64)
        buffer = np.concatenate([buffer for _, buffer in components] or [np.empty(0)])
        mode = np.array([mode for mode, _ in components], dtype=np.int64)
        layout = DistanceLayout(mode, offsets, sizes, buffer, weights, float(self.p), self.combine == "min")
        return CompositeDistance(tuple(column.name for column in columns), layout)

    def _weights(self, columns: Sequence[Column]) -> NDArray[np.float64]:
        """Normalized to sum 1."""
        self._check()
        weights = np.array([self.weights.get(column.name, column.weight) for column in columns], dtype=np.float64)
        if (weights < 0).any() or not np.isfinite(weights).all() or weights.sum() <= 0:
            raise InputRejected("Weights must be finite, not negative, and not all 0.", "Correct the weights.")
        return np.asarray(weights / weights.sum())

    def _check(self) -> None:
        if self.function is not None:
            raise InputRejected("A callable distance is bound to rows, not to columns.", "Call bind() with the rows' codes.")
        if not 1 <= self.p < np.inf:
            raise InputRejected(f"p = {self.p} does not give a norm.", "Give a finite p ≥ 1.")
        if self.combine not in ("lp", "min"):
            raise InputRejected(f"Distances cannot be combined by '{self.combine}'.", "Use lp or min.")

    def _in_lines(self, columns: Sequence[Column], distinct: Codes, lines: Sequence[Lines | None]) -> tuple[CompositeDistance, Codes]:
        """`over`, with the same Δ and no table of distances for attributes that have lines instead."""
        parts: list[tuple[int, NDArray[np.float64], float, Codes]] = []
        alone, (first, *_) = len(columns) == 1, lines
        for i, (column, share, spread) in enumerate(zip(columns, self._weights(columns), lines, strict=True)):
            codes = distinct[:, i]
            if spread is None:
                mode, buffer = column.kind.rules.component(column, self.p)
                parts.append((mode, buffer, share, codes))
                continue
            places = np.concatenate([spread.codes, np.full((1, len(spread.positions)), -1, np.int32)])[codes]  # −1 is missing
            parts += [(LINE, line, share * spread.share, places[:, j]) for j, line in enumerate(spread.positions)]
        sizes = np.array([len(line) if mode == LINE else 0 for mode, line, *_ in parts], dtype=np.int64)
        wide = [i for i, (mode, buffer, *_) in enumerate(parts) if mode == MATRIX]
        sizes[wide] = [math.isqrt(len(parts[i][1])) for i in wide]
        offsets = np.cumsum([0] + [len(part[1]) for part in parts])[:-1].astype(np.int64)
        power = columns[0].kind.rules.power_alone(columns[0], self.p) if alone else float(self.p)
        least = first.least if alone and first is not None else self.combine == "min"
        layout = DistanceLayout(
            np.array([part[0] for part in parts], dtype=np.int64),
            offsets,
            sizes,
            np.concatenate([part[1] for part in parts]),
            np.array([part[2] for part in parts]),
            power,
            least,
        )
        rows = np.ascontiguousarray(np.stack([part[3] for part in parts], axis=1), dtype=np.int32)
        return CompositeDistance(tuple(column.name for column in columns), layout), rows

    def _require_missing_apart(self, columns: Sequence[Column], layout: DistanceLayout, reach: float) -> None:
        """On its lines a missing distribution is d/2 from all others, not 1: no difference as long as it is similar to none of them."""
        alone = len(columns) == 1
        for column, weight in zip(columns, self._weights(columns), strict=True) if len(layout.mode) > len(columns) else ():
            lines = column.kind.rules.as_lines(column, layout.power, alone, layout.least)
            far = lines is not None and lines.share * len(lines.positions) > 1.0 + TOLERANCE
            if far and reach >= weight and (column.codes < 0).any():
                raise InputRejected(
                    f"'{column.name}' has {len(column.values)} distinct vectors and missing ones, and this ε may call all of them similar.",
                    "Lower ε below the weight of the attribute, use distance: lp, or round its components.",
                )

    def around(self, columns: Sequence[Column], distinct: Codes, epsilon: Fraction | float) -> tuple[CompositeDistance, Codes, float]:
        """Δ and the rows as `bind` gives them, and how far similar values may be apart, ε's tolerance folded in."""
        if not self.own_units:
            composite, rows = self.bind(columns, distinct)
            self._require_missing_apart(columns, composite.layout, radius(float(epsilon)))
            return composite, rows, radius(float(epsilon))
        if len(columns) != 1 or self.function is not None:
            raise InputRejected("Only the ε of a single attribute can be in units of its own.", "Give one attribute, or a share.")
        (column,) = columns
        mode, buffer, reach = column.kind.rules.in_own_units(column, epsilon)
        layout = DistanceLayout(np.array([mode]), np.array([0]), np.array([len(column.values)]), buffer, np.array([1.0]), 1.0, False)
        return CompositeDistance((column.name,), layout), distinct, reach

    def bind(self, columns: Sequence[Column], distinct: Codes) -> tuple[CompositeDistance, Codes]:
        """Δ for the distinct rows of codes that occur, and those rows in the coding that Δ understands.

        A callable becomes a matrix over the distinct rows: one component whose code is the row's number."""
        if self.function is None:
            alone, least = len(columns) == 1, self.combine == "min"
            lines = [column.kind.rules.as_lines(column, self.p, alone, least) for column in columns]
            return self._in_lines(columns, distinct, lines) if any(lines) else (self.over(columns), distinct)
        size = len(distinct)
        if size > LARGEST_MATRIX:
            raise InputRejected(
                f"A callable distance over {size} distinct values would take {size * size} calls.",
                f"Round the values to at most {LARGEST_MATRIX} distinct ones, or use a built-in distance, which has no such limit.",
            )
        matrix = _called_on_all(self.function, columns, distinct)
        layout = DistanceLayout(np.array([MATRIX]), np.array([0]), np.array([size]), matrix.ravel(), np.array([1.0]), 1.0, False)
        composite = CompositeDistance(tuple(column.name for column in columns), layout)
        return composite, np.arange(size, dtype=np.int32).reshape(-1, 1)


RIGHT_FUNCTION = "Correct the function: it must return a number for any two values; None stands for a missing one."


class FunctionFailed(Exception):
    """What stands for an exception of somebody else's function: its class and place, never its text."""


def _called_on_all(function: PairFunction, columns: Sequence[Column], rows: Codes) -> NDArray[np.float64]:
    """The function's table over all pairs: refused unless it is finite, not negative, symmetric, and 0 between equal values."""
    values = [_decoded(columns, row) for row in rows]
    matrix = np.zeros((len(values), len(values)))
    for i, value in enumerate(values):
        for j, other in enumerate(values):  # both orders, to see whether it is symmetric
            given = _called(function, value, other)
            if isinstance(given, str):
                raise InputRejected(f"The callable distance {given} for {_kinds(columns, rows[i], rows[j])}.", RIGHT_FUNCTION)
            matrix[i, j] = given
    if not np.isfinite(matrix).all() or (matrix < 0).any():
        raise InputRejected("The callable distance returns values that are negative or not finite.", "Correct the function.")
    if np.abs(np.diag(matrix)).max(initial=0.0) > TOLERANCE or np.abs(matrix - matrix.T).max(initial=0.0) > TOLERANCE:
        raise InputRejected("The callable distance is not symmetric, or not 0 between equal values.", "Correct the function.")
    np.fill_diagonal(matrix, 0.0)
    return matrix


def _decoded(columns: Sequence[Column], row: NDArray[np.int32]) -> Any:
    cells = tuple(None if code < 0 else column.values[code] for column, code in zip(columns, row, strict=True))
    return cells[0] if len(cells) == 1 else cells


def _called(function: PairFunction, value: Any, other_value: Any) -> float | str:
    """Its distance, or what it did instead. The message of a foreign function's failure may contain cells, so only its class is told."""
    try:
        given = function(value, other_value)
    except HeadgateError:
        raise
    except Exception as problem:  # noqa: BLE001 - whatever a foreign function raises
        return f"raised {problem if isinstance(problem, FunctionFailed) else type(problem).__name__}"
    try:
        return float(given)
    except (TypeError, ValueError):
        return f"returned {type(given).__name__}, not a number,"


def _kinds(columns: Sequence[Column], row: NDArray[np.int32], other: NDArray[np.int32]) -> str:
    """Of the values of a pair, never the values."""
    words = [[str(column.kind) if code >= 0 else "missing" for code in codes] for column, *codes in zip(columns, row, other, strict=True)]
    return ", ".join(f"two values of {column.name} ({' and '.join(pair)})" for column, pair in zip(columns, words, strict=True))
