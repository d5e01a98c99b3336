"""`hg.read`: a published folder as frames. The one place of the library that reads files (docs/decisions/0013).

It reads what the manifest lists, by names that it makes itself, and follows no link inside the folder. What it reads must have the hashes
of the manifest; who signed that is `headgate verify`'s to say.
"""

from __future__ import annotations

import errno
import hashlib
import io
import json
import os
import stat
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pandas as pd

from headgate.core.errors import InputRejected, IntegrityBroken, StoreUnavailable
from headgate.released.description import AGAIN, DATAPACKAGE, DescribedTable, TableFile, absent_version, described, insensitive_columns
from headgate.released.released_tables import Release, release_of

MANIFEST, WITHDRAWN = "manifest.json", "withdrawn.json"
MOST_BYTES = 2**33  # of a file
MOST_DESCRIBED = 2**28  # of a manifest
MOST_CELLS = 2**31
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


def read(folder: str | os.PathLike[str]) -> Release:
    """The tables of one published version, such as `hg.read("releases/patients/latest")["table-1"].frame`."""
    named = Path(folder).resolve()  # the reader's own way to it may go through links, such as `latest`
    if not named.exists():
        raise absent_version(str(folder))
    if not named.is_dir():
        raise InputRejected(f"{folder} is not a folder.", "Name a version's folder, such as …/latest.")
    with _opened(named.parent, named.name) as version:
        description = described(_manifest(version, str(folder)))
        if WITHDRAWN in os.listdir(version):
            warnings.warn(f"This version of {description.dataset} was withdrawn: do not use it.", UserWarning, stacklevel=2)
        beside = None if description.package is None else _document(_sealed(version, description.package), DATAPACKAGE)
        return release_of(description, lambda table: _frame(version, table), insensitive_columns(beside))


@contextmanager
def _opened(folder: Path | int, name: str) -> Iterator[int]:
    """A folder inside another, which is no link."""
    try:
        descriptor = os.open(os.path.join(folder, name), _FOLDER) if isinstance(folder, Path) else os.open(name, _FOLDER, dir_fd=folder)
    except OSError as problem:
        raise _refused(name, problem) from None
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def _manifest(version: int, folder: str) -> dict[str, Any]:
    if MANIFEST not in os.listdir(version):
        raise InputRejected(f"{folder} is not a published version: it has no {MANIFEST}.", "Name a version's folder, such as …/latest.")
    return _document(_content(version, MANIFEST, MANIFEST, MOST_DESCRIBED), MANIFEST)


def _document(content: bytes, path: str) -> dict[str, Any]:
    try:
        document = json.loads(content)
    except (ValueError, RecursionError):
        document = None
    if not isinstance(document, dict):
        raise IntegrityBroken(f"{path} is not one that this version reads.", AGAIN)
    return document


def _frame(version: int, table: DescribedTable) -> pd.DataFrame:
    parts = [_parsed(_sealed(version, file), file) for file in table.files]
    return parts[0] if len(parts) == 1 else pd.concat(parts, ignore_index=True)


def _sealed(version: int, file: TableFile) -> bytes:
    """The path's form was checked where it was described: it has one or two folders."""
    *folders, name = file.path.split("/")
    content = _below(version, folders, name, file.path, file.bytes)
    if len(content) != file.bytes or hashlib.sha256(content).hexdigest() != file.sha256:
        raise IntegrityBroken(f"{file.path} is not the file that was sealed: its hash differs.", AGAIN)
    return content


def _below(folder: int, folders: list[str], name: str, path: str, size: int) -> bytes:
    if not folders:
        return _content(folder, name, path, min(size, MOST_BYTES))
    with _opened(folder, folders[0]) as inner:
        return _below(inner, folders[1:], name, path, size)


def _content(folder: int, name: str, path: str, most: int) -> bytes:
    try:
        with os.fdopen(os.open(name, _FILE, dir_fd=folder), "rb") as file:
            status = os.fstat(file.fileno())
            if not stat.S_ISREG(status.st_mode):
                raise IntegrityBroken(f"{path} is not a regular file.", AGAIN)
            if status.st_size > most:
                raise IntegrityBroken(f"{path} is larger than it should be.", AGAIN)
            return file.read(most)
    except OSError as problem:
        raise _refused(path, problem) from None


def _parsed(content: bytes, file: TableFile) -> pd.DataFrame:
    """All columns as they were published. What neither pandas nor Arrow can read is named without a cell."""
    try:
        if file.form == "csv":
            return pd.read_csv(io.BytesIO(content), dtype=str, keep_default_na=False, na_values=[""], skip_blank_lines=False)
        return _parquet(content, file.path)
    except IntegrityBroken:
        raise
    except Exception as foreign:  # noqa: BLE001 - a stranger's file may break any reader, in words that hold its cells
        raise IntegrityBroken(f"{file.path} cannot be read ({type(foreign).__name__}).", AGAIN) from None


def _parquet(content: bytes, path: str) -> pd.DataFrame:
    import pyarrow as pa
    import pyarrow.parquet as parquet

    opened = parquet.ParquetFile(pa.BufferReader(content))
    said = opened.metadata
    unpacked = sum(said.row_group(group).total_byte_size for group in range(said.num_row_groups))
    if said.num_rows * said.num_columns > MOST_CELLS or unpacked > MOST_BYTES:
        raise IntegrityBroken(f"{path} unpacks to more than is read.", "Read its CSV, or ask the publisher for parts.")
    frame: pd.DataFrame = opened.read().to_pandas(types_mapper=pd.ArrowDtype, ignore_metadata=True)
    return frame


def _refused(path: str, problem: OSError) -> IntegrityBroken | StoreUnavailable:
    if problem.errno == errno.ENOENT:
        return IntegrityBroken(f"{path} is missing.", AGAIN)
    if problem.errno in (errno.ELOOP, errno.ENOTDIR, errno.EISDIR, errno.ENXIO):
        return IntegrityBroken(f"{path} is a link, or not what it should be.", AGAIN)
    return StoreUnavailable(f"{path} cannot be read ({os.strerror(problem.errno or 0)}).", "Check its permissions.")
