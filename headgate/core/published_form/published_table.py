"""The published form of one table, and the only thing that gates measure: built from a partition, or from a file read again.

Quasi-identifiers are texts (headgate.core.cells), sensitive and insensitive columns are encoded as in the source, and every row carries a
group number. Suppressed rows are not in it.
"""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from headgate.core.columns import GROUP, Codes, Column, Table
from headgate.core.distinct import distinct_rows
from headgate.core.encode import ColumnSpec, encode_column
from headgate.core.errors import InputRejected
from headgate.core.kinds.number import whole_numbers
from headgate.core.published_form.generalize import generalize
from headgate.core.published_form.levels import levels_of

PARTITION_BITS = 16  # of a place: rows that are put in order at once
MOST_BITS = 16  # of a hash: 65,536 partitions


class PublishedCells(NamedTuple):
    """One quasi-identifier: one code per row, and the text of each code. No text is listed twice or unused."""

    codes: Codes
    texts: NDArray[Any]


class Bounds(NamedTuple):
    """Two columns with the ends of a quasi-identifier's cells, as they are written: one text or number per distinct cell."""

    names: tuple[str, str]
    low: Any
    high: Any


@dataclass(frozen=True, eq=False)
class PublishedTable:
    name: str
    rows: int
    group: Codes
    cells: Mapping[str, PublishedCells]
    sensitive: Mapping[str, Column]
    insensitive: Mapping[str, Column]
    bounds: Mapping[str, Bounds] = field(default_factory=dict)  # of quasi-identifiers whose ends are published too

    @property
    def attributes(self) -> tuple[str, ...]:
        """The source's attributes in this table; bits count as their set."""
        origins = (column.origin or name for name, column in self.sensitive.items())
        return tuple(dict.fromkeys((*self.cells, *origins, *self.insensitive)))

    @property
    def groups(self) -> int:
        return int(self.group.max(initial=-1)) + 1

    def classes(self) -> list[Codes]:
        """The two readings of "group": by group number, and by published quasi-identifier values. Every principle is measured over
        both and the worse counts; the second is left out where it is the first."""
        by_values = self.by_values()
        _, both = distinct_rows(np.stack([self.group, by_values], axis=1))
        same = int(both.max(initial=-1)) + 1 == self.groups == int(by_values.max(initial=-1)) + 1
        return [self.group] if same else [self.group, by_values]

    def by_values(self) -> Codes:
        """Rows with the same published quasi-identifier values, numbered 0, 1, 2 …"""
        codes = [cells.codes for cells in self.cells.values()]
        if not codes:
            return np.zeros(self.rows, dtype=np.int32)
        return distinct_rows(np.stack(codes, axis=1))[1]


def publish_form(
    table: Table,
    groups: NDArray[np.integer[Any]],
    name: str,
    sensitive: Sequence[str],
    insensitive: Sequence[str] = (),
    levels: Mapping[str, int] | None = None,
) -> PublishedTable:
    """Generalizes the quasi-identifiers over the groups and drops the suppressed rows. A release without groups is an error.

    With `levels`, those of full-domain generalization, a cell is its node at that level, not the least that covers the group."""
    if len(groups) != table.rows:
        raise InputRejected(f"{len(groups)} group numbers for {table.rows} rows.", "Give one group number per row.")
    numbers: Codes = groups.astype(np.int32, copy=False)
    count = int(numbers.max(initial=-1)) + 1
    if count == 0:
        raise InputRejected("A release without groups publishes nothing.", "Suppress fewer rows.")
    if not table.quasi:
        raise InputRejected("No attribute is a quasi-identifier.", "Declare at least one attribute with role: quasi.")
    kept = slice(None) if (numbers >= 0).all() else np.flatnonzero(numbers >= 0)  # a slice copies nothing
    group = numbers[kept]
    cells: dict[str, PublishedCells] = {}
    for column in table.select(table.quasi):
        if levels is not None:
            cells[column.name] = _at_level(column, kept, levels)
            continue
        codes, texts = pd.factorize(generalize(column, numbers, count).texts)
        cells[column.name] = PublishedCells(codes.astype(np.int32)[group], np.asarray(texts, dtype=object))
    return PublishedTable(
        name,
        len(group),
        group,
        cells,
        {column.name: column.take(kept) for column in table.select(sensitive)},
        {column.name: column.take(kept) for column in table.select(insensitive)},
    )


def _at_level(column: Column, kept: NDArray[np.intp] | slice, chosen: Mapping[str, int]) -> PublishedCells:
    levels = levels_of(column)
    level = chosen.get(column.name, -1)
    if not 0 <= level < len(levels):
        raise InputRejected(f"The level of '{column.name}' is not given, or its hierarchy has no such level.", "Give a level of each.")
    nodes, codes = np.unique(levels.nodes[level][column.codes[kept]], return_inverse=True)  # code −1 is the last place, missing
    return PublishedCells(codes.astype(np.int32), levels.texts[level][nodes])


def to_frame(published: PublishedTable, seed: int) -> pd.DataFrame:
    """Plain decoded columns, in an order and with group numbers that nothing else shares. `seed` comes from `secrets`.

    The order is drawn from SHAKE-256 of the seed: a cryptographic generator, since one table must not help to order another."""
    return next(frames_of_parts(published, seed, (published.rows,)))


