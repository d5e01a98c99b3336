"""Vectors: several numeric columns of the file that are one attribute, such as a distribution over causes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from headgate.core.errors import CellsRejected, InputRejected
from headgate.core.kinds.kind_rules import LARGEST_MATRIX, MATRIX, Coded, KindRules, Lines, table_of_distances
from headgate.core.kinds.number import NUMBERS
from headgate.core.spelling import MISSING, plain_cells, value_text
from headgate.core.units import amount_text

if TYPE_CHECKING:
    from headgate.core.alike import Ruler
    from headgate.core.columns import Column
    from headgate.core.encode import ColumnSpec

TOTAL_VARIATION = "total-variation"
IN_WORDS = {TOTAL_VARIATION: "total variation", "lp": "the mean difference of components", "min": "the least difference of a component"}
LARGEST_SLIP = 1e-6  # of a sum that should be 1: distributions are written with few decimals


class Vector(KindRules):
    keys = frozenset({"columns", "distance", "decimal", "thousands", "unit"})
    required = ("columns",)
    single = False
    insensitive = False
    components = True
    ground_distance = False
    compared_as = ""
    storage = "number"

    def encode(self, cells: pd.Series | pd.DataFrame, spec: ColumnSpec) -> Coded:
        frame = pd.DataFrame(cells).apply(plain_cells)
        names = spec.components or frame.columns
        matrix = np.column_stack([pd.to_numeric(frame[name], errors="coerce").to_numpy(dtype=np.float64) for name in names])
        for component, name in enumerate(names):
            _require_finite(matrix[:, component], frame[name], str(name))
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

    def alike_within(self, ruler: Ruler, width: float) -> str:
        return f"up to {amount_text(width)} apart ({IN_WORDS.get(ruler.metric or TOTAL_VARIATION, '')})"

    def as_lines(self, column: Column, power: float, alone: bool, least: bool) -> Lines | None:
        if len(column.values) <= LARGEST_MATRIX:
            return None
        metric, vectors = _metric(column), column.values.astype(np.float64)
        summed = {TOTAL_VARIATION: (alone or (power == 1.0 and not least)), "lp": alone or not least, "min": alone or least}[metric]
        if not summed:
            raise InputRejected(
                f"'{column.name}' has {len(column.values)} distinct vectors, too many to compose their distance with others.",
                "Put it in a table of its own (projection), use distance: lp for it and combine: lp, or round its components.",
            )
        if np.ptp(vectors, axis=0).max(initial=0.0) > 1.0 + LARGEST_SLIP:
            raise _too_far_apart(column.name)
        positions, codes = zip(*(np.unique(component, return_inverse=True) for component in vectors.T), strict=True)
        share = {TOTAL_VARIATION: 0.5, "lp": 1.0 / vectors.shape[1], "min": 1.0}[metric]
        return Lines(list(positions), np.stack(codes, axis=1).astype(np.int32), share, metric == "min")

    def power_alone(self, column: Column, power: float) -> float:
        return 1.0 if _metric(column) == TOTAL_VARIATION else power

    def component(self, column: Column, power: float) -> tuple[int, NDArray[np.float64]]:
        table_of_distances(column)
        return MATRIX, _distances(column, power).ravel()


def _require_finite(numbers: NDArray[np.float64], cells: pd.Series, name: str) -> None:
    wrong = np.flatnonzero((np.isnan(numbers) & cells.notna().to_numpy(dtype=bool)) | np.isinf(numbers))
    if len(wrong):
        texts = [value_text(cell) for cell in cells.iloc[wrong]]
        raise CellsRejected(name, ("is not a finite number", "are not finite numbers"), NUMBERS, wrong.tolist(), texts)


def _no_distribution(name: str) -> InputRejected:
    return InputRejected(f"The components of '{name}' do not sum to 1 in every row.", "Use distance: lp, or give distributions.")


def _distances(column: Column, power: float) -> NDArray[np.float64]:
    vectors, metric = column.values.astype(np.float64), _metric(column)
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
        raise _too_far_apart(column.name)
    return out


def _metric(column: Column) -> str:
    metric = column.metric or TOTAL_VARIATION
    if metric not in IN_WORDS:
        raise InputRejected(f"'{metric}' is not a distance between vectors.", "Use total-variation, lp or min.")
    if metric == TOTAL_VARIATION and (np.abs(column.values.astype(np.float64).sum(axis=1) - 1.0) > LARGEST_SLIP).any():
        raise _no_distribution(column.name)
    return metric


def _too_far_apart(name: str) -> InputRejected:
    return InputRejected(f"Vectors of '{name}' are farther apart than 1.", "Scale its components to between 0 and 1.")
