"""The result of a query as a source. Nothing is written: the transaction is rolled back, and read-only where the server knows how."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Sequence
from datetime import date, datetime, time
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from headgate.core.cells import format_number
from headgate.core.errors import InputRejected, StoreUnavailable
from policies.schema.source_key import SqlSource
from tasks.reading.source import Source, check_names

if TYPE_CHECKING:
    from sqlalchemy import Connection, Engine


class SqlReader:
    def open_declared(self, key: SqlSource, folder: Path) -> Source:
        return open_sql(key.url_env, key.query)

    def open_recognized(self, content: bytes, name: str, where: str) -> Source | None:
        """A query's result is no file."""
        return None


READER = SqlReader()


def open_sql(url_variable: str, query: str, what: str = "the source") -> Source:
    """Runs the query once; `what` is in it. The URL may hold a password: it is read from the environment and appears in no message."""
    url = os.environ.get(url_variable, "").strip()
    if not url:
        raise InputRejected(f"The database URL of {what} is not set.", f"Put it into the environment variable {url_variable}.")
    names, rows = _run(url, url_variable, query, what)
    where = f"The result of the query of {what}"
    check_names(names, where)
    columns = [_texts(cells) for cells in zip(*rows, strict=True)] if rows else [[] for _ in names]
    table = pa.table({name: pa.array(cells, type=pa.string()) for name, cells in zip(names, columns, strict=True)})
    return Source(where, names, result_digest(names, columns), lambda wanted: table.select(list(wanted)))


def result_digest(names: Sequence[str], columns: Sequence[Sequence[str | None]]) -> str:
    """SHA-256 of a result, whatever order the server returned its rows in: the sorted digests of the rows, after the header's."""

    def row_digest(cells: Iterable[str | None]) -> bytes:
        whole = hashlib.sha256()
        for cell in cells:
            # Length before content, so that no two different rows serialize alike; a missing cell has a mark of its own.
            content = b"" if cell is None else cell.encode("utf-8")
            whole.update(b"-;" if cell is None else b"%d;" % len(content))
            whole.update(content)
        return whole.digest()

    result = hashlib.sha256(row_digest(names))
    for digest in sorted(row_digest(cells) for cells in zip(*columns, strict=True)):
        result.update(digest)
    return result.hexdigest()


def _run(url: str, url_variable: str, query: str, what: str) -> tuple[tuple[str, ...], list[tuple[Any, ...]]]:
    engine = _engine(url, url_variable)
    try:
        names, rows = _fetch(_connected(engine, url_variable, what), query, what)
    finally:
        engine.dispose()
    if not names:
        raise InputRejected(f"The query of {what} returns no columns.", "Write a SELECT.")
    return names, rows


def _engine(url: str, url_variable: str) -> Engine:
    from sqlalchemy import create_engine
    from sqlalchemy.exc import SQLAlchemyError

    engine: Engine | None = None
    try:
        engine = create_engine(url)
    except ImportError as problem:
        reason, cure = f"the driver {problem.name} is not installed", "Install it, such as psycopg for postgresql+psycopg://…"
    except (SQLAlchemyError, ValueError) as problem:
        reason, cure = type(problem).__name__, "Write dialect+driver://user:password@host/database."
    if engine is None:
        raise InputRejected(f"The URL in {url_variable} cannot be used ({reason}).", cure)
    file = engine.url.database if engine.dialect.name == "sqlite" else None
    if file not in (None, "", ":memory:") and not Path(str(file)).is_file():
        raise InputRejected(f"The SQLite file in {url_variable} does not exist.", "Correct the path; a new one is never made.")
    return engine


def _connected(engine: Engine, url_variable: str, what: str) -> Connection:
    from sqlalchemy.exc import SQLAlchemyError

    options = {"postgresql_readonly": True} if engine.dialect.name == "postgresql" else {}
    try:
        return engine.connect().execution_options(**options)
    except (SQLAlchemyError, OSError) as problem:
        failed = type(problem).__name__
    raise StoreUnavailable(f"The database of {what} could not be reached ({failed}).", f"Check the server and {url_variable}.")


def _fetch(connection: Connection, query: str, what: str) -> tuple[tuple[str, ...], list[tuple[Any, ...]]]:
    from sqlalchemy import text
    from sqlalchemy.exc import SQLAlchemyError

    try:
        with connection:
            result = connection.execute(text(query))
            names = tuple(str(name) for name in list(result.keys())) if result.returns_rows else ()
            rows = [tuple(row) for row in result] if result.returns_rows else []
            connection.rollback()
            return names, rows
    except (SQLAlchemyError, OSError) as problem:
        failed = type(problem).__name__
    cure = "Run it in the database's own client and correct it."
    raise InputRejected(f"The query of {what} was refused by the database ({failed}).", cure)


def _texts(cells: Sequence[Any]) -> list[str | None]:
    """Cells as a CSV export would hold them: dates in ISO form, whole numbers without a fraction, null as missing."""
    return [_cell_text(cell) for cell in cells]


def _cell_text(cell: Any) -> str | None:
    if cell is None or (isinstance(cell, float) and cell != cell):
        return None
    if isinstance(cell, str):
        return cell if cell != "" else None
    if isinstance(cell, datetime):
        return cell.date().isoformat() if cell.time() == time() and cell.tzinfo is None else cell.isoformat()
    if isinstance(cell, date):
        return cell.isoformat()
    if isinstance(cell, float):
        return format_number(cell)
    if isinstance(cell, bool | int | Decimal):
        return str(cell)
    raise InputRejected(f"The query returns cells of type {type(cell).__name__}.", "Cast them to text or numbers in the query.")
