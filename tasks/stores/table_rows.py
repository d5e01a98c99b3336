"""The rows of published tables, from the files of a version, as a database takes them."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from headgate.core.published_form.file_parts import TABLE_FILE

FORMATS = ("csv", "parquet")
TYPES = {"integer": "bigint", "number": "double precision", "date": "date"}  # everything else is text
LONGEST_NAME = 63  # bytes, in PostgreSQL
SYSTEM_COLUMNS = frozenset({"tableoid", "xmin", "cmin", "xmax", "cmax", "ctid"})
AT_ONCE = 10_000
LONGEST_CELL = 2**30


@dataclass(frozen=True)
class TableRows:
    """One table, from the first of its formats. `parts` are the bytes of its files, in their order; `described` is what the data dictionary
    says of its columns."""

    name: str
    format: str
    parts: tuple[bytes, ...]
    described: Mapping[str, str]

    @cached_property
    def header(self) -> tuple[str, ...]:
        if self.format == "csv":
            return tuple(next(_lines(self.parts[0]), ()))
        return tuple(_parquet(self.parts[0]).schema_arrow.names)

    @property
    def columns(self) -> tuple[str, ...]:
        """Their names in the database."""
        return tuple(_column(name, place) for place, name in enumerate(self.header, 1))

    @property
    def types(self) -> tuple[str, ...]:
        return tuple(TYPES.get(self.described.get(name, ""), "text") for name in self.header)

    def rows(self) -> Iterator[Sequence[Any]]:
        """A missing cell is None."""
        for part in self.parts:
            yield from _rows_of_csv(part) if self.format == "csv" else _rows_of_parquet(part)


def _rows_of_csv(content: bytes) -> Iterator[Sequence[Any]]:
    lines = _lines(content)
    next(lines, ())
    for line in lines:
        yield [cell or None for cell in line]


def _rows_of_parquet(content: bytes) -> Iterator[Sequence[Any]]:
    for batch in _parquet(content).iter_batches(AT_ONCE):
        yield from zip(*([_cell(value) for value in column.to_pylist()] for column in batch.columns), strict=True)


def _lines(content: bytes) -> Iterator[list[str]]:
    csv.field_size_limit(LONGEST_CELL)
    return csv.reader(io.TextIOWrapper(io.BytesIO(content), encoding="utf-8", newline=""), strict=True)


def _parquet(content: bytes) -> Any:
    from pyarrow import BufferReader, parquet

    return parquet.ParquetFile(BufferReader(content))


def _cell(value: Any) -> Any:
    """A whole number in a column of floats is whole, as in CSV."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


def published_tables(files: Mapping[str, bytes]) -> tuple[TableRows, ...]:
    """Every table below tables/, once, whichever of its formats was published; CSV, which is text already, before Parquet."""
    described = _described(files)
    found: dict[str, dict[str, list[str]]] = {}
    for path in sorted(files):  # the parts of a table in their order
        match = TABLE_FILE.fullmatch(path)
        if match and match[3] in FORMATS:
            found.setdefault(match[1], {}).setdefault(match[3], []).append(path)
    tables = []
    for name, forms in found.items():
        form = next(form for form in FORMATS if form in forms)
        paths = forms[form]
        tables.append(TableRows(name, form, tuple(files[path] for path in paths), described.get(paths[0], {})))
    return tuple(tables)


def _described(files: Mapping[str, bytes]) -> dict[str, dict[str, str]]:
    """By path, the type of each column; nothing where there is no data dictionary."""
    resources = json.loads(files["datapackage.json"])["resources"] if "datapackage.json" in files else []
    return {
        path: {field["name"]: field["type"] for field in one["schema"]["fields"]}
        for one in resources
        for path in ([one["path"]] if isinstance(one["path"], str) else one["path"])
    }


def _column(name: str, place: int) -> str:
    """A name that is too long, or that the database keeps for itself, ends with the column's place."""
    if len(name.encode()) <= LONGEST_NAME and name not in SYSTEM_COLUMNS:
        return name
    end = f"~{place}"
    return name.encode()[: LONGEST_NAME - len(end)].decode(errors="ignore") + end
