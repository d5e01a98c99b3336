"""Categories: texts without an order. They generalize to sets of values or, with a hierarchy, to its nodes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from headgate.core.errors import InputRejected
from headgate.core.kinds.kind_rules import DISCRETE, MATRIX, Coded, KindRules, table_of_distances
from headgate.core.spelling import MISSING, Codes, cells_rejected, sorted_unique
from headgate.core.tolerance import radius
from headgate.core.units import EQUAL, counted

if TYPE_CHECKING:
    from headgate.core.alike import Ruler
    from headgate.core.columns import Column
    from headgate.core.encode import ColumnSpec


class Category(KindRules):
    keys = frozenset({"values", "values_from", "hierarchy", "region", "map", "unmapped"})
    described = frozenset({"mask"})
    levels_above = True
    notation = "a value, {a|b} for a set of values, or * for everything"

    def code(self, codes: Codes, distinct: NDArray[Any], spec: ColumnSpec) -> Coded:
        codes, values = self.as_texts(codes, distinct)
        if spec.declared:
            declared = coded_as_declared(codes, values, spec, spec.declared)
            if spec.hierarchy is None:
                return declared
        if spec.hierarchy is not None:
            cure = f"Correct the data, or {spec.hierarchy.cure}."
            leaves = tuple(spec.hierarchy.leaves)
            return coded_as_declared(codes, values, spec, leaves, "hierarchy's leaves", cure)._replace(hierarchy=spec.hierarchy)
        return Coded(*sorted_unique(codes, values))

    def component(self, column: Column, power: float) -> tuple[int, NDArray[np.float64]]:
        if column.hierarchy is None:
            return DISCRETE, np.empty(0)
        table_of_distances(column)
        return MATRIX, column.hierarchy.distances().ravel()

    def alike_within(self, ruler: Ruler, width: float) -> str:
        levels = math.floor(radius(width))
        return f"under the same node, at most {counted(levels, 'level')} up" if levels else EQUAL

    def largest_distance(self, ruler: Ruler) -> str:
        return f"of the {counted(ruler.steps, 'level')} of its hierarchy" if ruler.steps else ""

    def in_own_units(self, column: Column, epsilon: Fraction | float) -> tuple[int, NDArray[np.float64], float]:
        """In levels of the hierarchy: values are similar if their lowest common node is at most ε levels above them."""
        levels = 1 if column.hierarchy is None else column.hierarchy.height
        return *self.component(column, 1.0), radius(float(epsilon) / levels)


def coded_as_declared(
    codes: Codes,
    values: NDArray[Any],
    spec: ColumnSpec,
    declared: Sequence[str],
    what: str = "declared values",
    cure: str = "Correct the data or declare the values in the policy.",
) -> Coded:
    """A code is a place among the declared values; any other value is refused."""
    place = {value: code for code, value in enumerate(declared)}
    if len(place) != len(declared):
        raise InputRejected(f"The {what} of '{spec.name}' list a value twice.", "List every value once.")
    texts = [str(value) for value in values]
    code = np.array([place.get(text, place.get(text.strip(), MISSING)) for text in texts] + [MISSING], dtype=np.int32)
    outside = code[:-1] == MISSING
    if outside.any():
        raise cells_rejected(codes, texts, outside, spec.name, f"is not among its {what}", f"are not among its {what}", cure)
    return Coded(code[codes], np.array(declared, dtype=object))
