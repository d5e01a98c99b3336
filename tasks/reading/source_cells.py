"""The source's cells as expectations look at them: without blanks around them, as numbers and days where the policy says so.

Frames are made from the cells and not from the encoded columns, because expectations must not depend on the code that they check; and of as
few columns at once as somebody asks for."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray

from headgate.core.columns import Role
from headgate.core.errors import InputRejected
from policies.schema.attribute import Attribute
from policies.schema.policy import Policy
from tasks.reading.arrow_frame import frame_of, holds_lists, trimmed_texts
from tasks.reading.distinct_cells import distinct_texts


class SourceCells:
    def __init__(self, cells: pa.Table, policy: Policy, where: str) -> None:
        self._cells, self._policy, self._where = cells, policy, where

    @property
    def rows(self) -> int:
        return int(self._cells.num_rows)

    @cached_property
    def columns(self) -> tuple[str, ...]:
        return tuple(self._attributes)

    @cached_property
    def _attributes(self) -> dict[str, Attribute]:
        listed = [(name, attribute) for name, attribute in self._policy.attributes.items() if attribute.role is not Role.DROPPED]
        return {column: attribute for name, attribute in listed for column in attribute.read_columns(name)}

    def frame(self, columns: Sequence[str]) -> pd.DataFrame:
        return pd.DataFrame({name: self._series(name, self._attributes[name]) for name in columns}, index=pd.RangeIndex(self.rows))

    def _series(self, name: str, attribute: Attribute) -> pd.Series:
        cells = self._cells.column(name)
        stored = attribute.kind.rules.storage if attribute.kind is not None else "string"
        if holds_lists(cells.type):
            return _joined(cells, attribute.separator or "|")
        if stored in ("number", "integer") and (pa.types.is_integer(cells.type) or pa.types.is_floating(cells.type)):
            return pd.Series(frame_of(pa.table({name: cells}), self._where)[name].to_numpy(dtype=np.float64, na_value=np.nan) + 0.0)
        if stored == "string" and not pa.types.is_dictionary(cells.type):
            return pd.Series(trimmed_texts(cells, name, self._where).to_pandas().astype("str"))
        codes, texts = distinct_texts(cells, name, self._where)
        if stored in ("number", "integer"):
            return pd.Series(np.append(_numbers(texts), np.nan)[codes])
        if stored == "date":
            return pd.Series(np.append(_days(texts, name), np.datetime64("NaT"))[codes])
        return pd.Series(pd.array(texts, dtype="str").take(codes, allow_fill=True))

    def __repr__(self) -> str:
        return f"SourceCells({len(self.columns)} columns)"


def _joined(cells: pa.ChunkedArray, separator: str) -> pd.Series:
    texts = [
        None if cell is None else separator.join(str(part) for part in cell if part is not None) or separator for cell in cells.to_pylist()
    ]
    return pd.Series(texts, dtype="str")


def _numbers(texts: Sequence[str]) -> NDArray[np.float64]:
    return np.asarray(pd.to_numeric(pd.Series(texts, dtype=object), errors="coerce").to_numpy(dtype=np.float64))


def _days(texts: Sequence[str], name: str) -> NDArray[np.datetime64]:
    days = pd.to_datetime(pd.Series(texts, dtype="str"), format="ISO8601", errors="coerce").dt.tz_localize(None)
    if days.notna().any() and not (days.min() >= pd.Timestamp.min and days.max() <= pd.Timestamp.max):
        raise InputRejected(f"Column '{name}' has days before 1678 or after 2262.", "Leave unknown days empty; declare a domain.")
    return np.asarray(days.to_numpy(dtype="datetime64[ns]"))
