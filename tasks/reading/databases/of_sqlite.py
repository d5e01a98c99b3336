"""SQLite: the file is opened for reading, and everything but reading is refused before it begins."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import psutil

from headgate.core.errors import InputRejected
from tasks.reading.databases.query_limits import query_seconds
from tasks.runtime.input_limits import BYTES

if TYPE_CHECKING:
    from sqlalchemy import Connection

LONGEST_VALUE = 2**18  # bytes; a query could make one that fills the memory, or in which a search takes minutes
LONGEST_PATTERN = 1_000  # bytes, of LIKE and GLOB
BESIDE_BYTES = 2**28  # what this process may take meanwhile for all else
MEMORY_EVERY_SECONDS = 0.05
LOOKED_EVERY = 100  # instructions of SQLite's machine, of which one may be a search through such a value
READS = frozenset({sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_FUNCTION, sqlite3.SQLITE_RECURSIVE})


def sqlite_file(database: str, url_variable: str) -> sqlite3.Connection:
    """Opened for reading, by a file that must exist."""
    path = Path(database)
    if not path.is_absolute():
        raise InputRejected(
            f"The SQLite file in {url_variable} is not named by an absolute path.", "Write it in full: sqlite:////folder/file.db."
        )
    if not path.is_file():
        raise InputRejected(f"The SQLite file in {url_variable} does not exist.", "Correct the path; a new one is never made.")
    return sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True, check_same_thread=False)


def keep_sqlite_to_reading(connection: Connection, _what: str) -> None:
    """What is sorted stays in memory, in no file anywhere, and is bounded there."""
    file: Any = connection.connection.driver_connection
    file.execute("PRAGMA temp_store = MEMORY")
    file.set_progress_handler(_over(time.monotonic() + query_seconds()), LOOKED_EVERY)
    file.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, LONGEST_VALUE)
    file.setlimit(sqlite3.SQLITE_LIMIT_LIKE_PATTERN_LENGTH, LONGEST_PATTERN)
    file.set_authorizer(_only_reads)


def _over(ends: float) -> Callable[[], bool]:
    """Whether a query has taken its time, or more memory than a table may have bytes."""
    process = psutil.Process()
    most, looked = process.memory_info().rss + BYTES.most + BESIDE_BYTES, 0.0

    def over() -> bool:
        nonlocal looked
        now = time.monotonic()
        if now - looked < MEMORY_EVERY_SECONDS:
            return now > ends
        looked = now
        return now > ends or process.memory_info().rss > most

    return over


def _only_reads(action: int, *_about: object) -> int:
    return sqlite3.SQLITE_OK if action in READS else sqlite3.SQLITE_DENY
