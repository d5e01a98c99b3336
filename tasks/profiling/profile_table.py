"""Reads a whole table once and says what its columns seem to be. Nothing of it holds until a person has confirmed it in a policy."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute
from numpy.typing import NDArray

from headgate.core.decimals import in_units
from policies.drafting.draft_rows import repeated_identifier
from policies.drafting.table_profile import ColumnProfile, Form, Look, Meaning, TableProfile
from tasks.profiling.header_words import meaning_of
from tasks.profiling.value_forms import form_of, runs_on
from tasks.profiling.written_forms import seen_in
from tasks.reading.any_table import open_any
from tasks.reading.arrow_frame import holds_lists, texts_of
from tasks.rows.people import NONE, people_of

SET_SEPARATORS = ("|", ";")
FEWER = 3  # times fewer parts than texts, where a comma separates: it is as often part of a sentence
PERSON = (Meaning.LAST_NAME, Meaning.FIRST_NAME, Meaning.BIRTH_DATE)
MANY = 1_000  # distinct numbers, from which on rounding is proposed
LEFT = 200  # rounded values that are left between the 1st and the 99th percentile
LONG_TAIL = 3  # times the 99th percentile


def profile_table(path: Path, policy_folder: Path | None = None) -> TableProfile:
    """The path is written relative to where the policy will stand, by default the current folder."""
    opened = open_any(path)
    source = opened.source
    table = source.read(source.names)
    columns = tuple(_profile(name, _texts(table.column(name), name, source.name)) for name in source.names)
    per = repeated_identifier(columns)
    varying = frozenset() if per is None else _varying(table, per.name, source.name)
    relative = Path(os.path.relpath(path.absolute(), (policy_folder or Path.cwd()).absolute())).as_posix()
    return TableProfile(
        relative,
        columns,
        opened.kind,
        opened.separator,
        opened.encoding,
        source.keys,
        None if per is None else per.name,
        varying,
        {}
        if per is None
        else _tied(table, per.name, [each.name for each in columns if each.dtype == "date" and each.name in varying], source.name),
        _people(table, columns),
    )


def _texts(cells: pa.ChunkedArray, name: str, where: str) -> pa.ChunkedArray:
    """A list column reads as a set written with '|'."""
    if holds_lists(cells.type):
        listed = [None if cell is None else "|".join(str(part) for part in cell if part is not None) for cell in cells.to_pylist()]
        return pa.chunked_array([pa.array(listed, type=pa.string())])
    return texts_of(cells, name, where)


def _varying(table: pa.Table, per: str, where: str) -> frozenset[str]:
    """The columns that differ between rows of one person."""
    codes = {name: _codes(_texts(table.column(name), name, where)) for name in table.column_names}
    people = people_of(codes[per])
    return frozenset(name for name in table.column_names if people.varying(codes[name]))


def _tied(table: pa.Table, per: str, days: Sequence[str], where: str) -> dict[str, int]:
    """Of each column of days: how many people have several rows on one day, whatever the time."""
    people = people_of(_codes(_texts(table.column(per), per, where)))
    tied: dict[str, int] = {}
    for name in days:
        day = pa.compute.replace_substring_regex(_texts(table.column(name), name, where), r"[T ]+\d{1,2}:\d\d.*$", "")
        cells, times = np.unique(np.stack([people.of_row, _codes(day)]), axis=1, return_counts=True)
        tied[name] = len(np.unique(cells[0, times > 1]))
    return tied


def _codes(texts: pa.ChunkedArray) -> NDArray[np.int64]:
    trimmed = pa.compute.utf8_trim_whitespace(texts).combine_chunks().dictionary_encode()
    return np.asarray(trimmed.indices.fill_null(NONE).to_numpy(zero_copy_only=False), dtype=np.int64)


def _people(table: pa.Table, columns: Sequence[ColumnProfile]) -> int | None:
    """How many different people there are by name and date of birth."""
    named = {column.meaning: column.name for column in columns if column.meaning in PERSON}
    if Meaning.LAST_NAME not in named or Meaning.BIRTH_DATE not in named or len({column.name for column in columns}) < len(columns):
        return None
    return int(table.group_by(list(named.values())).aggregate([]).num_rows)


def _profile(name: str, texts: pa.ChunkedArray) -> ColumnProfile:
    distinct = texts.unique().drop_null().to_pylist()
    seen = seen_in(distinct)
    numbers = seen.numbers
    meaning = meaning_of(name)
    several = _separator(distinct) if seen.look == "text" else ""
    return ColumnProfile(
        name,
        seen.look,
        len(distinct),
        len(texts),
        missing_share=texts.null_count / len(texts),
        least=seen.ends[0] if seen.ends else None,
        greatest=seen.ends[1] if seen.ends else None,
        separator=several,
        written=seen.written,
        almost=seen.says,
        meaning=meaning,
        form=_form(texts, distinct, seen.look),
        tail=None if numbers is None else _tail(texts, distinct, numbers),
        grid=None if numbers is None else _grid(numbers),
        step=None if numbers is None or len(distinct) <= MANY else _step(numbers, seen.look),
    )


def _separator(distinct: Sequence[str]) -> str:
    """What may part several values in one cell."""
    sign = next((mark for mark in SET_SEPARATORS if any(mark in value for value in distinct)), "")
    parts = {part.strip() for value in distinct for part in value.split(",")} if not sign else set()
    return sign or ("," if 0 < FEWER * len(parts) <= len(distinct) else "")


def _form(texts: pa.ChunkedArray, distinct: Sequence[str], look: Look) -> Form | None:
    if look == "integer" and len(distinct) == len(texts) and runs_on(texts.to_pylist()):
        return Form.RUNNING_NUMBER
    if look not in ("text", "integer"):
        return None
    form = form_of(distinct, len(texts) - texts.null_count)
    return form if look == "text" or form is Form.PERSONAL_NUMBER else None


def _tail(texts: pa.ChunkedArray, distinct: Sequence[str], numbers: NDArray[np.float64]) -> float | None:
    """How far the largest number lies beyond the 99th percentile of the rows."""
    counts = {entry["values"].as_py(): entry["counts"].as_py() for entry in texts.value_counts()} if len(distinct) < len(texts) else {}
    fine = np.isfinite(numbers)
    order = np.argsort(numbers[fine])
    weights = np.array([counts.get(value, 1) for value in distinct])[fine][order]
    ranks = np.cumsum(weights)
    last = float(numbers[fine][order][np.searchsorted(ranks, 0.99 * ranks[-1])])
    times = float(numbers[fine].max()) / last if last > 0 else 0.0
    return times if times >= LONG_TAIL else None


def _grid(numbers: NDArray[np.float64]) -> float | None:
    """The largest number of which all are multiples, as they are written; None where they are 0 or have too many digits."""
    known = numbers[np.isfinite(numbers)]
    units, size = in_units(known)
    if len(known) == 0 or not (units == np.rint(units)).all():
        return None
    grid = int(np.gcd.reduce(np.abs(units).astype(np.int64)))
    return grid / size if grid else None


def _step(numbers: NDArray[np.float64], look: Look) -> float | None:
    """The smallest of 1, 2, 5, 10 and so on, or their tenths, that leaves few values; None where whole numbers are that few already."""
    low, high = np.percentile(numbers[np.isfinite(numbers)], [1, 99])
    if not high > low:
        return None
    size = 10.0 ** np.floor(np.log10((high - low) / LEFT))
    step = float(next(size * times for times in (1, 2, 5, 10) if (high - low) / (size * times) <= LEFT))
    return None if look == "integer" and step <= 1 else step
