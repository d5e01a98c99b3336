"""What a table looks like, column by column, for drafting a policy: the steward's own terminal and file are the only place it goes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Literal

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as compute

from headgate.errors import InputRejected
from tasks.arrow_frame import texts_of
from tasks.source import COMMON_SEPARATORS, GZIP_MAGIC, Source, open_csv, open_parquet, read_bytes

Look = Literal["integer", "number", "date", "text"]
LISTED = 50  # a column with at most so many distinct values has them listed
SET_SEPARATORS = ("|", ";", ",")


@dataclass(frozen=True)
class ColumnProfile:
    """`look` is what every present cell reads as; `least` and `greatest` are of numbers and dates; `values` are the distinct texts
    where they are few, sorted; `separator` is set where cells look like lists of values."""

    name: str
    look: Look
    distinct: int
    missing_share: float
    unique: bool
    least: str | None = None
    greatest: str | None = None
    values: tuple[str, ...] = ()
    separator: str | None = None
    longest: int = 0


@dataclass(frozen=True)
class TableProfile:
    """`separator` and `encoding` are those the file could be read with; None for Parquet."""

    kind: Literal["csv", "parquet"]
    rows: int
    columns: tuple[ColumnProfile, ...]
    separator: str | None = None
    encoding: str | None = None


def profile_table(path: Path) -> TableProfile:
    """Reads the whole table once. A CSV's separator and encoding are guessed here, and only here: a policy declares them."""
    if is_parquet(path):
        source = open_parquet(path, "The table")
        return TableProfile("parquet", *_profiles(source))
    separator, encoding = guess_csv(path)
    source = open_csv(path, separator, encoding, "The table")
    return TableProfile("csv", *_profiles(source), separator=separator, encoding=encoding)


def is_parquet(path: Path) -> bool:
    return path.suffix.lower() in (".parquet", ".pq") or read_bytes(path, "The table").slice(0, 4).to_pybytes() == b"PAR1"


def guess_csv(path: Path) -> tuple[str, str]:
    """The separator that occurs most in the first line; UTF-8, or else Windows' Western European encoding."""
    import gzip

    content = read_bytes(path, "The table").to_pybytes()
    if content.startswith(GZIP_MAGIC):
        try:
            content = gzip.decompress(content)
        except (EOFError, OSError):
            raise InputRejected(f"The table {path.name} is a gzip file that is cut short or damaged.", "Copy it again.") from None
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        encoding = "utf-16"
    else:
        try:
            content.decode("utf-8")
            encoding = "utf-8"
        except UnicodeDecodeError:
            encoding = "cp1252"
    head = content.decode(encoding, errors="replace").splitlines()[:1]
    counts = [head[0].count(mark) if head else 0 for mark in COMMON_SEPARATORS]
    return COMMON_SEPARATORS[int(np.argmax(counts))], encoding


def _profiles(source: Source) -> tuple[int, tuple[ColumnProfile, ...]]:
    table = source.read(source.names)
    return table.num_rows, tuple(_profile(name, texts_or_lists(table.column(name), name, source.name)) for name in source.names)


def texts_or_lists(cells: pa.ChunkedArray, name: str, where: str) -> pa.ChunkedArray:
    """A list column reads as a set written with '|'."""
    if pa.types.is_list(cells.type) or pa.types.is_large_list(cells.type):
        listed = [None if cell is None else "|".join(str(part) for part in cell if part is not None) for cell in cells.to_pylist()]
        return pa.chunked_array([pa.array(listed, type=pa.string())])
    return texts_of(cells, name, where)


def _profile(name: str, texts: pa.ChunkedArray) -> ColumnProfile:
    rows = len(texts)
    missing = texts.null_count
    distinct = [value for value in compute.unique(texts).to_pylist() if value is not None]
    look, points = _look(distinct)
    least, greatest = (None, None) if not points else (points[0], points[-1])
    return ColumnProfile(
        name=name,
        look=look,
        distinct=len(distinct),
        missing_share=missing / rows,
        unique=missing == 0 and len(distinct) == rows,
        least=least,
        greatest=greatest,
        values=tuple(sorted(distinct)) if look == "text" and len(distinct) <= LISTED else (),
        separator=_set_separator(distinct) if look == "text" else None,
        longest=max((len(value) for value in distinct), default=0),
    )


def _look(distinct: Sequence[str]) -> tuple[Look, tuple[str, ...]]:
    """What all cells read as, with the least and the greatest. A leading zero (007) makes a code, not a number."""
    if not distinct or any(len(value) > 1 and value[0] == "0" and value[1].isdigit() for value in distinct):
        return "text", ()
    numbers = pd.to_numeric(pd.Series(distinct, dtype=object), errors="coerce").to_numpy(dtype=np.float64)
    if np.isfinite(numbers).all():
        whole = bool((numbers == np.floor(numbers)).all()) and bool((np.abs(numbers) <= 2**53).all())
        low, high = float(numbers.min()), float(numbers.max())
        return ("integer", (str(int(low)), str(int(high)))) if whole else ("number", (repr(low), repr(high)))
    try:
        days = [date.fromisoformat(value) for value in distinct]
    except ValueError:
        return "text", ()
    return "date", (min(days).isoformat(), max(days).isoformat())


def _set_separator(distinct: Sequence[str]) -> str | None:
    """A sign that splits many cells into parts that recur: fewer distinct parts than distinct cells."""
    for mark in SET_SEPARATORS:
        split = [value for value in distinct if mark in value]
        if len(split) * 3 >= len(distinct) and len(split) > 1:
            parts = {part.strip() for value in distinct for part in value.split(mark)}
            if len(parts) < len(distinct):
                return mark
    return None
