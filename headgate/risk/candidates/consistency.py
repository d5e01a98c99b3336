"""ρ: the individuals of a dictionary who are consistent with each record on the shared fields (decision-theoretic-privacy-risk, Definition
6).

A missing or suppressed cell, on either side, matches everything; so does a set of values that contains missing. Any other generalized cell
matches what it covers. Each distinct combination of a record's fields is looked up once, in a trie of the dictionary over the fields that
the record restricts. Where a trie would not pay off (few combinations restrict the same fields, or a combination matches a large part of
the dictionary), bit rows over the individuals are intersected.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from headgate.core.bits import population
from headgate.core.cells import EVERYTHING, format_number
from headgate.core.columns import MISSING, Codes, Column, Kind, Role
from headgate.core.compiling import loop
from headgate.core.computed_hierarchies import computed_path
from headgate.core.distinct import distinct_rows
from headgate.core.encode import ColumnSpec, encode_column
from headgate.core.errors import InputRejected
from headgate.core.hierarchy import Hierarchy
from headgate.core.published_form.published_table import PublishedCells
from headgate.core.spelling import as_written, factorize, value_text
from headgate.risk.candidates.runs import Runs, cell_runs, stacked
from headgate.risk.candidates.similar import check_similar, similar_runs
from headgate.risk.candidates.trie import THREADS, trie_of

_BITS_AT_ONCE = 8 * 2**20  # bytes of bit rows that a thread holds at a time
_TRIE_FROM = 2**10  # combinations that restrict the same fields: bit rows of fewer are sooner counted than a trie is built
_STEPS = 2.0**-12  # that a trie may take per individual: in the time of one, bit rows of 4,096 are counted


def consistent_individuals(
    cells: Mapping[str, PublishedCells], dictionary: Mapping[str, Column], fields: Sequence[str], similar: Mapping[str, float] | None = None
) -> NDArray[np.int64]:
    """|ρ| of every record. `dictionary` has one row per individual and one column per field; the field's kind says how cells are read. A
    field in `similar` matches texts whose Jaro similarity is at least the given number."""
    check_shared(fields, cells, dictionary, "the dictionary")
    alike = similar or {}
    check_similar(alike, {name: dictionary[name] for name in fields})
    covered = [
        similar_runs(cells[name], dictionary[name], alike[name]) if name in alike else cell_runs(cells[name], dictionary[name])
        for name in fields
    ]
    distinct, place = distinct_rows(np.stack([cells[name].codes for name in fields], axis=1))
    runs, offsets = stacked(covered)
    wanted = distinct + offsets.astype(np.int32)
    columns = [dictionary[name].codes for name in fields]
    total = np.full(len(distinct), -1, dtype=np.int64)
    widths = np.concatenate([field_runs.sums(np.append(np.ones(field_runs.values, dtype=np.int64), 0)) for field_runs in covered])
    everything = np.concatenate([field_runs.everything() for field_runs in covered])
    for rows, restricted in _alike(~everything[wanted]):
        order = restricted[np.argsort(widths[wanted[np.ix_(rows, restricted)]].mean(axis=0), kind="stable")]  # the widest last
        trie = trie_of([columns[field] for field in order])
        total[rows] = trie.count(wanted[np.ix_(rows, order)], runs, int(_STEPS * len(columns[0])))
    rest = np.flatnonzero(total < 0)
    total[rest] = _by_bits(wanted[rest], runs, offsets, columns)
    return total[place]


def check_shared(fields: Sequence[str], cells: Mapping[str, PublishedCells], dictionary: Mapping[str, Column], what: str) -> None:
    if not fields:
        raise InputRejected("A dictionary needs at least one field shared with the release.", "Name the shared fields.")
    for name in fields:
        if name not in cells or name not in dictionary:
            where = "the release" if name not in cells else what
            raise InputRejected(f"Field '{name}' is not in {where}.", "Name fields that both have.")


def _alike(restricts: NDArray[np.bool_]) -> Iterator[tuple[NDArray[np.intp], NDArray[np.intp]]]:
    """Groups of combinations that restrict the same fields, with these fields, if a trie pays off for them."""
    patterns, number = distinct_rows(restricts.astype(np.int32))
    for pattern in np.flatnonzero(np.bincount(number) >= _TRIE_FROM):
        if patterns[pattern].any():
            yield np.flatnonzero(number == pattern), np.flatnonzero(patterns[pattern])


def _by_bits(wanted: Codes, runs: Runs, offsets: NDArray[np.int64], columns: Sequence[Codes]) -> NDArray[np.int64]:
    """Counts by bits: each cell becomes a row of bits over the individuals, and a combination's rows are intersected."""
    if len(wanted) == 0:
        return np.zeros(0, dtype=np.int64)
    used = [np.unique(wanted[:, field], return_inverse=True) for field in range(wanted.shape[1])]
    starts = np.cumsum([0] + [len(own) for own, _ in used])
    rows = np.stack([place + start for (_, place), start in zip(used, starts[:-1], strict=True)], axis=1)
    individuals = len(columns[0])
    step = max(64, _BITS_AT_ONCE // int(starts[-1]) * 8 // 64 * 64)

    def part(start: int) -> NDArray[np.int64]:
        bits = [_bits(own, runs, column[start : start + step]) for (own, _), column in zip(used, columns, strict=True)]
        return np.asarray(_intersections(np.concatenate(bits), rows))

    total = np.zeros(len(wanted), dtype=np.int64)
    with ThreadPoolExecutor(THREADS) as pool:
        for counted in pool.map(part, range(0, individuals, step)):
            total += counted
    return total


def _bits(own: Codes, runs: Runs, codes: Codes) -> NDArray[np.uint64]:
    """One row of bits per cell: the individuals that the cell covers."""
    members = np.argsort(codes, kind="stable")
    starts = np.searchsorted(codes[members], np.arange(MISSING, runs.values + 1))
    return np.asarray(_set_bits(own, runs.starts, runs.low, runs.high, members, starts, (len(codes) + 63) // 64))


@loop
def _set_bits(
    own: Codes,
    runs: NDArray[np.int64],
    low: NDArray[np.int32],
    high: NDArray[np.int32],
    members: NDArray[np.int64],
    starts: NDArray[np.int64],
    words: int,
) -> NDArray[np.uint64]:
    out = np.zeros((len(own), words), np.uint64)
    bit = np.uint64(1)
    for row in range(len(own)):
        for run in range(runs[own[row]], runs[own[row] + 1]):
            for i in range(starts[low[run] + 1], starts[high[run] + 1]):
                out[row, members[i] >> 6] |= bit << np.uint64(members[i] & 63)
    return out


@loop
def _intersections(bits: NDArray[np.uint64], wanted: NDArray[np.int64]) -> NDArray[np.int64]:
    """The number of individuals that all bit rows of a combination have in common."""
    out = np.zeros(len(wanted), np.int64)
    both = np.empty(bits.shape[1], np.uint64)
    for row in range(len(wanted)):
        both[:] = bits[wanted[row, 0]]
        for field in range(1, wanted.shape[1]):
            other = bits[wanted[row, field]]
            for word in range(len(both)):
                both[word] &= other[word]
        count = np.uint64(0)
        for word in range(len(both)):
            count += population(both[word])
        out[row] = count
    return out


def encode_dictionary(frame: pd.DataFrame, domains: Mapping[str, Column], fields: Sequence[str]) -> dict[str, Column]:
    """Encodes a register as the release's own attributes are encoded. A register may exceed their domains: a number outside the declared
    range, or a category that the hierarchy lacks, belongs to an individual whom no cell but `*` covers."""
    for name in fields:
        if int((frame.columns == name).sum()) != 1:
            raise InputRejected(f"Column '{name}' is not in the dictionary, or appears twice.", "Correct the dictionary or its `on`.")
    if len(frame) == 0:
        raise InputRejected("The dictionary has no rows.", "Give exactly one row per individual.")
    return {name: open_column(frame[name], name, domains[name]) for name in fields}


def open_column(cells: pd.Series, name: str, domain: Column) -> Column:
    """Encodes one field of a dictionary as the release's attribute is encoded."""
    cells = without_suppressed(cells, domain.hierarchy)
    known = [] if domain.kind.numeric else [str(value) for value in domain.values]
    spec = open_spec(cells, name, domain.kind, known, domain.hierarchy)
    return encode_column(cells, replace(spec, year_bands=domain.year_bands))


def open_spec(cells: pd.Series, name: str, kind: Kind, known: list[str], hierarchy: Hierarchy | None) -> ColumnSpec:
    """The spec of a dictionary's column of this kind. It has no bounds from the release's domain: values that the release lacks become
    values of their own."""
    if hierarchy is not None and "hierarchy" in kind.rules.keys:
        return ColumnSpec(name, kind if kind.numeric else Kind.CATEGORY, Role.QUASI, hierarchy=_grown(hierarchy, cells, name, kind.numeric))
    if kind.numeric:
        return ColumnSpec(name, kind, Role.QUASI)
    extra = sorted({value_text(value).strip() for value in _distinct(cells, name)} - {"", *known})
    return kind.rules.extended(ColumnSpec(name, kind, Role.QUASI), known, extra)


def _grown(hierarchy: Hierarchy, cells: pd.Series, name: str, numeric: bool) -> Hierarchy:
    """The hierarchy with one more leaf per unknown value, placed by its widths or mask, or else directly under the root."""
    seen = _distinct(cells, name)
    if numeric:
        leaves = {float(leaf) for leaf in hierarchy.leaves}
        numbers = pd.to_numeric(pd.Series(seen, dtype=object), errors="coerce")  # what is not a number is refused when it is encoded
        extra = [format_number(number) for number in sorted(set(numbers[np.isfinite(numbers)]) - leaves)]
    else:
        extra = sorted({value_text(value).strip() for value in seen} - {"", *hierarchy.leaves})
        nodes = len(set(extra) & set(hierarchy.labels.ravel().tolist()))
        if nodes:
            raise InputRejected(
                f"Column '{name}' of the dictionary has {nodes} {'node' if nodes == 1 else 'nodes'} of the hierarchy, not values.",
                "Write values, or leave the cells empty: a missing cell fits everybody.",
            )
    rows = [tuple(str(label) for label in row) for row in hierarchy.labels]
    root = rows[0][-1]
    for value in extra:
        path = None if hierarchy.described is None else computed_path(hierarchy.described, value)
        rows.append((value,) * hierarchy.height + (root,) if path is None else path)
    return Hierarchy.from_rows(rows, name, described=hierarchy.described)


def _distinct(cells: pd.Series, name: str) -> list[Any]:
    return list(as_written(factorize(cells, name)[1]))


def without_suppressed(cells: pd.Series, hierarchy: Hierarchy | None) -> pd.Series:
    """The cells; those that are `*` or the root of the hierarchy are missing."""
    roots = {EVERYTHING} if hierarchy is None else {EVERYTHING, str(hierarchy.labels[0, -1])}
    if not any(isinstance(value, str) and value.strip() in roots for value in factorize(cells, str(cells.name))[1]):
        return cells
    objects = cells.astype(object)
    return objects.mask(objects.map(lambda value: isinstance(value, str) and value.strip() in roots).astype(bool))


def frame_cells(column: pd.Series, text: Any = value_text) -> PublishedCells:
    """A column of a released frame as published cells. `text` says how a distinct cell is written."""
    codes, distinct = factorize(column, str(column.name))
    merged, unique = pd.factorize(np.array([*map(text, as_written(distinct)), ""], dtype=object))
    return PublishedCells(merged[codes].astype(np.int32), np.asarray(unique, dtype=object))
