"""Parquet as a source: cells keep their types.

A column of a few bytes can stand for more than the machine holds: one long text and a million references to it, or texts that each repeat
the one before. So what a file says of itself is checked first, then what it unpacks to, before its texts are written out.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path, PurePath

import pyarrow as pa
import pyarrow.compute as compute
import pyarrow.parquet as parquet

from headgate.core.errors import InputRejected
from policies.schema.source_key import ParquetSource
from tasks.formats.file_kind import refuse_other_kinds
from tasks.reading.parquet_pages import require_true_pages
from tasks.reading.pinned_file import Content, PinnedFile, beginning, digest_of, shown_kind, stream_of
from tasks.reading.source import Source, check_cells, check_names
from tasks.runtime.input_limits import BYTES, CELLS
from tasks.runtime.wording import inside

MAGIC = b"PAR1"
TEXT, FIXED = "BYTE_ARRAY", "FIXED_LEN_BYTE_ARRAY"
DICTIONARIES = {"PLAIN_DICTIONARY", "RLE_DICTIONARY"}
REPEATING = "DELTA_BYTE_ARRAY"
MOST_AT_ONCE = 65_536  # rows
AT_ONCE = 2**20  # bytes of a column
BATCH_BYTES = 2**30
SUFFIXES = (".parquet", ".pq")


class OtherColumns(ValueError):
    """A row group has other columns than its file."""


class ParquetReader:
    def open_declared(self, key: ParquetSource, folder: Path) -> Source:
        return open_parquet(folder / key.path)

    def open_recognized(self, content: Content, name: str, where: str) -> Source | None:
        recognized = beginning(content, len(MAGIC)) == MAGIC or PurePath(name).suffix.lower() in SUFFIXES
        return open_parquet_bytes(content, where) if recognized else None


READER = ParquetReader()


def open_parquet(path: Path, what: str = "The source") -> Source:
    return open_parquet_bytes(PinnedFile(path, what), f"{what} {path.name}")


def open_parquet_bytes(content: Content, where: str) -> Source:
    refuse_other_kinds(shown_kind(stream_of(content)), where, "parquet")
    try:
        opened: parquet.ParquetFile | None = _file(content)
        names = tuple(opened.schema_arrow.names) if opened else ()
    except (pa.ArrowException, OSError, ValueError):
        opened = None
    if opened is None:
        raise InputRejected(
            f"{where} is not a whole Parquet file.",
            "It may be cut short or of another format: copy it again, or correct `kind` (text is kind: csv).",
        )
    file = opened
    check_names(names, where)

    def read(columns: Sequence[str]) -> Iterator[pa.Table]:
        try:
            yield from _parts(content, file, tuple(columns), where)
            return
        except OtherColumns:
            raise InputRejected(
                f"A row group of {inside(where)} does not have the columns that the file declares.",
                "Write the file again, with one schema for all its row groups.",
            ) from None
        except (pa.ArrowException, OSError, ValueError, OverflowError):
            pass
        raise InputRejected(f"{where} is damaged: its columns cannot be read.", "Copy or write it again.")

    return Source(where, names, digest_of(content), read)


def _file(content: Content, in_dictionaries: Sequence[str] = ()) -> parquet.ParquetFile:
    """Read some bytes of a column at a time: a row group may be as large as the file."""
    opened = pa.BufferReader(content) if isinstance(content, bytes) else pa.PythonFile(stream_of(content), mode="r")
    return parquet.ParquetFile(opened, read_dictionary=list(in_dictionaries), buffer_size=AT_ONCE, pre_buffer=False)


def _parts(content: Content, file: parquet.ParquetFile, columns: tuple[str, ...], where: str) -> Iterator[pa.Table]:
    read = frozenset(columns)  # there may be thousands
    chunks = [chunk for chunk in chunks_of(file) if chunk.path_in_schema.split(".")[0] in read]
    CELLS.check(sum(max(0, chunk.num_values) for chunk in chunks), where)
    check_cells(file.metadata.num_rows, len(columns), where)
    BYTES.check(sum(max(0, chunk.total_uncompressed_size) for chunk in chunks), f"{where}, unpacked,")
    BYTES.check(file.metadata.num_rows * _width(file.schema, read), f"{where}, unpacked,")
    require_true_pages(content, chunks)
    referring = sorted({chunk.path_in_schema for chunk in chunks if chunk.physical_type == TEXT and DICTIONARIES & {*chunk.encodings}})
    longest = max((chunk.total_uncompressed_size for chunk in chunks if REPEATING in chunk.encodings), default=0)
    rows_at_once = max(1, min(MOST_AT_ONCE, BATCH_BYTES // max(1, longest)))
    size = 0
    opened = _file(content, referring)
    for batch in opened.iter_batches(rows_at_once, columns=list(columns), use_pandas_metadata=False):
        size += sum(_written_out(column) for column in batch.columns)
        BYTES.check(size, f"{where}, unpacked,")
        yield _typed(pa.Table.from_batches([batch]).select(list(columns)), file.schema_arrow)


def _typed(part: pa.Table, schema: pa.Schema) -> pa.Table:
    """As the file types its columns; texts stay in the dictionary in which they were read."""
    kinds = [(field, schema.field(field.name)) for field in part.schema]
    return part.cast(pa.schema([read if pa.types.is_dictionary(read.type) else typed for read, typed in kinds]))


def chunks_of(file: parquet.ParquetFile) -> Iterator[parquet.ColumnChunkMetaData]:
    """A damaged description ends the whole process where it is asked for; where a batch of no rows begins, it is an exception."""
    places = range(file.metadata.num_columns)
    for group in range(file.metadata.num_row_groups):
        for _ in file.reader.iter_batches(0, row_groups=[group], column_indices=[*places], use_threads=False):
            break
        described = file.metadata.row_group(group)
        if described.num_columns != len(places):
            raise OtherColumns
        for place in places:
            chunk, declared = described.column(place), file.schema.column(place)
            if (chunk.physical_type, chunk.path_in_schema) != (declared.physical_type, declared.path):
                raise OtherColumns
            yield chunk


def _width(schema: parquet.ParquetSchema, read: frozenset[str]) -> int:
    """The bytes that every row of these columns has by their types, where the type says so."""
    parts = (schema.column(place) for place in range(len(schema)))
    return sum(part.length for part in parts if part.physical_type == FIXED and part.path.split(".")[0] in read)


def _written_out(column: pa.Array) -> int:
    """The bytes of an array when each cell holds its own text."""
    kind = column.type
    if pa.types.is_struct(kind):
        return sum(map(_written_out, column.flatten()))
    if pa.types.is_map(kind):
        return _written_out(column.keys) + _written_out(column.items)
    if pa.types.is_nested(kind):
        return _written_out(column.flatten()) + len(column)
    if not pa.types.is_dictionary(kind):
        return int(column.nbytes)
    lengths = compute.take(compute.binary_length(column.dictionary), column.indices)
    return int(compute.sum(lengths).as_py() or 0) + len(column)
