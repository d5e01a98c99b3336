"""Generalization: one published text per group and quasi-identifier, and its loss (DEFINITIONS §1, §4).

number, integer → bounding interval; date → smallest calendar part; ordinal → interval of levels; anything with a hierarchy →
lowest common ancestor; flat category → the set of values present. A group that mixes missing and present cells gets the whole
domain, except for a flat category, where missing is one more member of the set.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from headgate.core.cells import EVERYTHING, format_label, format_members
from headgate.core.columns import Codes, Column, check_quasi
from headgate.core.compiling import loop
from headgate.core.errors import InputRejected
from headgate.core.hierarchy import Hierarchy
from headgate.core.kinds.kind_rules import FLAT


@dataclass(frozen=True, eq=False)
class GeneralizedColumn:
    """One quasi-identifier, with one place per group: the cell's text and its share of the domain in [0, 1]."""

    name: str
    texts: NDArray[Any]
    loss: NDArray[np.float64]


def generalize(column: Column, groups: Codes, count: int) -> GeneralizedColumn:
    """`groups` has one number per row, 0 … count−1, or −1 for suppressed rows. Every group must have a row."""
    check_quasi(column)
    if len(groups) != len(column):
        raise InputRejected(f"{len(groups)} group numbers for {len(column)} rows.", "Give one group number per row.")
    low, high, present, missing = _spans(column.codes, groups, count)
    if ((present + missing) == 0).any():
        raise InputRejected("A group has no rows.", "Number the groups 0, 1, 2 … without gaps.")
    if column.hierarchy is not None:
        level = _common_level(column.codes, groups, low, column.hierarchy.nodes)
        texts, loss = _ancestors(column, column.hierarchy, low, level)
    elif column.kind.rules.shape(column) == FLAT:
        return _sets(column, groups, count)
    else:
        texts, loss = _intervals(column, low, high)
    mixed, absent = (missing > 0) & (present > 0), present == 0
    texts[mixed], loss[mixed] = EVERYTHING, 1.0
    texts[absent], loss[absent] = "", 0.0
    return GeneralizedColumn(column.name, texts, loss)


@loop
def _spans(
    codes: NDArray[np.int32], groups: NDArray[np.int32], count: int
) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int64], NDArray[np.int64]]:
    """The smallest and largest code per group, and how many cells are present and missing."""
    low, high = np.full(count, -1, np.int32), np.full(count, -1, np.int32)
    present, missing = np.zeros(count, np.int64), np.zeros(count, np.int64)
    for row in range(len(codes)):
        group, code = groups[row], codes[row]
        if group < 0:
            continue
        if code < 0:
            missing[group] += 1
            continue
        if present[group] == 0:
            low[group] = high[group] = code
        elif code < low[group]:
            low[group] = code
        elif code > high[group]:
            high[group] = code
        present[group] += 1
    return low, high, present, missing


@loop
def _common_level(
    codes: NDArray[np.int32], groups: NDArray[np.int32], first: NDArray[np.int32], nodes: NDArray[np.int32]
) -> NDArray[np.int32]:
    """Level of the lowest common ancestor of each group's present cells; `first` is any one of them."""
    level = np.zeros(len(first), np.int32)
    for row in range(len(codes)):
        group, code = groups[row], codes[row]
        if group >= 0 and code >= 0:
            while nodes[code, level[group]] != nodes[first[group], level[group]]:
                level[group] += 1
    return level


def _distinct_pairs(a: NDArray[Any], b: NDArray[Any]) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.intp]]:
    """Text is made once for each pair that occurs."""
    base = int(b.max(initial=0)) + 2
    keys, place = np.unique((a.astype(np.int64) + 1) * base + b + 1, return_inverse=True)
    return keys // base - 1, keys % base - 1, place


def _intervals(column: Column, low: Codes, high: Codes) -> tuple[NDArray[Any], NDArray[np.float64]]:
    lows, highs, place = _distinct_pairs(low, high)
    texts, loss = np.empty(len(lows), dtype=object), np.zeros(len(lows))
    for i, (a, b) in enumerate(zip(lows, highs, strict=True)):
        texts[i], loss[i] = ("", 0.0) if a < 0 else column.kind.rules.between(column, int(a), int(b))
    return texts[place], loss[place]


def _ancestors(column: Column, hierarchy: Hierarchy, first: Codes, level: Codes) -> tuple[NDArray[Any], NDArray[np.float64]]:
    nodes, levels, place = _distinct_pairs(np.where(first >= 0, first, 0), level)
    leaves_of = [np.bincount(column) for column in hierarchy.nodes.T]
    texts, loss = np.empty(len(nodes), dtype=object), np.zeros(len(nodes))
    for i, (leaf, height) in enumerate(zip(nodes, levels, strict=True)):
        label = str(hierarchy.labels[leaf, height])
        if height == 0:
            texts[i] = column.kind.rules.cell_text(column.values[leaf])
        elif height == hierarchy.height:
            texts[i], loss[i] = EVERYTHING, 1.0
        else:
            leaves = int(leaves_of[height][hierarchy.nodes[leaf, height]])
            texts[i] = column.kind.rules.node_text(label, int(height))
            loss[i] = column.kind.rules.node_loss(column, label, leaves, int(height))
    return texts[place], loss[place]


def _sets(column: Column, groups: Codes, count: int) -> GeneralizedColumn:
    """The values present, missing among them; everything if no value of the domain (or missing, where it occurs) is left out."""
    size = len(column.values) + 1
    kept = groups >= 0
    keys = np.unique(groups[kept].astype(np.int64) * size + column.codes[kept] + 1)
    starts = np.searchsorted(keys, np.arange(count + 1, dtype=np.int64) * size)
    codes = (keys % size).astype(np.int32) - 1
    everything = len(column.values) + int((column.codes < 0).any())
    texts, loss = np.empty(count, dtype=object), np.zeros(count)
    made: dict[bytes, tuple[str, float]] = {}
    for group in range(count):
        present = codes[starts[group] : starts[group + 1]]
        key = present.tobytes()
        if key not in made:
            made[key] = _set_text(column, present, everything)
        texts[group], loss[group] = made[key]
    return GeneralizedColumn(column.name, texts, loss)


def _set_text(column: Column, present: Codes, everything: int) -> tuple[str, float]:
    labels = [None if code < 0 else str(column.values[code]) for code in present]
    if len(labels) == 1:
        return ("" if labels[0] is None else format_label(labels[0])), 0.0
    if len(labels) == everything:
        return EVERYTHING, 1.0
    return format_members(labels), len(labels) / (len(column.values) + (labels[0] is None))
