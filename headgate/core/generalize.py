"""Generalization: one published text a group and quasi-identifier, and its loss (DEFINITIONS §1, §4).

number, integer → bounding interval; date → smallest calendar part; ordinal → interval of levels; anything with a hierarchy →
lowest common ancestor; flat category → the set of values present. A group that mixes missing and present cells gets the whole
domain, except for a flat category, where missing is one more member of the set.
"""

from __future__ import annotations

import datetime
from dataclasses import dataclass
from typing import Any

import numba
import numpy as np
from numpy.typing import NDArray

from headgate.core.cells import (
    EVERYTHING,
    calendar_span,
    format_day,
    format_interval,
    format_label,
    format_members,
    format_number,
    interval_of_node,
)
from headgate.core.columns import Codes, Column, Kind
from headgate.core.errors import InputRejected

_EPOCH = datetime.date(1970, 1, 1).toordinal()


@dataclass(frozen=True, eq=False)
class GeneralizedColumn:
    """One quasi-identifier, a place a group: the cell's text and its share of the domain in [0, 1]."""

    name: str
    texts: NDArray[Any]
    loss: NDArray[np.float64]


def generalize(column: Column, groups: Codes, count: int) -> GeneralizedColumn:
    """`groups` has one number 0 … count−1 a row, −1 for suppressed rows. Every group must have a row."""
    if column.kind in (Kind.SET, Kind.VECTOR):
        raise InputRejected(f"'{column.name}' is a {column.kind}, which cannot be a quasi-identifier.", "Declare another role.")
    if len(groups) != len(column):
        raise InputRejected(f"{len(groups)} group numbers for {len(column)} rows.", "Give one group number a row.")
    low, high, present, missing = _spans(column.codes, groups, count)
    if ((present + missing) == 0).any():
        raise InputRejected("A group has no rows.", "Number the groups 0, 1, 2 … without gaps.")
    if column.hierarchy is not None and column.kind is not Kind.DATE:
        level = _common_level(column.codes, groups, low, column.hierarchy.nodes)
        texts, loss = _ancestors(column, low, level)
    elif column.kind is Kind.CATEGORY:
        return _sets(column, groups, count)
    else:
        texts, loss = _intervals(column, low, high)
    mixed, absent = (missing > 0) & (present > 0), present == 0
    texts[mixed], loss[mixed] = EVERYTHING, 1.0
    texts[absent], loss[absent] = "", 0.0
    return GeneralizedColumn(column.name, texts, loss)


@numba.njit(cache=True, nogil=True)
def _spans(
    codes: NDArray[np.int32], groups: NDArray[np.int32], count: int
) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int64], NDArray[np.int64]]:
    """Smallest and largest code a group, and how many cells are present and missing."""
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


@numba.njit(cache=True, nogil=True)
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
        if a < 0:
            texts[i] = ""
        elif column.kind is Kind.DATE:
            texts[i], loss[i] = calendar_node(int(column.values[a]), int(column.values[b]), column.domain)
        elif column.kind is Kind.ORDINAL:
            ends = str(column.values[a]), str(column.values[b])
            texts[i] = format_label(ends[0]) if a == b else format_interval(*ends)
            loss[i] = (b - a) / (len(column.values) - 1) if b > a else 0.0
        else:
            ends = format_number(column.values[a]), format_number(column.values[b])
            texts[i] = ends[0] if a == b else format_interval(*ends)
            loss[i] = (float(column.values[b]) - float(column.values[a])) / column.width if b > a else 0.0
    return texts[place], loss[place]


def calendar_node(first: int, last: int, domain: tuple[float, float] | None) -> tuple[str, float]:
    """The smallest of day, month, quarter, year, * that holds both days; its loss is its days, clipped to the domain, over the domain's."""
    if first == last:
        return format_day(first), 0.0
    a, b = datetime.date.fromordinal(first + _EPOCH), datetime.date.fromordinal(last + _EPOCH)
    if a.year != b.year:
        return EVERYTHING, 1.0
    quarter = (a.month + 2) // 3
    text = f"{a.year:04d}"
    if a.month == b.month:
        text = f"{text}-{a.month:02d}"
    elif quarter == (b.month + 2) // 3:
        text = f"{text}-Q{quarter}"
    span = calendar_span(text)
    if span is None or domain is None:
        raise InputRejected("A date has no domain.", "Encode dates with a domain of days.")
    days = min(span[1], domain[1]) - max(span[0], domain[0]) + 1
    return text, days / (domain[1] - domain[0] + 1)


def _ancestors(column: Column, first: Codes, level: Codes) -> tuple[NDArray[Any], NDArray[np.float64]]:
    hierarchy = column.hierarchy
    if hierarchy is None:
        raise InputRejected(f"'{column.name}' has no hierarchy.", "Give one.")
    nodes, levels, place = _distinct_pairs(np.where(first >= 0, first, 0), level)
    texts, loss = np.empty(len(nodes), dtype=object), np.zeros(len(nodes))
    for i, (leaf, height) in enumerate(zip(nodes, levels, strict=True)):
        label = str(hierarchy.labels[leaf, height])
        under = hierarchy.nodes[:, height] == hierarchy.nodes[leaf, height]
        if height == 0:
            texts[i] = format_number(column.values[leaf]) if column.kind.numeric else format_label(label)
        elif height == hierarchy.height:
            texts[i], loss[i] = EVERYTHING, 1.0
        elif column.kind.numeric:
            texts[i], loss[i] = _numeric_node(column, label, under)
        else:
            texts[i], loss[i] = format_label(label), under.sum() / len(under)
    return texts[place], loss[place]


def _numeric_node(column: Column, label: str, under: NDArray[np.bool_]) -> tuple[str, float]:
    """A node over numbers is labelled [low..high] by whoever built the hierarchy; then its loss is that interval's, clipped to the domain.
    Any other label counts its leaves."""
    ends = interval_of_node(label)
    if ends is None or column.domain is None:
        return format_label(label), under.sum() / len(under)
    length = min(ends[1], column.domain[1]) - max(ends[0], column.domain[0])
    return label, length / column.width if column.width > 0 else 0.0


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
