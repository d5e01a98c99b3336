"""Disclosure risk (decision-theoretic-privacy-risk; DEFINITIONS §7): ℓ = Φ/|ρ| per record, R its mean; both per dictionary.

θ = T, the released individuals themselves, is the dictionary `Table.columns` of the input rows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from headgate.cells import EVERYTHING, format_number
from headgate.columns import Column, Kind
from headgate.encode import encode_column, value_text
from headgate.errors import InputRejected
from headgate.hierarchy import Hierarchy
from headgate.inferred import absent_column, inferred_kind
from headgate.published import PublishedCells, PublishedTable
from headgate.risk.consistency import cell_masks, consistent_individuals, frame_cells, open_spec
from headgate.risk.sensitivity import Sensitivity, Weight, loss


@dataclass(frozen=True, eq=False)
class DisclosureRisk:
    mean: float  # R: the mean of ℓ
    max: float
    per_record: NDArray[np.float64]  # ℓ
    consistent: NDArray[np.int64]  # |ρ|
    unmatched: float  # share of records that no individual of the dictionary is consistent with


def disclosure(
    published: PublishedTable, dictionary: Mapping[str, Column], fields: Sequence[str], sensitivity: Sensitivity
) -> DisclosureRisk:
    """Of one published table against one dictionary, encoded by `encode_dictionary` (or the input table's own columns, θ = T)."""
    consistent = consistent_individuals(published.cells, dictionary, fields)
    domains = {name: dictionary[name] for name in fields}
    return _figures(sensitivity.of(disclosed_attributes(published, domains), published.rows), consistent)


def disclosed_attributes(published: PublishedTable, domains: Mapping[str, Column]) -> dict[str, NDArray[np.bool_]]:
    """Where each attribute is disclosed: neither missing nor generalized to the root. A set is where any of its bits is."""
    out = {name: _shown(cells, domains.get(name)) for name, cells in published.cells.items()}
    for name, column in (*published.sensitive.items(), *published.insensitive.items()):
        out[name] = column.codes >= 0
        if column.origin is not None:
            out[column.origin] = out[name] | out.get(column.origin, np.zeros(published.rows, dtype=bool))
    return out


def disclosure_risk(
    released: pd.DataFrame,
    dictionary: pd.DataFrame,
    fields: Sequence[str],
    sensitivity: Sensitivity,
    kinds: Mapping[str, str] | None = None,
    hierarchies: Mapping[str, Hierarchy] | None = None,
    key: str | None = None,
) -> DisclosureRisk:
    """Of a released frame, whose cells may be generalized texts, against a frame with one row an individual.

    A cell that names a hierarchy's node needs that hierarchy: without it the node is a value that no individual has."""
    _check_frames(released, dictionary, fields, key)
    columns = {name: _dictionary_column(dictionary, name, kinds, hierarchies) for name in fields}
    cells = {str(name): _released_cells(released[name], columns.get(str(name))) for name in released.columns}
    consistent = consistent_individuals(cells, columns, fields)
    disclosed = {name: _shown(one, columns.get(name)) for name, one in cells.items()}
    return _figures(sensitivity.of(disclosed, len(released)), consistent)


def min_risk(
    frame: pd.DataFrame, dictionary: pd.DataFrame, weights: Mapping[str, Weight], keep: int, kinds: Mapping[str, str] | None = None
) -> pd.DataFrame:
    """MinRisk (Algorithm 1): per record the `keep` fields, or all non-missing ones if fewer, with least γ = e^w·α(⊥)/α(x); the other
    cells missing. α(x) counts the dictionary's rows consistent with x on that field alone; a field that the dictionary lacks is
    consistent with all. γ = 0 if α(x) = 0, since ρ is then empty. Ties in the order of columns.
    It is optimal if the fields are independent."""
    names = [str(name) for name in frame.columns]
    if keep < 0:
        raise InputRejected("A record cannot keep fewer than 0 fields.", "Give keep from 0 up.")
    unknown = [name for name in weights if name not in names]
    if unknown:
        raise absent_column(unknown[0], names, "the frame")
    shared = [name for name in names if name in {str(column) for column in dictionary.columns}]
    _check_frames(frame, dictionary, shared, None)
    individuals, rows = len(dictionary), len(frame)
    gamma = np.full((rows, len(names)), np.inf)
    present = np.zeros((rows, len(names)), dtype=bool)
    for i, name in enumerate(names):
        column = _dictionary_column(dictionary, name, kinds) if name in shared else None
        cells = _released_cells(frame[name], column)
        present[:, i] = (cells.texts != "")[cells.codes]
        alpha = np.full(rows, individuals, dtype=np.int64)
        if column is not None:
            alpha = (cell_masks(cells, column).astype(np.int64) @ column.counts())[cells.codes]
        weight = Sensitivity.additive({name: weights.get(name, 0.0)}).of({name: np.ones(rows, dtype=bool)}, rows)
        with np.errstate(over="ignore"):
            gamma[:, i] = np.where(alpha > 0, np.exp(weight) * individuals / np.maximum(alpha, 1), 0.0)
    # missing cells go last even among infinite γ: they cannot be disclosed
    order = np.lexsort((gamma, ~present), axis=1)
    kept = np.zeros_like(present)
    np.put_along_axis(kept, order[:, :keep], True, axis=1)
    return frame.where(pd.DataFrame(kept & present, index=frame.index, columns=frame.columns))


def _figures(sensitivity: NDArray[np.float64], consistent: NDArray[np.int64]) -> DisclosureRisk:
    losses = loss(sensitivity, consistent)
    return DisclosureRisk(float(losses.mean()), float(losses.max()), losses, consistent, float((consistent == 0).mean()))


def _shown(cells: PublishedCells, domain: Column | None) -> NDArray[np.bool_]:
    roots = {"", EVERYTHING}
    if domain is not None and domain.hierarchy is not None:
        roots.add(str(domain.hierarchy.labels[0, -1]))
    return np.array([text not in roots for text in cells.texts], dtype=bool)[cells.codes]


def _dictionary_column(
    dictionary: pd.DataFrame, name: str, kinds: Mapping[str, str] | None, hierarchies: Mapping[str, Hierarchy] | None = None
) -> Column:
    cells = dictionary[name]
    dated = pd.api.types.is_datetime64_any_dtype(cells.dtype)
    kind = inferred_kind(cells, name, kinds or {}, Kind.DATE if dated else Kind.CATEGORY)
    if kind in (Kind.SET, Kind.VECTOR, Kind.ORDINAL):
        raise InputRejected(f"Field '{name}' cannot be compared as {kind}.", "Use number, integer, date or category.")
    return encode_column(cells, open_spec(cells, name, kind, (), (hierarchies or {}).get(name)))


def _released_cells(cells: pd.Series, column: Column | None) -> PublishedCells:
    def text(value: Any) -> str:
        if isinstance(value, str):
            return value
        if isinstance(value, pd.Timestamp):
            return value.date().isoformat()
        if column is not None and column.kind.numeric and not isinstance(value, bool):
            return format_number(value)
        return value_text(value)

    return frame_cells(cells, text)


def _check_frames(released: pd.DataFrame, dictionary: pd.DataFrame, fields: Sequence[str], key: str | None) -> None:
    for frame, what in ((released, "release"), (dictionary, "dictionary")):
        names = [str(name) for name in frame.columns]
        if len(set(names)) != len(names):
            raise InputRejected(f"The {what} has two columns of one name.", "Rename one.")
        if len(frame) == 0:
            raise InputRejected(f"The {what} has no rows.", "Give a frame with rows.")
        absent = [name for name in fields if name not in names]
        if absent:
            raise absent_column(absent[0], names, f"the {what}")
    if key is not None:
        if key not in dictionary.columns:
            raise absent_column(key, [str(name) for name in dictionary.columns], "the dictionary")
        if dictionary[key].isna().any() or dictionary[key].duplicated().any():
            raise InputRejected(f"The dictionary's key '{key}' is missing or repeated in some rows.", "Give one row an individual.")
