"""A table that nobody has described yet: what its columns look like, for drafting a policy, and its rows, for `headgate check`.

Separator, encoding and kinds are guessed here and only here: a policy declares them, and its guesses are marked until confirmed.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Literal

import numpy as np
import pandas as pd
import pyarrow as pa

from headgate.core.errors import InputRejected
from headgate.core.frame_specs import absent_column
from headgate.core.spelling import beyond_floats
from policies.schema.policy_draft import ColumnProfile, TableProfile
from tasks.reading.arrow_frame import frame_of, texts_of
from tasks.reading.open_source import open_recognized
from tasks.reading.source import Source, read_bytes
from tasks.reading.source_csv import open_guessed_csv

Look = Literal["number", "integer", "date", "text"]
EPOCH = date(1970, 1, 1)
DECIMAL_COMMA = re.compile(r"[+-]?(\d{1,3}(\.\d{3})+|\d+),\d+")
OTHER_DATE = re.compile(r"\d{1,2}([./])\d{1,2}\1\d{4}")
SET_SEPARATORS = ("|", ";")  # a comma is as often part of a sentence


def profile_table(path: Path, policy_folder: Path | None = None) -> TableProfile:
    """Reads the whole table once. The path is written relative to where the policy will stand, by default the current folder."""
    opened = _open(path)
    source = opened.source
    table = source.read(source.names)
    columns = tuple(_profile(name, _texts(table.column(name), name, source.name)) for name in source.names)
    relative = Path(os.path.relpath(path.absolute(), (policy_folder or Path.cwd()).absolute())).as_posix()
    return TableProfile(relative, columns, opened.kind, opened.separator, opened.encoding)


def read_any_table(path: Path, names: Sequence[str], clear: Sequence[str] = ()) -> pd.DataFrame:
    """These columns. A CSV's columns of numbers become numbers, everything else stays text; Parquet keeps its types. What is mostly numbers
    is refused in the columns that must be clear: distances between its values would be other ones than people expect."""
    opened = _open(path)
    source = opened.source
    absent = [name for name in names if name not in source.names]
    if absent:
        raise absent_column(absent[0], source.names, "the table")
    table = source.read(tuple(dict.fromkeys(names)))
    if opened.kind != "csv":
        return frame_of(table, source.name)
    for name in clear:
        _require_clear(table.column(name), name)
    return pd.DataFrame({name: _typed(table.column(name)) for name in table.column_names}, index=pd.RangeIndex(table.num_rows))


def _require_clear(texts: pa.ChunkedArray, name: str) -> None:
    distinct = texts.unique().drop_null().to_pylist()
    if look_of(distinct)[0] != "text":
        return
    texts_among = [value for value, number in zip(distinct, _numbers(distinct), strict=True) if not np.isfinite(number)]
    if 0 < len(texts_among) <= len(distinct) / 2:
        wrong = "is not a finite number" if len(texts_among) == 1 else "are not finite numbers"
        raise InputRejected(
            f"{len(texts_among)} of the {len(distinct)} distinct values of '{name}' {wrong}; the others are.",
            f"Correct them (an empty cell is a missing one), or say that they are codes: --kind {name}=category.",
            texts_among,
        )


@dataclass(frozen=True, eq=False)
class _Opened:
    """A table, of which kind it is, and how it is written if it is a CSV."""

    source: Source
    kind: str
    separator: str = ","
    encoding: str = "utf-8"


def _open(path: Path) -> _Opened:
    path = path.expanduser()
    content, where = read_bytes(path, "The table"), f"The table {path.name}"
    recognized = open_recognized(content, path.name, where)
    if recognized is not None:
        return _Opened(recognized[1], recognized[0])
    source, separator, encoding = open_guessed_csv(content, where)
    return _Opened(source, "csv", separator, encoding)


def _texts(cells: pa.ChunkedArray, name: str, where: str) -> pa.ChunkedArray:
    """A list column reads as a set written with '|'."""
    if pa.types.is_list(cells.type) or pa.types.is_large_list(cells.type):
        listed = [None if cell is None else "|".join(str(part) for part in cell if part is not None) for cell in cells.to_pylist()]
        return pa.chunked_array([pa.array(listed, type=pa.string())])
    return texts_of(cells, name, where)


def _profile(name: str, texts: pa.ChunkedArray) -> ColumnProfile:
    distinct = texts.unique().drop_null().to_pylist()
    look, ends = look_of(distinct)
    least, greatest = ends or (None, None)
    parted = next((mark for mark in SET_SEPARATORS if look == "text" and any(mark in value for value in distinct)), "")
    almost = _almost(distinct) if look == "text" else ""
    return ColumnProfile(name, look, len(distinct), len(texts), texts.null_count / len(texts), least, greatest, parted, almost)


def _almost(distinct: Sequence[str]) -> str:
    """How texts must be written to be read as the numbers or dates that they seem to be. It names no value."""
    if not distinct:
        return ""
    if _most(DECIMAL_COMMA, distinct):
        return "these look like numbers with a decimal comma: write 1234.5 in the source, then kind: number"
    if _most(OTHER_DATE, distinct):
        return "these look like dates: write YYYY-MM-DD in the source, then kind: date"
    wrong = int((~np.isfinite(_numbers(distinct))).sum())
    if 0 < wrong <= len(distinct) / 2:
        are = "is not a number" if wrong == 1 else "are not numbers"
        return f"{wrong} of the {len(distinct)} distinct values {are}, the others are: correct the source, then kind: number"
    return ""


def _most(form: re.Pattern[str], distinct: Sequence[str]) -> bool:
    return 2 * sum(form.fullmatch(value.strip()) is not None for value in distinct) > len(distinct)


def look_of(distinct: Sequence[str]) -> tuple[Look, tuple[float, float] | None]:
    """What all cells read as, with the ends; days count from 1970-01-01. A leading zero (007) makes a code, not a number, and so do
    more digits than a number keeps."""
    if not distinct or any(len(value) > 1 and value[0] == "0" and value[1].isdigit() for value in distinct):
        return "text", None
    numbers = _numbers(distinct)
    if np.isfinite(numbers).all() and not beyond_floats(distinct, numbers):
        whole = bool((numbers == np.floor(numbers)).all() and (np.abs(numbers) <= 2**53).all())
        return ("integer" if whole else "number"), (float(numbers.min()), float(numbers.max()))
    try:
        days = [(date.fromisoformat(value.strip()) - EPOCH).days for value in distinct if len(value.strip()) == 10]
    except ValueError:
        return "text", None
    return ("date", (float(min(days)), float(max(days)))) if len(days) == len(distinct) else ("text", None)


def _numbers(distinct: Sequence[str]) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    cells = pd.Series(list(distinct), dtype=object)
    return np.asarray(pd.to_numeric(cells, errors="coerce").to_numpy(dtype=np.float64))


def _typed(texts: pa.ChunkedArray) -> pd.Series:
    encoded = texts.combine_chunks().dictionary_encode()
    distinct = encoded.dictionary.to_pylist()
    codes = encoded.indices.fill_null(-1).to_numpy(zero_copy_only=False)
    look, _ends = look_of(distinct)
    if look not in ("number", "integer"):
        return pd.Series(texts.to_pandas().astype("str"))
    cells = pd.Series(np.append(_numbers(distinct), np.nan)[codes])
    return cells.astype("int64") if look == "integer" and not (codes < 0).any() else cells
