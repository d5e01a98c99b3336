"""Parquet as a source: cells keep their types."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path, PurePath

import pyarrow as pa
import pyarrow.parquet as parquet

from headgate.core.errors import InputRejected
from policies.schema.source_key import ParquetSource
from tasks.reading.source import Source, check_names, read_bytes

MAGIC = b"PAR1"
SUFFIXES = (".parquet", ".pq")


class ParquetReader:
    def open_declared(self, key: ParquetSource, folder: Path) -> Source:
        return open_parquet(folder / key.path)

    def open_recognized(self, content: bytes, name: str, where: str) -> Source | None:
        recognized = content.startswith(MAGIC) or PurePath(name).suffix.lower() in SUFFIXES
        return open_parquet_bytes(content, where) if recognized else None


READER = ParquetReader()


def open_parquet(path: Path, what: str = "The source") -> Source:
    return open_parquet_bytes(read_bytes(path, what), f"{what} {path.name}")


def open_parquet_bytes(content: bytes, where: str) -> Source:
    try:
        opened: parquet.ParquetFile | None = parquet.ParquetFile(pa.BufferReader(content))
        names = tuple(opened.schema_arrow.names) if opened else ()
    except (pa.ArrowException, OSError, ValueError):
        opened = None
    if opened is None:
        raise InputRejected(
            f"{where} is not a whole Parquet file.", "It may be cut short or of another format: copy it again, or correct `kind`."
        )
    file = opened
    check_names(names, where)

    def read(columns: Sequence[str]) -> pa.Table:
        try:
            return file.read(columns=list(columns), use_pandas_metadata=False)
        except (pa.ArrowException, OSError, ValueError):
            pass
        raise InputRejected(f"{where} is damaged: its columns cannot be read.", "Copy or write it again.")

    return Source(where, names, hashlib.sha256(content).hexdigest(), read)
