"""A series of versions from frames: what they tell together about the people who are in more than one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from headgate.core.columns import Codes, Column, Table
from headgate.core.compiling import starts_of
from headgate.core.distance import Distance
from headgate.core.errors import InputRejected
from headgate.core.frame_specs import absent_column
from headgate.library.frame_columns import NonSensitive, cell_codes
from headgate.library.frame_columns import table as table_of
from headgate.series.published_versions import Version, VersionTable
from headgate.series.series_risk import SeriesMeasure, SeriesRisk, series_risk

NOT_PUBLISHED = -1
Groups = Any  # an integer per row, or by table: {attribute, or tuple of attributes: integers}


@dataclass(frozen=True, eq=False)
class SeriesResult:
    """`versions` are those that were measured; `per_person` is indexed by person, and has `versions` (how many hold the person),
    `linkability` and `candidates`; with ε, `risk` too."""

    measured: SeriesRisk
    versions: tuple[Version, ...]
    per_person: pd.DataFrame

    @property
    def linkability(self) -> float:
        return self.measured.linkability

    @property
    def linkability_any(self) -> float:
        """Over any set of versions that somebody may hold, not only single ones, pairs and all of them."""
        return self.measured.linkability_any

    @property
    def candidates(self) -> int | None:
        """None if no group holds a sensitive value."""
        return None if np.isinf(self.measured.candidates) else int(self.measured.candidates)

    @property
    def risk(self) -> float | None:
        return self.measured.risk

    @property
    def measures(self) -> tuple[SeriesMeasure, ...]:
        """Of each table's attributes together, and of each attribute."""
        return self.measured.measures

    @property
    def told(self) -> int:
        """People of whom the groups tell that a value changed: one of the groups lacks it."""
        return self.measured.told


def series(
    versions: Sequence[tuple[pd.DataFrame, Groups]],
    person: str,
    sensitive: Sequence[str],
    epsilon: Any = None,
    distance: Distance | None = None,
    kinds: Mapping[str, str] | None = None,
    hierarchies: Mapping[str, Any] | None = None,
    nonsensitive: NonSensitive | None = None,
) -> SeriesResult:
    """Series linkability and candidates; with `epsilon`, series risk under `distance`.

    A version is a frame of one row per person, and its groups: an integer per row, by position, −1 if the row was not published. Of several
    tables, a mapping: {("job", "income"): groups, "illness": groups}. `sensitive` are the attributes that a person keeps from version to
    version; one that is new in each version has no place here."""
    frames = [frame for frame, _ in versions]
    for frame in frames:
        for name in (person, *sensitive):
            if name not in frame.columns:
                raise absent_column(name, [str(column) for column in frame.columns], "every version")
    if not frames or not sensitive:
        raise InputRejected("There is nothing to measure.", "Give at least one version and one sensitive attribute.")
    tables = [_tables(groups, len(frame), sensitive) for frame, groups in versions]
    published = [_published(groups) for groups in tables]
    kept = [frame[rows] for frame, rows in zip(frames, published, strict=True)]
    number, people = _people([frame[person] for frame in kept], person)
    pooled = pd.DataFrame({name: pd.concat([frame[name] for frame in kept], ignore_index=True) for name in sensitive})
    composite = distance or Distance()
    kinds, hierarchies = {**composite.kinds, **(kinds or {})}, {**composite.hierarchies, **(hierarchies or {})}
    table = table_of(pooled, (), sensitive, kinds, hierarchies, nonsensitive)
    coded = tuple(
        Version(number[start:end], [_version_table(names, groups[rows], table, slice(start, end)) for names, groups in by_table.items()])
        for (start, end), rows, by_table in zip(pairwise(starts_of(kept)), published, tables, strict=True)
    )
    measured = series_risk(coded, composite, epsilon)
    return SeriesResult(measured, coded, _per_person(measured, coded, people))


def _tables(groups: Groups, rows: int, sensitive: Sequence[str]) -> dict[tuple[str, ...], NDArray[np.int64]]:
    """The groups of each table, by its attributes."""
    by_table = groups if isinstance(groups, Mapping) else {tuple(sensitive): groups}
    out = {}
    for names, given in by_table.items():
        names = (names,) if isinstance(names, str) else tuple(names)
        numbers = np.asarray(given)
        if any(name not in sensitive for name in names):
            raise InputRejected("A table has an attribute that is not among `sensitive`.", "Name them all in `sensitive`.")
        if numbers.shape != (rows,) or not np.issubdtype(numbers.dtype, np.integer):
            raise InputRejected("The groups of a version are not one integer per row of its frame.", "Give −1 for rows not published.")
        out[names] = numbers.astype(np.int64)
    return out


def _published(groups: Mapping[tuple[str, ...], NDArray[np.int64]]) -> NDArray[np.bool_]:
    first, *others = (numbers > NOT_PUBLISHED for numbers in groups.values())
    if any((other != first).any() for other in others):
        raise InputRejected("A row is published in one table of a version and not in another.", "Suppress it in every table.")
    return np.asarray(first)


def _people(cells: Sequence[pd.Series], name: str) -> tuple[Codes, pd.Index]:
    """Everybody's number, the same person the same number in all versions, and the people by number."""
    pooled = pd.concat(cells, ignore_index=True).rename(name)
    number = cell_codes(pooled)
    if (number < 0).any():
        raise InputRejected(f"{int((number < 0).sum()):,} rows have no '{name}'.", "Give every row the person it is about.")
    firsts = np.unique(number, return_index=True)[1]
    return number, pd.Index(pooled.iloc[firsts], name=name)


def _version_table(names: tuple[str, ...], groups: NDArray[np.int64], table: Table, rows: slice) -> VersionTable:
    numbers = np.unique(groups, return_inverse=True)[1].astype(np.int32)
    return VersionTable.in_order([numbers], {name: _rows(table[name], rows) for name in names})


def _rows(column: Column, rows: slice) -> Column:
    return column.take(np.arange(rows.start, rows.stop))


def _per_person(measured: SeriesRisk, versions: Sequence[Version], people: pd.Index) -> pd.DataFrame:
    held = np.bincount(np.concatenate([version.people for version in versions]), minlength=len(people))
    linkability, risk, candidates = np.zeros(len(people)), np.zeros(len(people)), np.full(len(people), np.inf)
    for measure in measured.measures:
        for figures, figure in ((linkability, measure.linkability), (risk, measure.risk)):
            if figure is not None:
                figures[measure.people] = np.maximum(figures[measure.people], measure.by_person(figure))
        candidates[measure.people] = np.minimum(candidates[measure.people], measure.by_person(measure.candidates))
    whole = pd.array(np.where(np.isinf(candidates), 0, candidates).astype(np.int64), dtype="Int64")
    whole[np.isinf(candidates)] = pd.NA
    frame = pd.DataFrame({"versions": held, "linkability": linkability, "candidates": whole}, index=people)
    return frame if measured.risk is None else frame.assign(risk=risk)
