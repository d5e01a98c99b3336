"""Disclosure risk (decision-theoretic-privacy-risk; DEFINITIONS §7): ℓ = Φ/|ρ| per record, R its mean; both per dictionary.

θ = T, the released individuals themselves, is the dictionary `Table.columns` of the input rows.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from numbers import Number
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from headgate.core.cells import EVERYTHING, format_label, format_number
from headgate.core.columns import Column, Kind
from headgate.core.encode import encode_column
from headgate.core.errors import InputRejected
from headgate.core.frame_specs import absent_column, check_text_names, given_hierarchy, inferred_kind
from headgate.core.published_form.published_table import PublishedCells, PublishedTable
from headgate.core.spelling import value_text
from headgate.core.tolerance import TOLERANCE, exact
from headgate.risk.candidates.consistency import consistent_individuals, frame_cells, open_spec, without_suppressed
from headgate.risk.candidates.marginals import Marginals, expected_individuals
from headgate.risk.disclosure.sensitivity import Sensitivity, loss

Dictionary = Mapping[str, Column] | Marginals  # one row per individual, or frequency tables


@dataclass(frozen=True, eq=False)
class DisclosureRisk:
    mean: float  # R: the mean of ℓ
    max: float
    per_record: NDArray[np.float64]  # ℓ
    consistent: NDArray[np.int64] | NDArray[np.float64]  # |ρ|, or what is expected of it
    unmatched: float  # share of records that no individual of the dictionary is consistent with

    @property
    def fewest(self) -> float:
        """The least |ρ| of a record that anybody is consistent with: the k that matters; infinite if no such record exists."""
        positive = self.consistent[self.consistent > 0]
        return float(positive.min()) if len(positive) else math.inf

    def share_above(self, loss: Any) -> float:
        """The share of records with a larger ℓ."""
        bound = float(exact(loss))
        return float((self.per_record > bound + TOLERANCE * max(1.0, abs(bound))).mean())


def disclosure(
    published: PublishedTable,
    dictionary: Dictionary,
    fields: Sequence[str],
    sensitivity: Sensitivity,
    similar: Mapping[str, float] | None = None,
) -> DisclosureRisk:
    """Of one published table against one dictionary, encoded by `encode_dictionary` (or the input table's own columns, θ = T)."""
    consistent = candidates(published.cells, dictionary, fields, similar)
    return risk_of(sensitivity.of(disclosed_attributes(published, domains_of(dictionary)), published.rows), consistent)


def risk_of(sensitivity: NDArray[np.float64], consistent: NDArray[Any]) -> DisclosureRisk:
    """From Φ and |ρ| of every record."""
    losses = loss(sensitivity, consistent)
    with np.errstate(over="ignore"):  # a sum beyond all floats is infinite, and no gate lets infinity pass
        mean = float(losses.mean())
    return DisclosureRisk(mean, float(losses.max()), losses, consistent, float((consistent == 0).mean()))


def candidates(
    cells: Mapping[str, PublishedCells], dictionary: Dictionary, fields: Sequence[str], similar: Mapping[str, float] | None = None
) -> NDArray[np.int64] | NDArray[np.float64]:
    """|ρ| of every record; of marginals, what is expected."""
    if isinstance(dictionary, Marginals):
        return expected_individuals(cells, dictionary, fields)
    return consistent_individuals(cells, dictionary, fields, similar)


def domains_of(dictionary: Dictionary) -> Mapping[str, Column]:
    return dictionary.columns if isinstance(dictionary, Marginals) else dictionary


def disclosed_attributes(published: PublishedTable, domains: Mapping[str, Column]) -> dict[str, NDArray[np.bool_]]:
    """Where each attribute is disclosed: neither missing nor generalized to the root. A set is one attribute, disclosed where any of its
    bits is."""
    out = {name: shown(cells, domains.get(name)) for name, cells in published.cells.items()}
    for name, column in (*published.sensitive.items(), *published.insensitive.items()):
        whole = column.origin or name
        out[whole] = (column.codes >= 0) | out.get(whole, np.zeros(published.rows, dtype=bool))
    return out


def disclosure_risk(
    released: pd.DataFrame,
    dictionary: pd.DataFrame,
    fields: Sequence[str],
    sensitivity: Sensitivity,
    kinds: Mapping[str, str] | None = None,
    hierarchies: Mapping[str, Any] | None = None,
    key: str | None = None,
    similar: Mapping[str, float] | None = None,
) -> DisclosureRisk:
    """Of a released frame, whose cells may be generalized texts, against a frame with one row per individual.

    A cell that names a hierarchy's node needs that hierarchy: without it the node is a value that no individual has. Where `unmatched` is
    1 nobody fits any record, most likely because the two are written otherwise: then nothing has been measured."""
    fields = list(fields)
    check_frames(released, dictionary, fields, key)
    columns = {name: dictionary_column(dictionary, name, kinds, hierarchies) for name in fields}
    cells = {str(name): _released_cells(released[name], columns.get(str(name))) for name in released.columns}
    consistent = consistent_individuals(cells, columns, fields, similar)
    disclosed = {name: shown(published_cells, columns.get(name)) for name, published_cells in cells.items()}
    return risk_of(sensitivity.of(disclosed, len(released)), consistent)


def shown(cells: PublishedCells, domain: Column | None) -> NDArray[np.bool_]:
    roots = {"", EVERYTHING}
    if domain is not None and domain.hierarchy is not None:
        root = str(domain.hierarchy.labels[0, -1])
        roots |= {root, format_label(root)}  # an interval is written as it is, any other label with its signs escaped
    return np.array([text not in roots for text in cells.texts], dtype=bool)[cells.codes]


def dictionary_column(
    dictionary: pd.DataFrame, name: str, kinds: Mapping[str, str] | None, hierarchies: Mapping[str, Any] | None = None
) -> Column:
    cells = dictionary[name]
    dated = pd.api.types.is_datetime64_any_dtype(cells.dtype)
    kind = inferred_kind(cells, name, kinds or {}, Kind.DATE if dated else Kind.CATEGORY)
    if kind.rules.required or not kind.rules.single:
        raise InputRejected(f"Field '{name}' cannot be compared as {kind}.", "Use number, integer, date or category.")
    hierarchy = given_hierarchy((hierarchies or {}).get(name), cells, kind, name)
    cells = without_suppressed(cells, hierarchy)
    return encode_column(cells, open_spec(cells, name, kind, [], hierarchy))


def _released_cells(cells: pd.Series, column: Column | None) -> PublishedCells:
    def text(value: Any) -> str:
        if isinstance(value, str):
            return value.strip()  # as the dictionary's cells are
        if isinstance(value, datetime | date | np.datetime64):
            day = pd.Timestamp(value).date() if isinstance(value, np.datetime64) else value
            return (day.date() if isinstance(day, datetime) else day).isoformat()
        if column is not None and column.kind.numeric and isinstance(value, Number) and not isinstance(value, bool):
            return format_number(value)
        return value_text(value)

    return frame_cells(cells, text)


def check_frames(released: pd.DataFrame, dictionary: pd.DataFrame, fields: Sequence[str], key: str | None) -> None:
    for frame, what in ((released, "release"), (dictionary, "dictionary")):
        names = [str(name) for name in frame.columns]
        if len(set(names)) != len(names):
            raise InputRejected(f"The {what} has two columns with the same name.", "Rename one.")
        if len(frame) == 0:
            raise InputRejected(f"The {what} has no rows.", "Give a frame with rows.")
        check_text_names([*fields, *frame.columns], list(frame.columns))
        absent = [name for name in fields if name not in names]
        if absent:
            raise absent_column(absent[0], names, f"the {what}")
    if key is not None:
        if key not in dictionary.columns:
            raise absent_column(key, [str(name) for name in dictionary.columns], "the dictionary")
        if (dictionary[key].isna() | dictionary[key].isin([""])).any() or dictionary[key].duplicated().any():
            raise InputRejected(
                f"The dictionary's key '{key}' is missing or repeated in some rows.", "Give exactly one row per individual."
            )