def frames_of_parts(published: PublishedTable, seed: int, sizes: Sequence[int]) -> Iterator[pd.DataFrame]:
    """The same, so many rows at a time, so that only one part is decoded. Columns have the same types in all parts."""
    if GROUP in published.cells or GROUP in published.sensitive or GROUP in published.insensitive:
        raise InputRejected(f"A column is named '{GROUP}', which the published table needs.", "Rename it in the source and the policy.")
    order = order_of_rows(published, seed)
    numbers = keyed_order(published.groups, f"{seed} groups").astype(np.int64) + 1
    for end, size in zip(itertools.accumulate(sizes), sizes, strict=True):
        yield _decoded_rows(published, order[end - size : end], numbers)


def _decoded_rows(published: PublishedTable, order: NDArray[np.intp], numbers: NDArray[np.int64]) -> pd.DataFrame:
    columns: dict[str, Any] = {}
    for name, cells in published.cells.items():
        columns[name] = np.array([text or None for text in cells.texts], dtype=object)[cells.codes[order]]
        if name in published.bounds:
            names, *ends = published.bounds[name]
            columns.update({each: end[cells.codes[order]] for each, end in zip(names, ends, strict=True)})
    for column in (*published.sensitive.values(), *published.insensitive.values()):
        columns.update(_decoded(column.take(order)))
    columns[GROUP] = numbers[published.group[order]]
    return pd.DataFrame(columns, index=pd.RangeIndex(len(order)))


def order_of_rows(published: PublishedTable, seed: int) -> NDArray[np.intp]:
    """Which record `to_frame` writes in which place. This order can undo the shuffle, so it never leaves memory."""
    return keyed_order(published.rows, f"{seed} rows")


def from_frame(
    frame: pd.DataFrame,
    name: str,
    quasi: Sequence[str],
    sensitive: Mapping[str, ColumnSpec],
    insensitive: Mapping[str, ColumnSpec] | None = None,
    group: str | None = GROUP,
) -> PublishedTable:
    """A published file read again; an empty text is a missing cell. With `group` None rows are grouped by quasi-identifier values."""
    specs = {**sensitive, **(insensitive or {})}
    parts = (part for spec in specs.values() for part in (spec.components or (spec.name,)))
    _check_columns(frame, name, [*quasi, *parts, *([group] if group else [])])
    cells = {attribute: _published_cells(frame[attribute]) for attribute in quasi}
    columns = {key: encode_column(_source(frame, spec), spec) for key, spec in specs.items()}
    numbers = _group_numbers(frame[group], name) if group else np.zeros(len(frame), dtype=np.int32)
    published = PublishedTable(
        name, len(frame), numbers, cells, {key: columns[key] for key in sensitive}, {key: columns[key] for key in insensitive or {}}
    )
    return published if group else replace(published, group=published.by_values())


def _check_columns(frame: pd.DataFrame, name: str, columns: Sequence[str]) -> None:
    for column in columns:
        times = int((frame.columns == column).sum())
        if times != 1:
            raise InputRejected(f"Column '{column}' is {'not' if times == 0 else 'twice'} in table '{name}'.", "Publish the table again.")
    if len(frame) == 0:
        raise InputRejected(f"Table '{name}' has no rows.", "Publish the table again.")


def _group_numbers(cells: pd.Series, name: str) -> Codes:
    plain = cells if isinstance(cells.dtype, pd.CategoricalDtype) else cells.astype(object)
    if cells.isna().any() or (plain == "").any():
        raise InputRejected(f"Table '{name}' has rows without a group number.", "Publish the table again.")
    return pd.factorize(cells)[0].astype(np.int32)


def _published_cells(column: pd.Series) -> PublishedCells:
    """Each distinct cell is processed once; a missing cell is the empty text."""
    codes, distinct = pd.factorize(column, use_na_sentinel=True)
    texts = [str(cell) for cell in distinct] + ([""] if (codes < 0).any() else [])
    place: dict[str, int] = {}
    number = np.array([place.setdefault(text, len(place)) for text in texts], dtype=np.int32)
    return PublishedCells(number[codes], np.array(list(place), dtype=object))


def _source(frame: pd.DataFrame, spec: ColumnSpec) -> pd.Series | pd.DataFrame:
    emptied = {name: _emptied(frame[name]) for name in (spec.components or (spec.name,))}
    return pd.DataFrame(emptied) if spec.kind.rules.components else emptied[spec.name]


def _emptied(cells: pd.Series) -> pd.Series:
    if pd.api.types.is_numeric_dtype(cells.dtype):
        return cells
    return cells.mask((cells == "").fillna(False).astype(bool))


def keyed_order(size: int, key: str) -> NDArray[np.intp]:
    """The places 0 … size−1 in the order of a keyed hash of each, in two phases: they are dealt out to partitions by the first bits of the
    hash, then put in order within each partition. However many partitions there are, the order is the same."""
    stream = hashlib.shake_256(f"headgate {key}".encode()).digest(8 * size)
    hashes = np.frombuffer(stream, dtype=np.dtype("<u8"))
    bits = min(MOST_BITS, max(0, int(size).bit_length() - PARTITION_BITS))
    dealt = (hashes >> np.uint64(64 - MOST_BITS)).astype(np.uint16) >> np.uint16(MOST_BITS - bits)
    order = np.argsort(dealt, kind="stable")
    ends = np.cumsum(np.bincount(dealt, minlength=1 << bits))
    for begin, end in itertools.pairwise((0, *ends.tolist())):
        own = order[begin:end]
        order[begin:end] = own[np.argsort(hashes[own], kind="stable")]
    return order


def _decoded(column: Column) -> dict[str, Any]:
    """The cells as in the source: numbers as numbers, days as YYYY-MM-DD, sets joined by their separator, vectors as their components,
    and bitmap columns as 0 and 1."""
    return {column.name: whole_numbers(column)} if column.origin is not None else column.kind.rules.decoded(column)
