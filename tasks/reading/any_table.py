"""A table that nobody has described yet: its rows, for `headgate check`, and whether its cells are numbers, days or texts.

Separator, encoding and kinds are guessed here and only here: a policy declares them, and its guesses are marked until confirmed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa

from headgate.core.errors import InputRejected
from headgate.core.frame_specs import absent_column
from headgate.core.spelling import beyond_floats
from policies.drafting.table_profile import Look
from tasks.reading.arrow_frame import frame_of
from tasks.reading.open_source import open_recognized
from tasks.reading.pinned_file import PinnedFile
from tasks.reading.source import Source
from tasks.reading.source_csv import open_guessed_csv

EPOCH = date(1970, 1, 1)


def read_any_table(path: Path, names: Sequence[str], clear: Sequence[str] = ()) -> pd.DataFrame:
    """These columns. Where all cells are texts, as in a CSV, columns of numbers become numbers; Parquet keeps its types. What is
    mostly numbers is refused in the columns that must be clear: distances between its values would be other ones than people expect."""
    opened = open_any(path)
    source = opened.source
    absent = [name for name in names if name not in source.names]
    if absent:
        raise absent_column(absent[0], source.names, "the table")
    table = source.read(tuple(dict.fromkeys(names)))
    if not source.texts:
        return frame_of(table, source.name)
    for name in clear:
        _require_clear(table.column(name), name)
    return pd.DataFrame({name: _typed(table.column(name)) for name in table.column_names}, index=pd.RangeIndex(table.num_rows))


def _require_clear(texts: pa.ChunkedArray, name: str) -> None:
    distinct = texts.unique().drop_null().to_pylist()
    if look_of(distinct)[0] != "text":
        return
    texts_among = [value for value, number in zip(distinct, numbers_of(distinct), strict=True) if not np.isfinite(number)]
    if 0 < len(texts_among) <= len(distinct) / 2:
        wrong = "is not a finite number" if len(texts_among) == 1 else "are not finite numbers"
        raise InputRejected(
            f"{len(texts_among):,} of the {len(distinct):,} distinct values of '{name}' {wrong}; the others are.",
            f"Correct them (an empty cell is a missing one), or say that they are codes: --kind {name}=category.",
            texts_among,
        )


@dataclass(frozen=True, eq=False)
class AnyTable:
    """A table, of which kind it is, and how it is written if it is a CSV."""

    source: Source
    kind: str
    separator: str = ","
    encoding: str = "utf-8"


def open_any(path: Path) -> AnyTable:
    path = path.expanduser()
    content, where = PinnedFile(path, "The table"), f"The table {path.name}"
    recognized = open_recognized(content, path.name, where)
    if recognized is not None:
        return AnyTable(recognized[1], recognized[0])
    source, separator, encoding = open_guessed_csv(content, where)
    return AnyTable(source, "csv", separator, encoding)


def look_of(distinct: Sequence[str]) -> tuple[Look, tuple[float, float] | None]:
    """What all cells read as, with the ends; days count from 1970-01-01. A leading zero (007) makes a code, not a number, and so do
    more digits than a number keeps."""
    if not distinct or any(len(value) > 1 and value[0] == "0" and value[1].isdigit() for value in distinct):
        return "text", None
    numbers = numbers_of(distinct)
    if np.isfinite(numbers).all() and not beyond_floats(distinct, numbers).any():
        whole = bool((numbers == np.floor(numbers)).all() and (np.abs(numbers) <= 2**53).all())
        return ("integer" if whole else "number"), (float(numbers.min()), float(numbers.max()))
    try:
        days = [(date.fromisoformat(value.strip()) - EPOCH).days for value in distinct if len(value.strip()) == 10]
    except ValueError:
        return "text", None
    return ("date", (float(min(days)), float(max(days)))) if len(days) == len(distinct) else ("text", None)


def numbers_of(distinct: Sequence[str]) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    cells = pd.Series(list(distinct), dtype=object)
    return np.asarray(pd.to_numeric(cells, errors="coerce").to_numpy(dtype=np.float64))


def _typed(texts: pa.ChunkedArray) -> pd.Series:
    encoded = texts.combine_chunks().dictionary_encode()
    distinct = encoded.dictionary.to_pylist()
    codes = encoded.indices.fill_null(-1).to_numpy(zero_copy_only=False)
    look, _ends = look_of(distinct)
    if look not in ("number", "integer"):
        return pd.Series(texts.to_pandas().astype("str"))
    cells = pd.Series(np.append(numbers_of(distinct), np.nan)[codes])
    return cells.astype("int64") if look == "integer" and not (codes < 0).any() else cells
