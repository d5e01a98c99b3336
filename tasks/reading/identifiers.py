"""The identifiers of the source, while a release needs them: who each row is, that each row is somebody else, and that no published cell is
one of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as compute
from numpy.typing import NDArray

from headgate.core.columns import Column, Kind, Table
from headgate.core.errors import CellsRejected, InputRejected
from headgate.core.spelling import value_text
from headgate.core.text_hashes import text_hashes
from headgate.core.units import counted
from tasks.reading.arrow_frame import trimmed_texts

COINCIDENCE = 10  # rows whose cell may equal the row's identifier by chance; by chance one is expected at most
AT_ONCE = 2**20  # rows
NUMBER = r"^-?[0-9]+(\.[0-9]+)?(e[+-]?[0-9]+)?$"  # as a number is written in a file


class IdentifierValues:
    """The identifiers of the source: who each row is, and which texts are one of them. Nothing of it is shown or written."""

    def __init__(self, columns: Mapping[str, pa.ChunkedArray]) -> None:
        self._texts = dict(columns)

    def __contains__(self, name: str) -> bool:
        return name in self._texts

    def only(self, name: str) -> IdentifierValues | None:
        """That one without the others; None if the source has no identifier of that name."""
        return IdentifierValues({name: self._texts[name]}) if name in self._texts else None

    def of(self, name: str) -> NDArray[np.object_] | None:
        """One of the identifiers, row by row and without blanks around it; None if the source has no identifier of that name."""
        return compute.utf8_trim_whitespace(self._texts[name]).to_numpy() if name in self._texts else None

    def some_at_a_time(self, name: str) -> Iterator[list[str]]:
        """The same, a stretch of rows after the other."""
        for _, known in _stretches(self._texts[name]):
            yield known.to_pylist()

    def among(self, texts: Sequence[str]) -> set[str]:
        cells = pa.array(texts, type=pa.string())
        found = np.zeros(len(cells), dtype=bool)
        for known in self._texts.values() if len(cells) else ():
            for chunk in known.chunks:
                found[compute.index_in(chunk, value_set=cells).drop_null().to_numpy()] = True
        return set(cells.filter(pa.array(found)).to_pylist())

    def __repr__(self) -> str:
        return f"IdentifierValues({len(self._texts)} columns)"


def _stretches(texts: pa.ChunkedArray) -> Iterator[tuple[int, pa.Array]]:
    """Without blanks around them, with the row of the first of each stretch."""
    for start in range(0, len(texts), AT_ONCE):
        yield start, compute.utf8_trim_whitespace(texts.slice(start, AT_ONCE)).combine_chunks()


def check_identifiers(identifiers: Mapping[str, pa.ChunkedArray]) -> None:
    """Every identifier is present and unique: each alone, not all together."""
    for name, cells in identifiers.items():
        blank = sum(_blank(keys) for _, keys in _stretches(cells))
        if blank:
            cure = "Give every row an identifier: each row is one person."
            wrong = trimmed_texts(cells, name, "the source").is_null().to_numpy()
            raise _identifier_rejected(f"Identifier '{name}' is missing in {counted(blank, 'row')}", name, cells, wrong, cure)
        again = _repeated(cells)
        if len(again):
            wrong = np.zeros(len(cells), dtype=bool)
            wrong[again] = True
            raise _identifier_rejected(
                f"Identifier '{name}' is repeated in {len(again):,} of {len(cells):,} rows",
                name,
                cells,
                wrong,
                f"Let the policy make one row per person, such as rows: {{per: {name}, order: visit_date, income: last}}. "
                "Only a column that does not number people may be dropped: without an identifier nobody checks that a row is a person, "
                "and whoever has ten rows counts as ten people.",
            )


def _blank(keys: pa.Array) -> int:
    return int(keys.null_count + (compute.sum(compute.equal(keys, "")).as_py() or 0))


def _repeated(cells: pa.ChunkedArray) -> NDArray[np.int64]:
    """The rows that have an identifier that a row above has. Texts are compared only where their hashes are equal, so that nothing is held
    but a number for each row."""
    hashes = np.concatenate([np.zeros(0, np.uint64), *(_hashes(keys) for _, keys in _stretches(cells))])
    ordered = np.sort(hashes)
    twice = np.unique(ordered[1:][ordered[1:] == ordered[:-1]])
    rows = np.flatnonzero(np.isin(hashes, twice)) if len(twice) else np.zeros(0, dtype=np.int64)
    if not len(rows):
        return rows
    keys = compute.utf8_trim_whitespace(cells.take(pa.array(rows))).combine_chunks()
    first = np.unique(keys.dictionary_encode().indices.to_numpy(), return_index=True)[1]
    return np.delete(rows, first)


def _hashes(keys: pa.Array) -> NDArray[np.uint64]:
    _, ends, letters = keys.buffers()
    places = np.frombuffer(ends, dtype=np.int32)[keys.offset : keys.offset + len(keys) + 1]
    return np.asarray(text_hashes(places, np.frombuffer(letters or b"", dtype=np.uint8)))


def _identifier_rejected(sentence: str, name: str, cells: pa.ChunkedArray, wrong: NDArray[np.bool_], cure: str) -> CellsRejected:
    rows = np.flatnonzero(wrong)
    return CellsRejected(name, ("", ""), cure, rows.tolist(), cells.take(pa.array(rows)).fill_null("").to_pylist(), sentence=sentence)


def check_copies(identifiers: Mapping[str, pa.ChunkedArray], table: Table) -> None:
    """Refuses a published attribute that contains the identifiers themselves.

    If a column were independent of a unique identifier, at most one row in expectation would have equal cells in both. So many equal
    rows, or all rows, are no coincidence."""
    for name, cells in identifiers.items():
        columns = [column for column in table.columns.values() if not column.kind.rules.components]
        for column, equal in zip(columns, _equal_rows(cells, columns), strict=True):
            present = int((column.codes >= 0).sum())
            # Sorted numbers beside numbered rows may run along for a while: there a hundredth of the rows is the measure.
            chance = max(COINCIDENCE, table.rows // 100) if column.kind.numeric else COINCIDENCE
            if equal >= chance or (equal == present > 0 and len(column.values) > 1):
                raise InputRejected(
                    f"Column '{column.name}' equals identifier '{name}' in {counted(equal, 'row')}.",
                    "Identifiers are never published: give the column role: identifier or dropped.",
                )


def _equal_rows(cells: pa.ChunkedArray, columns: Sequence[Column]) -> list[int]:
    """In how many rows each column says the same as the identifier."""
    equal = [0] * len(columns)
    texts = {column.name: pa.array(texts_of_values(column), pa.string()) for column in columns if not _plainly_numeric(column)}
    first = {name: np.append(compute.index_in(each, value_set=each).to_numpy(), -1) for name, each in texts.items()}
    for start, known in _stretches(cells):
        numbered = compute.match_substring_regex(known, NUMBER)
        numbers = compute.if_else(numbered, known, None).cast(pa.float64()).to_numpy(zero_copy_only=False)
        anybody = bool(compute.any(numbered).as_py())
        for place, column in enumerate(columns):
            codes = column.codes[start : start + len(known)]
            if column.name in texts:
                found = compute.index_in(known, value_set=texts[column.name]).fill_null(-2).to_numpy()
                equal[place] += int((found == first[column.name][codes]).sum())
            elif anybody and len(column.values):
                rows = np.flatnonzero((numbers == column.values[codes]) & (codes >= 0))
                said = known.take(pa.array(rows)).to_pylist()
                equal[place] += sum(value_text(column.values[codes[row]]) == text for row, text in zip(rows, said, strict=True))
    return equal


def _plainly_numeric(column: Column) -> bool:
    """Texts are then written only of numbers that an identifier might be."""
    return column.kind.numeric and column.kind is not Kind.DATE


def texts_of_values(column: Column) -> list[str]:
    """As they are written in a file. A set is written by its own separator."""
    if column.kind is Kind.SET:
        return [column.separator.join(value) or column.separator for value in column.values]
    if column.kind is Kind.DATE:
        return [str(day) for day in column.values.astype("datetime64[D]")]
    return [value_text(value) for value in column.values]
