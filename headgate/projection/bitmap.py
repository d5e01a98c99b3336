"""Bitmap transformation (paper "codip", Definition 2): a set over m values becomes m binary attributes `attribute=value`.

It loses nothing: `unbitmap` is its exact inverse."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from headgate.core.columns import BIT, MISSING, Column, Kind, Role, Table
from headgate.core.encode import ColumnSpec, encode_column
from headgate.core.errors import InputRejected

PRESENT = 1  # of a bit; 0 is absent


def bit_name(attribute: str, value: str) -> str:
    return f"{attribute}{BIT}{value}"


def set_values(column: Column, spec: ColumnSpec) -> tuple[str, ...]:
    """The value set: as declared, or else the members that occur, sorted."""
    return tuple(spec.declared) or tuple(sorted({member for cell in column.values for member in cell}))


@dataclass(frozen=True, eq=False)
class Bits:
    """A set column inverted: `rows[ends[i − 1]:ends[i]]` are the rows that have member i. It is as large as all sets together, however
    many values there are."""

    column: Column
    spec: ColumnSpec
    members: tuple[str, ...]
    rows: NDArray[np.int32]
    ends: NDArray[np.int64]

    def columns(self) -> Iterator[Column]:
        """The binary columns, made one at a time."""
        missing = np.flatnonzero(self.column.codes == MISSING)
        start = 0
        for member, end in zip(self.members, self.ends, strict=True):
            codes = np.zeros(len(self.column), dtype=np.int32)  # pages that hold no member are never touched
            codes[self.rows[start:end]] = PRESENT
            codes[missing] = MISSING
            absent = self.spec.absent_sensitive
            yield Column(
                name=bit_name(self.column.name, member),
                kind=Kind.CATEGORY,
                codes=codes,
                values=np.array(["0", "1"], dtype=object),
                sensitive=np.array([absent, member not in self.spec.nonsensitive, absent], dtype=bool),
                weight=self.column.weight / len(self.members),
                origin=self.column.name,
            )
            start = end


def bits_of(column: Column, spec: ColumnSpec) -> Bits:
    if column.kind is not Kind.SET:
        raise InputRejected(f"'{column.name}' is not a set.", "Declare kind: set.")
    members = set_values(column, spec)
    if not members:
        raise InputRejected(f"'{column.name}' has no values to make columns of.", "Declare its values in the policy, or drop it.")
    place = {member: i for i, member in enumerate(members)}
    if any(member not in place for cell in column.values for member in cell):
        raise InputRejected(f"'{column.name}' holds values that are not declared.", "Declare every value of the set.")
    numbers = np.array([place[member] for cell in column.values for member in dict.fromkeys(cell)], dtype=np.int32)
    lengths = np.array([len(set(cell)) for cell in column.values] + [0], dtype=np.int64)  # the last stands for a missing set
    starts = np.concatenate([[0], np.cumsum(lengths)[:-1]])
    set_sizes = lengths[column.codes]
    rows = np.repeat(np.arange(len(column), dtype=np.int32), set_sizes)
    within = np.arange(len(rows)) - np.repeat(np.cumsum(set_sizes) - set_sizes, set_sizes)
    whose = numbers[np.repeat(starts[column.codes], set_sizes) + within]
    order = np.argsort(whose, kind="stable")
    return Bits(column, spec, members, rows[order], np.cumsum(np.bincount(whose, minlength=len(members))))


def bitmap_column(column: Column, spec: ColumnSpec) -> tuple[Column, ...]:
    """One binary column per value, of weight w/m. Having a value is sensitive unless it is listed as non-sensitive; not having it, and a
    missing set, are sensitive only under `absent: sensitive` (the papers' reading)."""
    return tuple(bits_of(column, spec).columns())


def bitmap_table(table: Table, specs: Mapping[str, ColumnSpec]) -> Table:
    """Every sensitive set replaced, in place, by its binary columns."""
    columns: dict[str, Column] = {}
    sensitive: list[str] = []
    for name, column in table.columns.items():
        bits = bitmap_column(column, specs[name]) if column.kind is Kind.SET and name in table.sensitive else (column,)
        for bit in bits:
            if bit.name in columns or (bit is not column and bit.name in table.columns):
                raise InputRejected(f"A column named '{bit.name}' exists already.", f"Rename it, or the set '{name}'.")
            columns[bit.name] = bit
        if name in table.sensitive:
            sensitive.extend(bit.name for bit in bits)
    order = {name: i for i, name in enumerate(table.sensitive)}
    sensitive.sort(key=lambda name: order[columns[name].origin or name])
    return replace(table, columns=columns, sensitive=tuple(sensitive))


def _joined(rows: int, members: Sequence[str], marks: Iterable[tuple[NDArray[np.int64], NDArray[np.int64]]]) -> NDArray[Any]:
    """The sets, from the rows that have each member and the rows where its column is missing."""
    gone, rows_with = np.zeros(rows, dtype=np.int64), []
    for present, missing in marks:
        gone[missing] += 1
        rows_with.append(present)
    if ((gone > 0) & (gone < len(members))).any():
        raise InputRejected("Some rows have a value missing in only part of a set's columns.", "Give all of them or none.")
    row = np.concatenate(rows_with)
    numbers = np.repeat(np.arange(len(members)), [len(present) for present in rows_with])[np.argsort(row, kind="stable")].tolist()
    ends = np.cumsum(np.bincount(row, minlength=rows)).tolist()
    cells = np.empty(rows, dtype=object)
    start = 0
    for i, end in enumerate(ends):
        cells[i] = None if gone[i] else tuple(members[number] for number in numbers[start:end])
        start = end
    return cells


def bitmap(
    frame: pd.DataFrame, attribute: str, separator: str = "|", values: Sequence[str] | None = None, absent_sensitive: bool = False
) -> pd.DataFrame:
    """The frame with `attribute` replaced by its 0/1 columns; they are missing where the set is. Rows and index stay as they are."""
    if attribute not in frame.columns:
        raise InputRejected(f"Column '{attribute}' is not in the data.", "Name a column of the frame.")
    spec = ColumnSpec(
        attribute, Kind.SET, Role.SENSITIVE, declared=tuple(values or ()), separator=separator, absent_sensitive=absent_sensitive
    )
    bits = bits_of(encode_column(frame[attribute], spec), spec)
    taken = {bit_name(attribute, member) for member in bits.members} & set(frame.columns)
    if taken:
        raise InputRejected(
            f"{len(taken)} of the new column names exist already.", f"Rename the columns that begin with '{attribute}{BIT}'."
        )
    made = [pd.Series(_whole_numbers(bit.codes), index=frame.index, name=bit.name) for bit in bits.columns()]
    place = list(frame.columns).index(attribute)
    return pd.concat([frame.iloc[:, :place], *made, frame.iloc[:, place + 1 :]], axis=1)


def unbitmap(frame: pd.DataFrame, attribute: str, separator: str = "|") -> pd.DataFrame:
    """The frame with the 0/1 columns of `attribute` joined again, members in the order of the columns; an empty set is the separator."""
    names = [name for name in frame.columns if str(name).startswith(f"{attribute}{BIT}")]
    if not names:
        raise InputRejected(f"No column begins with '{attribute}{BIT}'.", "Give the attribute that `bitmap` replaced.")
    members = [str(name).removeprefix(f"{attribute}{BIT}") for name in names]
    sets = _joined(len(frame), members, (_marks(frame[name], str(name)) for name in names))
    texts = [None if cell is None else separator.join(cell) or separator for cell in sets]
    place = list(frame.columns).index(names[0])
    rest = frame.drop(columns=names)
    rest.insert(place, attribute, pd.Series(texts, index=frame.index, dtype=object))
    return rest


def _marks(cells: pd.Series, name: str) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The rows with a 1, and the rows with a missing cell."""
    missing = cells.isna().to_numpy()
    numbers = pd.to_numeric(cells, errors="coerce").to_numpy(dtype=np.float64, na_value=np.nan)
    wrong = int((~missing & (numbers != 0) & (numbers != 1)).sum())
    if wrong:
        raise InputRejected(f"Column '{name}' has {wrong} cells that are neither 0 nor 1.", "Correct the data.")
    return np.flatnonzero(numbers == 1), np.flatnonzero(missing)


def _whole_numbers(codes: NDArray[np.int32]) -> Any:
    missing = codes == MISSING
    whole = np.where(missing, 0, codes).astype(np.int8)  # one byte per cell: sets of thousands of values fit
    return pd.arrays.IntegerArray(whole, missing) if missing.any() else whole
