"""Bitmap transformation (paper "codip", Definition 2): a set over m values becomes m binary attributes `attribute=value`.

It loses nothing: `restore_sets` and `unbitmap` are exact inverses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from headgate.columns import BIT, MISSING, Column, Kind, Role, Table
from headgate.encode import ColumnSpec, encode_column
from headgate.errors import InputRejected

ABSENT, PRESENT = 0, 1


def bit_name(attribute: str, value: str) -> str:
    return f"{attribute}{BIT}{value}"


def set_values(column: Column, spec: ColumnSpec) -> tuple[str, ...]:
    """The value set: as declared, or else the members that occur, sorted."""
    return tuple(spec.declared) or tuple(sorted({member for cell in column.values for member in cell}))


def bitmap_column(column: Column, spec: ColumnSpec) -> tuple[Column, ...]:
    """One binary column a value, of weight w/m. Having a value is sensitive unless it is listed as non-sensitive; not having it, and a
    missing set, are sensitive only under `absent: sensitive` (the papers' reading)."""
    if column.kind is not Kind.SET:
        raise InputRejected(f"'{column.name}' is no set.", "Declare kind: set.")
    members = set_values(column, spec)
    if not members:
        raise InputRejected(f"'{column.name}' has no values to make columns of.", "Declare its values in the policy, or drop it.")
    place = {member: i for i, member in enumerate(members)}
    has = np.zeros((len(column.values) + 1, len(members)), dtype=np.int32)
    for row, cell in enumerate(column.values):
        if any(member not in place for member in cell):
            raise InputRejected(f"'{column.name}' holds values that are not declared.", "Declare every value of the set.")
        has[row, [place[member] for member in cell]] = PRESENT
    has[-1] = MISSING
    flags = [np.array([spec.absent_sensitive, member not in spec.nonsensitive, spec.absent_sensitive], dtype=bool) for member in members]
    return tuple(
        Column(
            name=bit_name(column.name, member),
            kind=Kind.CATEGORY,
            codes=np.ascontiguousarray(has[column.codes, i]),
            values=np.array(["0", "1"], dtype=object),
            sensitive=flags[i],
            weight=column.weight / len(members),
            origin=column.name,
        )
        for i, member in enumerate(members)
    )


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


def restore_sets(bits: Sequence[Column]) -> NDArray[Any]:
    """The inverse: for every row the tuple of values that it has, or None for a missing set."""
    codes = np.stack([bit.codes for bit in bits], axis=1)
    missing = (codes == MISSING).any(axis=1)
    if (missing != (codes == MISSING).all(axis=1)).any():
        raise InputRejected("Some rows have a value missing in only part of a set's columns.", "Give all of them or none.")
    members = [bit.name.removeprefix(f"{bit.origin}{BIT}") for bit in bits]
    patterns, place = np.unique(codes, axis=0, return_inverse=True)
    cells = np.empty(len(patterns), dtype=object)
    for i, pattern in enumerate(patterns):
        absent = (pattern == MISSING).any()
        cells[i] = None if absent else tuple(member for member, bit in zip(members, pattern, strict=True) if bit == PRESENT)
    return np.asarray(cells[place.reshape(-1)])


def bitmap(
    frame: pd.DataFrame, attribute: str, separator: str = "|", values: Sequence[str] | None = None, absent_sensitive: bool = False
) -> pd.DataFrame:
    """The frame with `attribute` replaced by its 0/1 columns; they are missing where the set is. Rows and index stay as they are."""
    if attribute not in frame.columns:
        raise InputRejected(f"Column '{attribute}' is not in the data.", "Name a column of the frame.")
    spec = ColumnSpec(
        attribute, Kind.SET, Role.SENSITIVE, declared=tuple(values or ()), separator=separator, absent_sensitive=absent_sensitive
    )
    bits = bitmap_column(encode_column(frame[attribute], spec), spec)
    taken = {bit.name for bit in bits} & set(frame.columns)
    if taken:
        raise InputRejected(
            f"{len(taken)} of the new column names exist already.", f"Rename the columns that begin with '{attribute}{BIT}'."
        )
    made = [pd.Series(_whole_numbers(bit.codes), index=frame.index, name=bit.name) for bit in bits]
    place = list(frame.columns).index(attribute)
    return pd.concat([frame.iloc[:, :place], *made, frame.iloc[:, place + 1 :]], axis=1)


def unbitmap(frame: pd.DataFrame, attribute: str, separator: str = "|") -> pd.DataFrame:
    """The frame with the 0/1 columns of `attribute` joined again, members in the order of the columns; an empty set is the separator."""
    names = [name for name in frame.columns if str(name).startswith(f"{attribute}{BIT}")]
    if not names:
        raise InputRejected(f"There are no columns '{attribute}{BIT}…'.", "Give the attribute that `bitmap` replaced.")
    bits = []
    for name in names:
        cells = pd.to_numeric(frame[name], errors="coerce").astype("Float64")
        wrong = int((frame[name].notna() & ~cells.isin([0, 1]).fillna(False).astype(bool)).sum())
        if wrong:
            raise InputRejected(f"Column '{name}' has {wrong} cells that are neither 0 nor 1.", "Correct the data.")
        codes = np.where(cells.isna(), MISSING, cells.fillna(0).to_numpy(dtype=np.int64)).astype(np.int32)
        bits.append(Column(str(name), Kind.CATEGORY, codes, np.array(["0", "1"], dtype=object), np.ones(3, dtype=bool), origin=attribute))
    texts = [None if cell is None else separator.join(cell) or separator for cell in restore_sets(bits)]
    place = list(frame.columns).index(names[0])
    rest = frame.drop(columns=names)
    rest.insert(place, attribute, pd.Series(texts, index=frame.index, dtype=object))
    return rest


def _whole_numbers(codes: NDArray[np.int32]) -> Any:
    missing = codes == MISSING
    whole = np.where(missing, 0, codes).astype(np.int64)
    return pd.arrays.IntegerArray(whole, missing) if missing.any() else whole
