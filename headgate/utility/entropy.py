"""Entropy-based information loss: the non-uniform entropy measure of Gionis and Tassa (k-Anonymization with Minimal Loss of Information,
IEEE TKDE 21, 2009), after de Waal and Willenborg (Information Loss through Global Recoding and Local Suppression, 1999).

A cell that covers n(B) input rows, published for a row whose own value a has n(a) of them, loses −log2(n(a)/n(B)) bits: what the own
value's name still tells somebody who knows the cell and how often each value occurs. A value by itself loses 0. A suppressed row loses what
`*` would, −log2(n(a)/n); missing is a value like any other, so that the empty cell loses 0. An attribute's loss is the sum over all input
rows over the same sum if every row were suppressed, which is n times its entropy; 0 where the attribute has one value only. The table's
loss is the mean over the quasi-identifiers.

A published table is shuffled and does not say which row has which value. It needn't: the sum is Σ log2 n(B) − Σ log2 n(a), and its second
part is the input's alone. Only the groups' own figures need to know who is in which group.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from headgate.core.columns import Codes, Column
from headgate.core.errors import InputRejected
from headgate.core.published_form.cell_reader import CellReader
from headgate.core.published_form.published_table import PublishedCells, PublishedTable
from headgate.core.tolerance import TOLERANCE
from headgate.counting.figure import Figure

_CURE = "Give the columns, and the groups, that the table was published from."


@dataclass(frozen=True, eq=False)
class EntropyLoss:
    """`loss` and `per_attribute` in [0, 1], over all input rows; `bits` an input row, over all quasi-identifiers together."""

    loss: float
    bits: float
    per_attribute: Mapping[str, float]
    figure: Figure | None  # the released rows' loss by group number, where the groups are known


def entropy_loss(published: PublishedTable, source: Mapping[str, Column], groups: Codes | None = None) -> EntropyLoss:
    """`source` holds a column of input rows for each quasi-identifier. `groups`, for the figures a group: one number an input row as the
    published table numbers them, −1 if suppressed."""
    columns = _source_columns(published, source)
    rows = len(next(iter(columns.values())))
    sizes = np.bincount(published.group)
    if groups is not None and (len(groups) != rows or (sizes == 0).any() or not np.array_equal(np.bincount(groups[groups >= 0]), sizes)):
        raise InputRejected("The groups do not match the published table.", _CURE)
    bits, per_attribute = 0.0, {}
    per_group = np.zeros(len(sizes))
    for name, cells in published.cells.items():
        counts = columns[name].counts()
        reach = _reached(columns[name], counts, cells)
        lost, whole = _bits(reach, counts, cells, rows)
        bits += lost / rows
        per_attribute[name] = lost / whole if whole > 0 else 0.0
        if groups is not None and whole > 0:
            per_group += _bits_per_group(reach, counts, cells, published, columns[name], groups) / (whole / rows)
    mean = sum(per_attribute.values()) / len(columns)
    figure = None if groups is None else Figure.cost("entropy-based loss", per_group / len(columns), sizes)
    return EntropyLoss(mean, bits, per_attribute, figure)


def _source_columns(published: PublishedTable, source: Mapping[str, Column]) -> Mapping[str, Column]:
    """The input's column of each quasi-identifier."""
    if not published.cells or published.rows == 0:
        raise InputRejected("The table has no published cells to measure.", "Publish rows with at least one quasi-identifier.")
    columns = {name: source[name] for name in published.cells if name in source}
    if len(columns) < len(published.cells) or len({len(column) for column in columns.values()}) > 1:
        raise InputRejected("The input lacks a quasi-identifier, or its columns are not equally long.", _CURE)
    rows = len(next(iter(columns.values())))
    if rows < published.rows:
        raise InputRejected(f"{published.rows} rows are published of {rows} input rows.", _CURE)
    return columns


def _reached(column: Column, counts: NDArray[np.int64], cells: PublishedCells) -> NDArray[np.int64]:
    """Input rows whose value each cell covers."""
    reader = CellReader(column)
    before = np.concatenate([[0], np.cumsum(counts)])
    reach = np.empty(len(cells.texts), dtype=np.int64)
    for i, text in enumerate(cells.texts):
        ends = reader.ends(text)
        reach[i] = (before[ends[1::2]] - before[ends[::2]]).sum()
    if (reach == 0).any():
        raise InputRejected(f"A published cell of '{column.name}' covers no input row.", _CURE)
    return reach


def _bits(reach: NDArray[np.int64], counts: NDArray[np.int64], cells: PublishedCells, rows: int) -> tuple[float, float]:
    """Bits that the table loses, and that it would if all were suppressed. Rows are collected by the whole number whose logarithm they
    bring, so that what is not generalized cancels exactly."""
    logarithm = np.log2(np.maximum(np.arange(rows + 1), 1))
    own = np.bincount(counts, weights=counts, minlength=rows + 1)
    seen = np.bincount(reach[cells.codes], minlength=rows + 1)
    seen[rows] += rows - len(cells.codes)
    everything = np.zeros(rows + 1)
    everything[rows] = rows
    lost, whole = float((seen - own) @ logarithm), float((everything - own) @ logarithm)
    if lost < -TOLERANCE * max(1.0, whole):
        raise InputRejected("The published cells do not cover the values of the input.", _CURE)
    return max(lost, 0.0), whole


def _bits_per_group(
    reach: NDArray[np.int64], counts: NDArray[np.int64], cells: PublishedCells, published: PublishedTable, column: Column, groups: Codes
) -> NDArray[np.float64]:
    """Mean over the rows of each group."""
    kept = groups >= 0
    seen = np.bincount(published.group, weights=np.log2(reach)[cells.codes])
    own = np.bincount(groups[kept], weights=np.log2(np.maximum(counts, 1))[column.codes[kept]])
    lost = (seen - own) / np.bincount(published.group)
    if (lost < -TOLERANCE * max(1.0, float(np.log2(len(column))))).any():
        raise InputRejected("The published cells do not cover the values of their groups.", _CURE)
    return np.maximum(lost, 0.0)
