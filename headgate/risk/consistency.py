"""ρ: the individuals of a dictionary consistent with each record on the shared fields (decision-theoretic-privacy-risk, Definition 6).

Missing or suppressed matches everything, on either side; a generalized cell matches what it covers. A record's fields are looked up
once per distinct combination: each distinct cell becomes a row of bits over the individuals, and rows are intersected.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numba
import numpy as np
import pandas as pd
from numpy.typing import NDArray

from headgate.bits import population
from headgate.cells import CellReader, format_number
from headgate.columns import Codes, Column, Kind, Role
from headgate.distinct import distinct_rows
from headgate.encode import ColumnSpec, encode_column, value_text
from headgate.errors import InputRejected
from headgate.hierarchy import Hierarchy
from headgate.published import PublishedCells

_BITS_AT_ONCE = 64 * 2**20  # bytes of bit rows held at a time


def consistent_individuals(
    cells: Mapping[str, PublishedCells], dictionary: Mapping[str, Column], fields: Sequence[str]
) -> NDArray[np.int64]:
    """|ρ| of every record. `dictionary` has one row an individual; a column a field, its kind saying how cells are read."""
    if not fields:
        raise InputRejected("A dictionary needs at least one field shared with the release.", "Name the shared fields.")
    for name in fields:
        if name not in cells or name not in dictionary:
            where = "the release" if name not in cells else "the dictionary"
            raise InputRejected(f"Field '{name}' is not in {where}.", "Name fields that both have.")
    distinct, place = distinct_rows(np.stack([cells[name].codes for name in fields], axis=1))
    masks = [cell_masks(cells[name], dictionary[name]) for name in fields]
    individuals = len(dictionary[fields[0]])
    offsets = np.cumsum([0] + [len(mask) for mask in masks])
    wanted = distinct.astype(np.int64) + offsets[:-1]
    step = max(64, _BITS_AT_ONCE // max(int(offsets[-1]), 1) * 8 // 64 * 64)
    total = np.zeros(len(distinct), dtype=np.int64)
    for start in range(0, individuals, step):
        bits = np.concatenate([_bits(mask, dictionary[name].codes[start : start + step]) for mask, name in zip(masks, fields, strict=True)])
        total += _intersections(bits, wanted)
    return total[place]


def cell_masks(cells: PublishedCells, column: Column) -> NDArray[np.bool_]:
    """Cells × values of the dictionary's column, the last place being its missing cells, which match everything."""
    reader = CellReader(column)
    out = np.ones((len(cells.texts), len(column.values) + 1), dtype=bool)
    for i, text in enumerate(cells.texts):
        if text != "":
            out[i, :-1] = reader.covers(text)[:-1]
    return out


