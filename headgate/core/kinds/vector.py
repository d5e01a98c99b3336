"""Vectors: several numeric columns of the file that are one attribute, such as a distribution over causes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from headgate.core.errors import InputRejected
from headgate.core.kinds.kind_rules import MATRIX, Coded, KindRules, table_of_distances
from headgate.core.spelling import MISSING

if TYPE_CHECKING:
    from headgate.core.columns import Column
    from headgate.core.encode import ColumnSpec

LARGEST_SLIP = 1e-6  # of a sum that should be 1: distributions are written with few decimals


class Vector(KindRules):
    keys = frozenset({"columns", "distance"})
    required = ("columns",)
    single = False
    insensitive = False
    components = True
    ground_distance = False
    compared_as = ""
    storage = "number"

    def encode(self, cells: pd.Series | pd.DataFrame, spec: ColumnSpec) -> Coded:
        frame = pd.DataFrame(cells)
        names = spec.components or frame.columns
        matrix = np.column_stack([pd.to_numeric(frame[name], errors="coerce").to_numpy(dtype=np.float64) for name in names])
        if (np.isnan(matrix) & frame.notna().to_numpy()).any() or np.isinf(matrix).any():
            raise InputRejected(f"The components of '{spec.name}' hold cells that are not finite numbers.", "Correct the data.")
        missing = np.isnan(matrix).any(axis=1)
        if spec.metric == "total-variation":
            sums = matrix[~missing].sum(axis=1)
            if (np.abs(sums - 1.0) > LARGEST_SLIP).any() or (matrix[~missing] < 0).any():
                raise _no_distribution(spec.name)
        values, place = np.unique(matrix[~missing], axis=0, return_inverse=True)
        codes = np.full(len(matrix), MISSING, dtype=np.int32)
        codes[~missing] = place
        return Coded(codes, values)

    def decoded(self, column: Column) -> dict[str, Any]:
        parts = column.values[column.codes].astype(np.float64) if len(column.values) else np.zeros((len(column), len(column.components)))
        parts[column.codes < 0] = np.nan
        return {name: parts[:, i] for i, name in enumerate(column.parts)}

    def component(self, column: Column, power: float) -> tuple[int, NDArray[np.float64]]:
        table_of_distances(column)
        return MATRIX, _distances(column, power).ravel()


def _no_distribution(name: str) -> InputRejected:
    return InputRejected(f"The components of '{name}' do not sum to 1 in every row.", "Use distance: lp, or give distributions.")


def _distances(column: Column, power: float) -> NDArray[np.float64]:
    vectors, metric = column.values.astype(np.float64), column.metric or "total-variation"
    if metric not in ("total-variation", "lp", "min"):
        raise InputRejected(f"'{metric}' is not a distance between vectors.", "Use total-variation, lp or min.")
    if metric == "total-variation" and (np.abs(vectors.sum(axis=1) - 1.0) > LARGEST_SLIP).any():
        raise _no_distribution(column.name)
    size, dimensions = vectors.shape
    out = np.full((size, size), np.inf if metric == "min" else 0.0)
    for component in vectors.T:  # one at a time: a distinct × distinct × components block would not fit
        gaps = np.abs(component[:, None] - component[None, :])
        if metric == "min":
            np.minimum(out, gaps, out=out)
        else:
            out += gaps**power if metric == "lp" else gaps
    if metric == "lp":
        out = (out / dimensions) ** (1.0 / power)  # L^p / d^{1/p}
    elif metric == "total-variation":
        out /= 2.0
    if out.max(initial=0.0) > 1.0 + LARGEST_SLIP:
        raise InputRejected(f"Vectors of '{column.name}' are farther apart than 1.", "Scale its components to between 0 and 1.")
    return out
