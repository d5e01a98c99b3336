"""A new version, measured together with those that were published before it, for the people who are in the new one: nothing changes what
is out about all others."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from headgate.core.columns import MISSING, Codes, Column, Kind
from headgate.core.distance import Distance
from headgate.series.kept_version import CodedValues, KeptTable, KeptVersion
from headgate.series.published_versions import Version, VersionTable
from headgate.series.series_risk import SeriesRisk, series_risk

Own = Mapping[str, Codes]  # by attribute, the code of each person's own value in the new version
Encode = Callable[[str, Sequence[str]], Column]  # a cell for each of these texts of an attribute


def with_earlier(
    earlier: Sequence[KeptVersion],
    new: KeptVersion,
    own: Sequence[Own],
    steady: Collection[str],
    distance: Distance | None = None,
    epsilon: Any = None,
    encode: Encode | None = None,
) -> SeriesRisk | None:
    """`own` is by table of the new version. None where no attribute is steady. With `epsilon`, series risk too: `encode` says what values
    are."""
    versions = together(earlier, new, own, steady, encode)
    return series_risk(versions, distance, epsilon) if versions else None


def together(
    earlier: Sequence[KeptVersion], new: KeptVersion, own: Sequence[Own], steady: Collection[str], encode: Encode | None = None
) -> list[Version]:
    """The versions, oldest first, with the people of the new one numbered as there; the new one is the last. Where nobody of these was in
    a version, or nothing steady was published in it, it is left out."""
    names = [name for table in new.tables for name in table.columns if name in steady]
    known = [(version, new.places_of(version.people)) for version in earlier]
    shown = [(version, people) for version, people in known if (people >= 0).any()]
    every = [table for version in (*(version for version, _ in shown), new) for table in version.tables]
    coding = {name: _OneCoding([table.columns[name] for table in every if name in table.columns], name, encode) for name in names}
    versions = []
    for version, people in shown:
        present = people >= 0
        tables = [made for table in version.tables if (made := _table(table, coding, present)) is not None]
        if tables:
            versions.append(Version(people[present].astype(np.int32), tables))
    everybody = np.ones(len(new.people), dtype=np.bool_)
    tables = [made for table, values in zip(new.tables, own, strict=True) if (made := _table(table, coding, everybody, values)) is not None]
    return [*versions, Version(np.arange(len(new.people), dtype=np.int32), tables)] if tables else []


def text_column(name: str, texts: Sequence[str]) -> Column:
    """Values that are equal or not, and nothing between."""
    place = {text: number for number, text in enumerate(dict.fromkeys(texts))}
    codes = np.array([place[text] for text in texts], dtype=np.int32)
    return Column(name, Kind.CATEGORY, codes, np.array(list(place), dtype=object), np.zeros(len(place) + 1, dtype=np.bool_))


def _table(table: KeptTable, coding: Mapping[str, _OneCoding], present: NDArray[np.bool_], own: Own | None = None) -> VersionTable | None:
    names = [name for name in table.columns if name in coding]
    if not names:
        return None
    steady = {name: coding[name].column(table.columns[name]) for name in names}
    theirs = None if own is None else {name: coding[name].codes(table.columns[name], own[name]) for name in names}
    return VersionTable([groups[present] for groups in table.groups], table.classes, steady, theirs)


class _OneCoding:
    """One attribute, coded alike in all versions, by the texts of its values. What is sensitive in one version is sensitive."""

    def __init__(self, columns: Sequence[CodedValues], name: str, encode: Encode | None) -> None:
        texts = list(dict.fromkeys(text for column in columns for text in column.texts))
        self._whole = (encode or text_column)(name, texts)
        self._place = dict(zip(texts, self._whole.codes.tolist(), strict=True))
        self._sensitive = np.zeros(len(self._whole.values) + 1, dtype=np.bool_)
        for column in columns:
            np.logical_or.at(self._sensitive, self._places(column), column.sensitive)

    def column(self, values: CodedValues) -> Column:
        whole = self._whole
        return Column(
            whole.name,
            whole.kind,
            self.codes(values, values.codes),
            whole.values,
            self._sensitive,
            whole.domain,
            whole.hierarchy,
            whole.weight,
            whole.metric,
            components=whole.components,
            scale=whole.scale,
        )

    def codes(self, values: CodedValues, codes: Codes) -> Codes:
        return self._places(values)[codes]

    def _places(self, values: CodedValues) -> Codes:
        """Of each code in the one coding; the last is for missing."""
        return np.array([*(self._place[text] for text in values.texts), MISSING], dtype=np.int32)
