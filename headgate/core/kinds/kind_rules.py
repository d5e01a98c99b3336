"""Everything that depends on a column's kind. A new kind is a class in a file of its own beside this one, and a line in `kind.py`.

The rules of this class fit a kind whose cells are texts that have no order; other kinds replace what differs.
"""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from headgate.core.cells import EVERYTHING, Interval, Single, cell_refused, format_label
from headgate.core.errors import InputRejected
from headgate.core.hierarchy import Hierarchy
from headgate.core.spelling import Codes, as_written, blank_is_missing, factorize, is_text, of_objects, value_text
from headgate.core.tolerance import radius
from headgate.core.units import amount_text

if TYPE_CHECKING:
    from headgate.core.alike import Ruler
    from headgate.core.columns import Column
    from headgate.core.encode import ColumnSpec
    from headgate.core.published_form.cell_reader import CellReader

SPAN, TREE, FLAT = 0, 1, 2  # what a generalized cell is: a stretch of a line, a node of a tree, a set of values
DISCRETE, LINE, MATRIX = 0, 1, 2  # how two values are compared: equal or not, by their difference, or in a table
LARGEST_MATRIX = 6_000  # distinct values; a matrix of float64 of that size takes 288 MB


class Coded(NamedTuple):
    """The codes of a column, and their meaning."""

    codes: Codes
    values: NDArray[Any]
    hierarchy: Hierarchy | None = None


class Lines(NamedTuple):
    """Distances as a sum over lines instead of a table: Σ `share`·|x − y|^p, or the least |x − y| (`least`)."""

    positions: list[NDArray[np.float64]]  # on each line, ascending
    codes: Codes  # values × lines: the place of each value on them
    share: float
    least: bool


