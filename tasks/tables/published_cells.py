"""What the cells of a published column may be, said by the declared domain alone: the reader's side of generalization.

Shares no code with headgate.core.published_form.generalize, which makes the cells: only their syntax (headgate.core.cells).
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable

import numpy as np
import pyarrow as pa
import pyarrow.compute as compute

from headgate.core.calendar_parts import calendar_span
from headgate.core.cells import Everything, Interval, Members, Missing, Single, format_number, parse_cell
from headgate.core.columns import Column, Kind
from headgate.core.errors import InputRejected
from tasks.reading.identifiers import IdentifierValues, texts_of_values


class DeclaredCells:
    """One quasi-identifier's domain, and whether a text is a cell of it."""

    def __init__(self, column: Column) -> None:
        self.column = column
        self._place = {text: rank for rank, text in enumerate(texts_of_values(column))}
        self._nodes = {str(label) for label in column.hierarchy.labels[:, 1:].ravel()} if column.hierarchy is not None else set()
        self._lacks = bool((column.codes < 0).any())

    def holds(self, text: str) -> bool:
        """An interval inside the domain, a node of the hierarchy or the calendar, a set of values, one value, * or, where the source
        has missing cells, nothing."""
        try:
            cell = parse_cell(text)
        except InputRejected:
            return False
        match cell:
            case Everything():
                return True
            case Missing():
                return self._lacks
            case Members(labels):
                return self._set(labels)
            case Interval(low, high):
                return text in self._nodes or self._interval(low, high)
            case Single(label):
                return self._single(label)
        return False

    def _set(self, labels: tuple[str | None, ...]) -> bool:
        if self.column.kind is not Kind.CATEGORY or self.column.hierarchy is not None:
            return False
        ranks = [-1 if label is None else self._place.get(label, -2) for label in labels]
        known = -2 not in ranks and (labels[0] is not None or self._lacks)
        return known and all(low < high for low, high in itertools.pairwise(ranks))

    def _interval(self, low: str, high: str) -> bool:
        if self.column.kind is Kind.ORDINAL:
            return low in self._place and high in self._place and self._place[low] < self._place[high]
        if self.column.kind is Kind.DATE:
            return self._years(low, high)
        ends = _number(low), _number(high)
        if self.column.kind not in (Kind.NUMBER, Kind.INTEGER) or self._nodes or self.column.domain is None:
            return False
        return self.column.domain[0] <= ends[0] < ends[1] <= self.column.domain[1]

    def _years(self, low: str, high: str) -> bool:
        """A band of as many years as one of the declared widths, that begins at a multiple of it and meets the domain."""
        if not all(len(year) == 4 and year.isascii() and year.isdecimal() for year in (low, high)) or self.column.domain is None:
            return False
        width = int(high) - int(low) + 1
        return width in self.column.year_bands and int(low) % width == 0 and self._meets_domain(f"[{low}..{high}]")

    def _meets_domain(self, part: str) -> bool:
        span, domain = calendar_span(part), self.column.domain
        return span is not None and domain is not None and span[0] < span[1] and span[0] <= domain[1] and span[1] >= domain[0]

    def _single(self, label: str) -> bool:
        if label in self._place or label in self._nodes:
            return True
        # A month, a quarter or a year; a day must be a day of the source.
        return self.column.kind is Kind.DATE and self._meets_domain(label)


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return float("nan")


def strange_quasi_cells(texts: Iterable[str | None], column: Column) -> int:
    """Distinct published texts that are no cell of this quasi-identifier."""
    declared = DeclaredCells(column)
    return sum(not declared.holds("" if text is None else text) for text in texts)


def known_texts(column: Column, component: int | None = None) -> set[str | None]:
    """What a cell of a sensitive or insensitive column may say: a value of the source's column; nothing, where the source lacks some."""
    if component is None:
        texts: set[str | None] = set(texts_of_values(column))
    else:
        texts = {format_number(number) for number in column.values[:, component]}
    return texts | {None} if (column.codes < 0).any() else texts


def identifiers_in(texts: Iterable[str | None], column: Column, identifiers: IdentifierValues) -> int:
    """Distinct parts of published cells that equal an identifier of the source and that the column's own values do not explain:
    age 42 is no leak because somebody's number is 42."""
    parts = {part for text in texts if text is not None for part in _parts(text)}
    if column.kind is Kind.VECTOR:
        explained = {format_number(number) for number in np.unique(column.values)}
    else:
        explained = set(texts_of_values(column))
    if column.kind is Kind.SET:
        explained |= {member for value in column.values for member in value}
    if column.hierarchy is not None:
        explained |= {str(label) for label in column.hierarchy.labels.ravel()}
    if column.kind is Kind.DATE:
        explained |= {part for part in parts if calendar_span(part) is not None}
    return len(identifiers.among(sorted(parts - explained)))


def _parts(text: str) -> set[str]:
    try:
        cell = parse_cell(text)
    except InputRejected:
        return {text, *(part.strip() for part in text.replace("|", ",").split(","))}
    match cell:
        case Single(label):
            return {text, label}
        case Interval(low, high):
            return {text, low, high}
        case Members(labels):
            return {text, *(label for label in labels if label is not None)}
    return {text}


def distinct_texts(cells: pa.ChunkedArray) -> list[str | None]:
    listed: list[str | None] = compute.unique(cells).to_pylist()
    return listed
