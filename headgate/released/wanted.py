"""What conditions on one column ask for, in the terms of its domain: stretches of a line, or places among listed values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import reduce

import numpy as np
from numpy.typing import NDArray

from headgate.core.calendar_parts import calendar_span
from headgate.core.cells import interval_of_node, is_number
from headgate.core.columns import Column
from headgate.core.computed_hierarchies import MASK
from headgate.core.errors import InputRejected
from headgate.core.published_form.cell_reader import NOTHING, CellReader
from headgate.released.reader_conditions import COMPARED, Condition
from headgate.released.stretches import AFTER_ALL, ALL, BEFORE_ALL, Stretches

MISSING, PRESENT = "is missing", "is not missing"
NEGATED = ("!=", "not in")


@dataclass(frozen=True, eq=False)
class Wanted:
    """`values`, `missing`: whether values, and missing cells, can meet all conditions at all. `masked`: the column's texts are masked, so
    its hierarchy tells how many values lie under a node, and not which. `named`: the values of a masked column that were asked for, or
    with `negated` excluded; `mask` then holds what its nodes say."""

    values: bool
    missing: bool
    stretches: Stretches = ALL
    mask: NDArray[np.bool_] = field(default_factory=lambda: np.empty(0, dtype=bool))
    masked: bool = False
    named: frozenset[str] = frozenset()
    negated: bool = False

    def meets_name(self, label: str, reader: CellReader) -> bool:
        """A value of a masked column that is published as it is."""
        under = under_mask(label, reader)
        if under is None:
            raise _unknown(reader.column, label)
        inside = bool((self.mask & under).any())
        return self.values and (inside and label not in self.named if self.negated else inside or label in self.named)

    def named_under(self, places: NDArray[np.bool_], reader: CellReader) -> int:
        """How many of the named values may be among these."""
        under = (under_mask(label, reader) for label in self.named)
        return min(sum(bool((mask & places).any()) for mask in under if mask is not None), int(places.sum()))


def under_mask(label: str, reader: CellReader) -> NDArray[np.bool_] | None:
    """The places under the first mask of a text; None if no published text has that mask."""
    return reader.under(label[:-1] + MASK)


def is_masked(column: Column) -> bool:
    """A hierarchy of masks is published without its values: each is called by its mask and a number."""
    if column.hierarchy is None or column.kind.ordered:
        return False
    labels = column.hierarchy.labels
    return all(str(parent).endswith(MASK) and str(leaf) == f"{parent} {row}" for row, (leaf, parent) in enumerate(labels[:, :2])) and bool(
        len(labels)
    )


def wanted(column: Column, reader: CellReader, conditions: Sequence[Condition]) -> Wanted:
    values = not any(condition.operator == MISSING for condition in conditions)
    missing = all(condition.operator == MISSING for condition in conditions)
    compared = [condition for condition in conditions if condition.operator not in (MISSING, PRESENT)]
    if column.kind.numeric:
        return Wanted(values, missing, reduce(Stretches.within, (_on_line(each, reader) for each in compared), ALL))
    masked = is_masked(column)
    if masked and any(value not in reader.nodes for each in compared for value in each.values):
        return _names(column, reader, compared, values, missing)
    mask = np.ones(len(column.values), dtype=bool)
    for condition in compared:
        mask &= _among(condition, reader)
    return Wanted(values, missing, mask=mask, masked=masked)


def _names(column: Column, reader: CellReader, compared: Sequence[Condition], values: bool, missing: bool) -> Wanted:
    if len(compared) > 1 or compared[0].operator in COMPARED:
        raise InputRejected(
            f"'{column.name}' is masked, and several conditions on it name values.", f"Give one condition on it: {column.name} in (a, b)."
        )
    (condition,) = compared
    named = frozenset(value for value in condition.values if value not in reader.nodes)
    unknown = [value for value in named if under_mask(value, reader) is None]
    if unknown:
        raise _unknown(column, unknown[0])
    mask = np.zeros(len(column.values), dtype=bool)
    for value in condition.values:
        mask[reader.nodes.get(value, NOTHING)] = True
    negated = condition.operator in NEGATED
    return Wanted(values, missing, mask=~mask if negated else mask, masked=True, named=named, negated=negated)


def _on_line(condition: Condition, reader: CellReader) -> Stretches:
    spans = [_span(value, condition, reader) for value in condition.values]
    if condition.operator in COMPARED:
        ((start, _), (_, end)) = spans[0].parts[0], spans[0].parts[-1]
        part = {"<": (BEFORE_ALL, start), "<=": (BEFORE_ALL, end), ">": (end, AFTER_ALL), ">=": (start, AFTER_ALL)}[condition.operator]
        return Stretches.of([part])
    union = Stretches.of(part for span in spans for part in span.parts)
    return union.outside() if condition.operator in NEGATED else union


def _span(value: str, condition: Condition, reader: CellReader) -> Stretches:
    """A number; a day or a part of the calendar; an interval; or the numbers under a node."""
    column = reader.column
    ends: tuple[float, float] | None
    if column.kind.rules.calendar:
        ends = calendar_span(value)
    elif value in reader.nodes and condition.operator not in COMPARED:
        return Stretches.points(column.values[reader.nodes[value]].tolist())
    else:
        ends = (float(value), float(value)) if is_number(value) else interval_of_node(value)
    if ends is None:
        what = "a day YYYY-MM-DD, a month YYYY-MM or a year" if column.kind.rules.calendar else "a number"
        raise InputRejected(f"The condition on '{column.name}' does not name {what}.", f"Write {what} without quotes or units.", [value])
    return Stretches.closed(*ends)


def _among(condition: Condition, reader: CellReader) -> NDArray[np.bool_]:
    column = reader.column
    if condition.operator in COMPARED:
        rank = reader.place.get(condition.values[0])
        if not column.kind.ordered:
            cure = f"Write {column.name} == value or {column.name} in (a, b)."
            raise InputRejected(f"The values of '{column.name}' have no order, so none is less than another.", cure)
        if rank is None:
            raise _unknown(column, condition.values[0])
        ranks = np.arange(len(column.values))
        return {"<": ranks < rank, "<=": ranks <= rank, ">": ranks > rank, ">=": ranks >= rank}[condition.operator]
    mask = np.zeros(len(column.values), dtype=bool)
    for value in condition.values:
        if value in reader.nodes:
            mask[reader.nodes[value]] = True
        elif value in reader.place:
            mask[reader.place[value]] = True
        else:
            raise _unknown(column, value)
    return ~mask if condition.operator in NEGATED else mask


def _unknown(column: Column, value: str) -> InputRejected:
    return InputRejected(
        f"The condition on '{column.name}' names a value that the release does not know.",
        f"datapackage.json lists the values and nodes of '{column.name}'; upper and lower case differ.",
        [value],
    )