class KindRules:
    keys: frozenset[str] = frozenset()  # of an attribute in a policy: those that fit this kind
    required: tuple[str, ...] = ()  # the keys that are required
    described: frozenset[str] = frozenset()  # how a hierarchy of it can be described instead of listed: widths, mask
    calendar: bool = False  # it generalizes by the calendar: a hierarchy is not listed, and its widths are of bands of years
    single: bool = True  # a cell is one value, which can be named, counted and guessed; only such a kind can be a quasi-identifier
    insensitive: bool = True  # can be published as it is
    components: bool = False  # a cell lies in several columns of the file
    numeric: bool = False  # values are numbers, as days are
    whole: bool = False  # every whole number of the domain can be a value
    ordered: bool = False  # values lie on a line
    declared_line: bool = False  # every value that is declared has a place on the line, whether it occurs or not
    ground_distance: bool = True  # closeness knows how far apart two values are
    levels_above: bool = False  # a hierarchy says how far apart two values are, not only how they generalize
    compared_as: str = "text"  # two tables can be compared in a field if this is the same in both; empty for kinds that cannot be compared
    storage: str = "string"  # what a cell is in a data dictionary
    notation: str = ""  # what a generalized cell may be, in words

    # From cells to codes

    def encode(self, cells: pd.Series | pd.DataFrame, spec: ColumnSpec) -> Coded:
        codes, distinct = factorize(pd.Series(cells), spec.name)
        if self.single and any(isinstance(value, tuple) for value in (distinct if is_text(distinct) else ())):
            raise of_objects(spec.name)
        return self.code(codes, np.asarray(as_written(distinct), dtype=object), spec)

    def code(self, codes: Codes, distinct: NDArray[Any], spec: ColumnSpec) -> Coded:
        """`distinct` are the cells as they are spelled, which `codes` number."""
        raise NotImplementedError

    def as_texts(self, codes: Codes, distinct: NDArray[Any]) -> tuple[Codes, NDArray[Any]]:
        return blank_is_missing(codes, np.array([value_text(value) for value in distinct], dtype=object))

    def domain(self, codes: Codes, values: NDArray[Any], spec: ColumnSpec) -> tuple[float, float] | None:
        return spec.domain

    def domain_of(self, values: NDArray[Any], declared: tuple[float, float] | None) -> tuple[float, float] | None:
        """The domain of a column without rows, for reading published cells."""
        return None

    def sensitive(self, values: NDArray[Any], spec: ColumnSpec) -> list[bool] | NDArray[np.bool_] | bool:
        """Which values are sensitive."""
        harmless = {value for value in spec.nonsensitive if value is not None}
        return [value_text(value) not in harmless for value in values] if harmless else True

    def extended(self, spec: ColumnSpec, known: list[str], unknown: list[str]) -> ColumnSpec:
        """A specification that also accepts values other than the known ones."""
        return replace(spec, declared=(*known, *unknown))

    # From codes to published cells

    def texts(self, column: Column) -> list[str]:
        """Each value as it is written in a file."""
        return [str(value) for value in column.values]

    def decoded(self, column: Column) -> dict[str, Any]:
        """The cells of every row as in the source, by the name of their column."""
        return {column.name: np.array([*self.texts(column), None], dtype=object)[column.codes]}

    def cell_text(self, value: Any) -> str:
        """A single value as a published cell."""
        return format_label(str(value))

    def shape(self, column: Column) -> int:
        """SPAN, TREE or FLAT."""
        return TREE if column.hierarchy is not None else SPAN if self.ordered else FLAT

    def between(self, column: Column, low: int, high: int) -> tuple[str, float]:
        """The cell that covers all values from one code to another, and its share of the domain."""
        raise InputRejected(f"The values of '{column.name}' have no order.", "Give it a hierarchy.")

    def levels(self, column: Column) -> list[list[str]]:
        """The label of each value at each level below the root."""
        if column.hierarchy is None:
            return [self.texts(column)]
        return [[str(label) for label in column.hierarchy.labels[:, level]] for level in range(column.hierarchy.height)]

    def node_text(self, label: str, level: int) -> str:
        return format_label(label)

    def node_loss(self, column: Column, label: str, leaves: int, level: int) -> float:
        """The share of the domain under one node of a level (DEFINITIONS §4); `leaves` is how many values lie under it."""
        return leaves / len(column.values) if level > 0 and leaves > 1 else 0.0

    def tree(self, column: Column) -> tuple[NDArray[Any], NDArray[Any], NDArray[np.float64]]:
        """The place of each value when the tree is walked from its root, so that the leaves of each node are adjacent; and for each
        level and place, the node and the share of the domain under it. The last level is the root."""
        hierarchy = column.hierarchy
        if hierarchy is None:
            raise InputRejected(f"'{column.name}' has no hierarchy.", "Give one.")
        order = np.lexsort(tuple(hierarchy.nodes[:, level] for level in range(hierarchy.height + 1)))
        rank = np.empty(len(order), dtype=np.int64)
        rank[order] = np.arange(len(order))
        node = hierarchy.nodes[order].T
        share = np.zeros(node.shape)  # one value loses nothing
        share[-1] = 1.0 if len(order) > 0 else 0.0
        for level in range(1, hierarchy.height):
            first, place, leaves = np.unique(node[level], return_index=True, return_inverse=True, return_counts=True)[1:]
            labels = hierarchy.labels[order[first], level]
            own = [self.node_loss(column, str(label), int(many), level) for label, many in zip(labels, leaves, strict=True)]
            share[level] = np.array(own)[place]
        return rank, node, share

    # Values on a line, and how far apart they are

    def points(self, column: Column) -> NDArray[np.float64]:
        """The position of each value on its line."""
        return np.arange(len(column.values), dtype=np.float64)

    def shares_of_line(self, column: Column) -> NDArray[np.float64]:
        """The position of each value in the domain, if the domain has length 1."""
        return np.arange(len(column.values)) / max(len(column.values) - 1, 1)

    def component(self, column: Column, power: float) -> tuple[int, NDArray[np.float64]]:
        """One component of the semantic distance Δ (DEFINITIONS §2), in [0, 1]: DISCRETE, LINE or MATRIX, and its numbers."""
        raise NotImplementedError

    def as_lines(self, column: Column, power: float, alone: bool, least: bool) -> Lines | None:
        """In place of a table of distances that would be too large. `alone`: Δ is this attribute's own distance; else it is composed with
        others by L^p, or by the minimum (`least`). None where `component` does."""
        return None

    def power_alone(self, column: Column, power: float) -> float:
        """The p by which the lines of an attribute alone are summed."""
        return power

    def line(self, column: Column) -> tuple[NDArray[np.float64], float]:
        """The position of each value on a line whose differences lose no digits, and how much of the line is 1 in the attribute's own
        unit."""
        return self.points(column), 1.0

    def own_line(self, column: Column, epsilon: Fraction | float) -> tuple[NDArray[np.float64], float]:
        """The position of each value on a line for its own units, and how far apart similar ones may be there, the tolerance folded in."""
        line, unit = self.line(column)
        return line, radius(float(epsilon)) * unit

    def in_own_units(self, column: Column, epsilon: Fraction | float) -> tuple[int, NDArray[np.float64], float]:
        """Like `component`, with ε in the attribute's own units; and how far similar values may be apart, its tolerance folded in."""
        if not self.ordered:
            raise InputRejected(f"The values of '{column.name}' have no unit.", "Give ε as a share: anonymize.epsilon, or anonymize.each.")
        return LINE, *shrunk(*self.own_line(column, epsilon))

    # The same in words

    def own_width(self, ruler: Ruler, share: float) -> float:
        """A share of the largest distance in the attribute's own units."""
        return share * max(ruler.steps, 1)

    def alike_within(self, ruler: Ruler, width: float) -> str:
        """When two values are alike that may be `width` apart, in the attribute's own units."""
        return f"up to {amount_text(width)} apart"

    def largest_distance(self, ruler: Ruler) -> str:
        """What ε is a share of; empty where there is nothing to say."""
        return ""

    # A reader of published cells

    def stretch(self, cell: Single | Interval, reader: CellReader) -> tuple[float, float] | None:
        """The stretch of the line that a cell names; None for a cell that is not a stretch."""
        if isinstance(cell, Interval):
            raise cell_refused()
        return None

    def cell_loss(self, cell: Single | Interval, reader: CellReader) -> float:
        """The share of the domain that a cell spans."""
        if isinstance(cell, Interval) and not self.ordered:
            raise InputRejected(f"A published cell of '{reader.column.name}' is an interval of a category.", "Publish the table again.")
        if isinstance(cell, Interval):
            stretch = self.stretch(cell, reader)
            return 0.0 if stretch is None else part_of(stretch, reader.column.domain)
        leaves = reader.leaves_under(cell.label)
        return leaves / len(reader.column.values) if leaves > 1 else 0.0

    def wider(self, column: Column, text: str, stretch: tuple[float, float] | None) -> str:
        """One step coarser than a cell that is not a node of a hierarchy; `*` if nothing lies between."""
        return EVERYTHING


def shrunk(line: NDArray[np.float64], reach: float) -> tuple[NDArray[np.float64], float]:
    """A line and a reach divided by a power of two, which rounds nothing, so that the reach is below 1/2: a missing cell, at 1, is then
    never similar."""
    shrink = 2.0 ** -(math.frexp(reach)[1] + 1)
    return line * shrink, reach * shrink


def table_of_distances(column: Column) -> None:
    """Refuses a column with more values than a table of distances may have."""
    if len(column.values) > LARGEST_MATRIX:
        raise InputRejected(
            f"'{column.name}' has {len(column.values)} distinct values, too many for a table of distances.", "Use fewer values."
        )


def part_of(stretch: tuple[float, float], domain: tuple[float, float] | None) -> float:
    """The part of the domain's width that lies in a stretch; 0 where the domain has only one value."""
    if domain is None or domain[1] <= domain[0]:
        return 0.0
    return max(0.0, (min(stretch[1], domain[1]) - max(stretch[0], domain[0])) / (domain[1] - domain[0]))
