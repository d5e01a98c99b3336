"""Rows in an order, cut into stretches of k … 2k − 1 rows so that they lose least: a dynamic programme over where the last stretch begins.

Of a cell with many rows no more are laid out than stretches on both sides can reach into; the others need no company. Within a cell rows
lie so that any stretch of them has about the cell's own mixture of values (van der Corput's order).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from headgate.core.compiling import Records, empty_records, inner, loop
from headgate.grouping.items import Items
from headgate.grouping.nearness import similar
from headgate.methods.blocks.sweep import SPAN, begin_sweep, meet, spanned_loss

MOST = 4  # times k: with fewer rows a cell is laid out whole


class Line(NamedTuple):
    """Rows in an order, and scratch for cutting them."""

    cell: NDArray[np.int64]  # of each row
    item: NDArray[np.int64]
    best: NDArray[np.float64]  # the least cost of the first i rows
    begin: NDArray[np.int64]  # and where the last of their stretches begins
    span: Records  # a SPAN for each axis
    seen: NDArray[np.int64]
    clock: NDArray[np.int64]
    spread: NDArray[np.int64]  # the items of each cell's rows, from spread_from[cell]
    spread_from: NDArray[np.int64]
    value: NDArray[np.int64]  # limits × rows of a stretch, from its end
    near: NDArray[np.int64]


def empty_line(items: Items, k: int) -> Line:
    limits, rows = items.limits.value.shape[1], int(items.rows.sum())
    spread, spread_from = np.empty(rows, dtype=np.int64), np.empty(items.cells, dtype=np.int64)
    spread_rows(items, spread, spread_from)
    return Line(
        np.empty(rows, dtype=np.int64),
        np.empty(rows, dtype=np.int64),
        np.empty(rows + 1),
        np.empty(rows + 1, dtype=np.int64),
        empty_records(len(items.axes.of), SPAN),
        np.full(len(items.axes.at) + 1, -1, dtype=np.int64),
        np.zeros(1, dtype=np.int64),
        spread,
        spread_from,
        np.empty((limits, 2 * k), dtype=np.int64),
        np.empty((limits, 2 * k), dtype=np.int64),
    )


@inner
def laid_out(rows: int, k: int) -> int:
    """How many rows of a cell are. The others, if any, are a multiple of k."""
    return rows if rows < MOST * k else (MOST - 1) * k + rows % k


@inner
def lay_cells(items: Items, cells: NDArray[np.int64], k: int, line: Line) -> int:
    """Lays out the rows of some cells; gives how many there are."""
    size = 0
    for cell in cells:
        begin = line.spread_from[cell]
        for i in range(laid_out(items.cell[cell].rows, k)):
            line.cell[size], line.item[size] = cell, line.spread[begin + i]
            size += 1
    return size


@loop
def spread_rows(items: Items, spread: NDArray[np.int64], spread_from: NDArray[np.int64]) -> None:
    """The items of each cell's rows, so that any stretch of them is a fair sample."""
    begin = 0
    for cell in range(len(spread_from)):
        spread_from[cell] = begin
        rows, own = items.cell[cell].rows, items.cell[cell]
        in_turn, at = np.empty(rows, dtype=np.int64), 0
        for item in range(own.start, items.cell[cell + 1].start):
            for _ in range(items.rows[item]):
                in_turn[at] = item
                at += 1
        bits = 0
        while (1 << bits) < rows:
            bits += 1
        for i in range(1 << bits):
            mirrored = 0
            for bit in range(bits):
                mirrored |= ((i >> bit) & 1) << (bits - 1 - bit)
            if mirrored < rows:
                spread[begin] = in_turn[mirrored]
                begin += 1


@inner
def cut_line(items: Items, line: Line, size: int, k: int, price: NDArray[np.float64]) -> float:
    """The least that the first `size` rows of the line cost, cut into stretches: what they lose, and for each limit the price of rows that
    are too many; without prices sensitive values have no say. There are at least k rows."""
    axes, best, limits = items.axes, line.best, items.limits
    best[: size + 1] = np.inf
    best[0] = 0.0
    for end in range(k, size + 1):
        begin_sweep(line.span, line.clock)
        last, loss = np.int64(-1), 0.0
        for i in range(end - 1, max(-1, end - 2 * k), -1):
            rows = end - i
            for l in range(len(price)):  # noqa: E741
                _add_row(items, line, l, rows - 1, limits.value[line.item[i], l])
            if line.cell[i] != last:
                last = line.cell[i]
                meet(axes, line.span, line.seen, line.clock[0], last)
                loss = spanned_loss(axes, line.span)
            cost = best[i] + rows * loss
            if rows < k or cost >= best[end]:
                continue
            for l in range(len(price)):  # noqa: E741
                cost += price[l] * _too_many(items, line, l, rows, k)
            if cost < best[end]:
                best[end], line.begin[end] = cost, i
    return best[size]  # type: ignore[no-any-return]


@inner
def _add_row(items: Items, line: Line, l: int, rows: int, v: int) -> None:  # noqa: E741
    """One row more beside so many that are there."""
    value, near, here = line.value[l], line.near[l], 1
    for i in range(rows):
        if value[i] == v or similar(items.limits, l, value[i], v):
            near[i] += 1
            here += 1
    value[rows], near[rows] = v, here


@inner
def _too_many(items: Items, line: Line, l: int, rows: int, k: int) -> float:  # noqa: E741
    """How many rows of a stretch are too many; all of them if fewer than k would stay."""
    limits, cap, total = items.limits, items.limits.allowed[l, rows], 0.0
    start = limits.of[l].start
    for i in range(rows):
        near = line.near[l, i]
        if near > cap and limits.own[start + line.value[l, i]].centre:
            total += (near - cap) / near
    return rows if total > 0.0 and rows - np.ceil(total - 1e-9) < k else total


@inner
def to_pay_for_stretches(items: Items, line: Line, size: int, k: int, price: NDArray[np.float64]) -> float:
    """The price of the rows that are too many in the stretches of a line that has been cut."""
    end, total = size, 0.0
    while end > 0:
        begin = line.begin[end]
        for l in range(len(price)):  # noqa: E741
            if items.limits.allowed[l, end - begin] < end - begin:
                for i in range(begin, end):
                    _add_row(items, line, l, i - begin, items.limits.value[line.item[i], l])
                total += price[l] * _too_many(items, line, l, end - begin, k)
        end = begin
    return total
