"""The levels at which a quasi-identifier can be published as a whole: a node for every value at every level.

Level 0 is exact, the last is `*`. With a hierarchy its columns are the levels; a date has day, month, quarter, year and `*`; anything else
is exact or `*`. Missing is a leaf of its own under the root.
"""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from headgate.core.cells import EVERYTHING, calendar_span, format_day, format_label, format_number, interval_of_node
from headgate.core.columns import Column, Kind
from headgate.core.errors import InputRejected

_EPOCH = datetime.date(1970, 1, 1).toordinal()


@dataclass(frozen=True, eq=False)
class Levels:
    """`nodes[level, code]`: the number of the node within its level, the last place for missing. For each level and node: its published
    text, its share of the domain (loss), and the part of the hierarchy's rows that bear its label, as ARX counts loss."""

    name: str
    nodes: NDArray[np.int32]
    texts: tuple[NDArray[Any], ...]
    loss: tuple[NDArray[np.float64], ...]
    arx: tuple[NDArray[np.float64], ...]
    leaves: int  # |D|: values, and missing where it occurs

    def __len__(self) -> int:
        return len(self.nodes)


def levels_of(column: Column) -> Levels:
    if column.kind in (Kind.SET, Kind.VECTOR):
        raise InputRejected(f"'{column.name}' is a {column.kind}, which cannot be a quasi-identifier.", "Declare another role.")
    missing = bool((column.codes < 0).any())
    leaves = len(column.values) + missing
    labels = _labels(column)
    nodes = np.zeros((len(labels) + 1, len(column.values) + 1), dtype=np.int32)
    texts: list[NDArray[Any]] = []
    loss: list[NDArray[np.float64]] = []
    arx: list[NDArray[np.float64]] = []
    for level, at_level in enumerate(labels):
        place: dict[str, int] = {}
        nodes[level, :-1] = [place.setdefault(label, len(place)) for label in at_level]
        nodes[level, -1] = len(place)
        under = np.bincount(nodes[level], minlength=len(place) + 1)
        written = [_text(column, label, level) for label in place]
        texts.append(np.array([*written, ""], dtype=object))
        loss.append(np.array([*(_loss(column, text, int(n), level) for text, n in zip(written, under[:-1], strict=True)), 0.0]))
        arx.append(under / max(1, leaves))
    texts.append(np.array([EVERYTHING], dtype=object))
    loss.append(np.ones(1))
    arx.append(np.ones(1))
    return Levels(column.name, nodes, tuple(texts), tuple(loss), tuple(arx), leaves)


def published_levels(columns: Sequence[Column], texts: Mapping[str, Iterable[str]]) -> dict[str, int] | None:
    """The level that each quasi-identifier is published at, told by the texts that occur: the lowest that has them all. None if one has
    texts of no level."""
    found: dict[str, int] = {}
    for column in columns:
        occurring = set(texts[column.name])
        at = [level for level, own in enumerate(levels_of(column).texts) if occurring <= set(own)]
        if not at:
            return None
        found[column.name] = at[0]
    return found


def _labels(column: Column) -> list[Sequence[str]]:
    """The label of each value at each level below the root."""
    if column.kind is Kind.DATE:
        days = [datetime.date.fromordinal(int(day) + _EPOCH) for day in column.values]
        return [
            [format_day(int(day)) for day in column.values],
            [f"{day.year:04d}-{day.month:02d}" for day in days],
            [f"{day.year:04d}-Q{(day.month + 2) // 3}" for day in days],
            [f"{day.year:04d}" for day in days],
        ]
    if column.hierarchy is not None:
        return [[str(label) for label in column.hierarchy.labels[:, level]] for level in range(column.hierarchy.height)]
    return [[format_number(value) if column.kind.numeric else str(value) for value in column.values]]


def _text(column: Column, label: str, level: int) -> str:
    """Numbers and calendar parts stay as they are; so does a node over numbers that is labelled [low..high]."""
    if column.kind is Kind.DATE or (column.kind.numeric and (level == 0 or interval_of_node(label) is not None)):
        return label
    return format_label(label)


def _loss(column: Column, text: str, under: int, level: int) -> float:
    """DEFINITIONS §4: an interval over the domain's width, a calendar part's days over the domain's, else leaves over all leaves."""
    if level == 0:
        return 0.0
    if column.kind is Kind.DATE:
        span = calendar_span(text)
        if span is None or column.domain is None:
            raise InputRejected(f"The dates of '{column.name}' have no domain.", "Encode dates with a domain of days.")
        return (min(span[1], column.domain[1]) - max(span[0], column.domain[0]) + 1) / (column.domain[1] - column.domain[0] + 1)
    ends = interval_of_node(text) if column.kind.numeric else None
    if ends is not None and column.domain is not None:
        length = min(ends[1], column.domain[1]) - max(ends[0], column.domain[0])
        return max(0.0, length / column.width) if column.width > 0 else 0.0
    return under / len(column.values) if under > 1 else 0.0