def _bits(mask: NDArray[np.bool_], codes: Codes) -> NDArray[np.uint64]:
    places = np.where(codes < 0, mask.shape[1] - 1, codes)
    starts = np.concatenate([[0], np.cumsum(np.bincount(places, minlength=mask.shape[1]))])
    return np.asarray(_set_bits(mask, np.argsort(places, kind="stable"), starts, (len(codes) + 63) // 64))


@numba.njit(cache=True, nogil=True)
def _set_bits(mask: NDArray[np.bool_], members: NDArray[np.int64], starts: NDArray[np.int64], words: int) -> NDArray[np.uint64]:
    out = np.zeros((len(mask), words), np.uint64)
    one = np.uint64(1)
    for cell in range(len(mask)):
        for value in range(mask.shape[1]):
            if mask[cell, value]:
                for i in range(starts[value], starts[value + 1]):
                    out[cell, members[i] >> 6] |= one << np.uint64(members[i] & 63)
    return out


@numba.njit(cache=True, nogil=True)
def _intersections(bits: NDArray[np.uint64], wanted: NDArray[np.int64]) -> NDArray[np.int64]:
    """How many individuals lie in all the bit rows of each combination."""
    out = np.zeros(len(wanted), np.int64)
    for row in range(len(wanted)):
        count = np.uint64(0)
        for word in range(bits.shape[1]):
            x = bits[wanted[row, 0], word]
            for field in range(1, wanted.shape[1]):
                x &= bits[wanted[row, field], word]
            count += population(x)
        out[row] = count
    return out


def encode_dictionary(
    frame: pd.DataFrame, domains: Mapping[str, Column], fields: Sequence[str], key: str | None = None
) -> dict[str, Column]:
    """A register, encoded as the release's own attributes are. It may go beyond their domains: a number outside the declared range,
    or a category that the hierarchy lacks, is an individual like any other, reached by no cell but `*`."""
    for name in (*fields, *([key] if key else [])):
        if int((frame.columns == name).sum()) != 1:
            raise InputRejected(f"Column '{name}' is not in the dictionary, or twice.", "Correct the dictionary or its `on`.")
    if len(frame) == 0:
        raise InputRejected("The dictionary has no rows.", "Give one row an individual.")
    if key and (frame[key].isna().any() or frame[key].duplicated().any()):
        raise InputRejected(f"The dictionary's key '{key}' is missing or repeated in some rows.", "Give one row an individual.")
    out = {}
    for name in fields:
        domain = domains[name]
        known = [] if domain.kind.numeric else [str(value) for value in domain.values]
        out[name] = encode_column(frame[name], open_spec(frame[name], name, domain.kind, known, domain.hierarchy))
    return out


def open_spec(cells: pd.Series, name: str, kind: Kind, known: Sequence[str], hierarchy: Hierarchy | None) -> ColumnSpec:
    """A dictionary's column of this kind, without the bounds of the release's domain: what is unknown there is a value of its own here."""
    if hierarchy is not None and kind is not Kind.DATE:
        return ColumnSpec(name, kind if kind.numeric else Kind.CATEGORY, Role.QUASI, hierarchy=_grown(hierarchy, cells, name, kind.numeric))
    if kind.numeric:
        return ColumnSpec(name, kind, Role.QUASI)
    texts = {value_text(value) for value in cells.dropna().unique()} - set(known)
    extra = sorted({text.strip() for text in texts} - {"", *known})
    if kind is Kind.ORDINAL:  # intervals must keep their ranks, so what is not a level comes after them
        return ColumnSpec(name, kind, Role.QUASI, levels=(*known, *extra))
    return ColumnSpec(name, kind, Role.QUASI, declared=(*known, *extra))


def _grown(hierarchy: Hierarchy, cells: pd.Series, name: str, numeric: bool) -> Hierarchy:
    """The hierarchy with each unknown value as a leaf of its own right under the root."""
    seen = cells.dropna().unique()
    if numeric:
        leaves = {float(leaf) for leaf in hierarchy.leaves}
        numbers = pd.to_numeric(pd.Series(seen, dtype=object), errors="coerce")  # what is no number is refused when it is encoded
        extra = [format_number(number) for number in sorted(set(numbers[np.isfinite(numbers)]) - leaves)]
    else:
        extra = sorted({value_text(value).strip() for value in seen} - {"", *hierarchy.leaves})
    root = str(hierarchy.labels[0, -1])
    rows = [[str(label) for label in row] for row in hierarchy.labels]
    return Hierarchy.from_rows([*rows, *([value] * hierarchy.height + [root] for value in extra)], name)


def frame_cells(column: pd.Series, text: Any) -> PublishedCells:
    """A column of a released frame as published cells; `text` writes a cell that is not text already."""
    codes, distinct = pd.factorize(column.astype(object), use_na_sentinel=True)
    texts = ["" if isinstance(value, str) and value == "" else text(value) for value in distinct]
    merged, unique = pd.factorize(np.array([*texts, ""], dtype=object))
    return PublishedCells(merged[codes].astype(np.int32), np.asarray(unique, dtype=object))
