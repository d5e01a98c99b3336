"""The result of a query as a source. A query can only read, whatever it says: the database itself refuses everything else, and ends what
takes too long."""

from __future__ import annotations

import hashlib
import os
import re
import sqlite3
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date, datetime
from datetime import time as time_of_day
from decimal import Decimal
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from headgate.core.cells import format_number
from headgate.core.errors import InputRejected, StoreUnavailable
from policies.schema.source_key import SqlSource
from tasks.reading.source import Source, check_names
from tasks.runtime.input_limits import BYTES, CELLS

if TYPE_CHECKING:
    from sqlalchemy import Connection, Engine


SECONDS_VARIABLE = "HEADGATE_QUERY_SECONDS"
KINDS = "sqlite:///, postgresql+psycopg:// or mysql+pymysql://"
LONGEST_VALUE = 2**20  # bytes; a query could make one that fills the memory
READS = frozenset({sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_FUNCTION, sqlite3.SQLITE_RECURSIVE})
POSTGRESQL_POWERS = ("pg_execute_server_program", "pg_read_server_files", "pg_write_server_files")


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
        names, rows = _fetch(engine, url_variable, query, what)
    finally:
        engine.dispose()
    if not names:
        raise InputRejected(f"The query of {what} returns no columns.", "Write a SELECT.")
    return names, rows


def _engine(url: str, url_variable: str) -> Engine:
    from sqlalchemy import create_engine, make_url
    from sqlalchemy.exc import SQLAlchemyError

    engine: Engine | None = None
    try:
        parsed = make_url(url)
        dialect = parsed.get_backend_name()
        if dialect not in READ_ONLY:
            raise InputRejected(f"The URL in {url_variable} names a kind of database that headgate cannot open read-only.", f"Use {KINDS}.")
        options: dict[str, Any] = {}
        if dialect == "sqlite":  # by Python's own driver, which can be told what a query may do
            options["creator"], parsed = partial(_sqlite_file, str(parsed.database), url_variable), parsed.set(drivername=dialect)
        engine = create_engine(parsed, **options)
    except ImportError as problem:
        reason, cure = f"the driver {problem.name} is not installed", "Install it, such as psycopg for postgresql+psycopg://…"
    except (SQLAlchemyError, ValueError) as problem:
        reason, cure = type(problem).__name__, "Write dialect+driver://user:password@host/database."
    if engine is None:
        raise InputRejected(f"The URL in {url_variable} cannot be used ({reason}).", cure)
    return engine


def _sqlite_file(database: str, url_variable: str) -> sqlite3.Connection:
    """Opened for reading, by a file that must exist."""
    path = Path(database)
    if not path.is_absolute():
        raise InputRejected(
            f"The SQLite file in {url_variable} is not named by an absolute path.", "Write it in full: sqlite:////folder/file.db."
        )
    if not path.is_file():
        raise InputRejected(f"The SQLite file in {url_variable} does not exist.", "Correct the path; a new one is never made.")
    return sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True, check_same_thread=False)


def _sqlite(connection: Connection, _what: str) -> None:
    """Everything but reading is refused before it begins."""
    ends = time.monotonic() + query_seconds()
    file: Any = connection.connection.driver_connection
    file.set_progress_handler(lambda: time.monotonic() > ends, 100_000)
    file.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, LONGEST_VALUE)
    file.set_authorizer(_only_reads)


def _only_reads(action: int, *_about: object) -> int:
    return sqlite3.SQLITE_OK if action in READS else sqlite3.SQLITE_DENY


def query_seconds() -> float:
    """How long a query may take: HEADGATE_QUERY_SECONDS, or an hour."""
    text = os.environ.get(SECONDS_VARIABLE, "3600")
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not 0.0 < seconds < float("inf"):
        raise InputRejected(f"{SECONDS_VARIABLE} is not a number of seconds.", "Write a number above 0, such as 3600.")
    return seconds


def _postgresql(connection: Connection, what: str) -> None:
    """A transaction that cannot write. A superuser, or a role that may run programs or use the server's files, could do more than read
    even so, and is refused."""
    from sqlalchemy import text

    connection.execute(text("SET TRANSACTION READ ONLY"))
    connection.execute(text(f"SET LOCAL statement_timeout = {int(query_seconds() * 1000)}"))
    powers = " OR ".join(f"pg_has_role(current_user, '{role}', 'member')" for role in POSTGRESQL_POWERS)
    mighty = connection.execute(text(f"SELECT rolsuper OR {powers} FROM pg_roles WHERE rolname = current_user")).scalar()
    if mighty is not False:
        raise InputRejected(f"The database user of {what} may do more than read.", "Use a user that is no superuser and may only SELECT.")


def _mysql(connection: Connection, what: str) -> None:
    """Likewise, against users who may write files of the server."""
    from sqlalchemy import text

    connection.rollback()
    connection.execute(text("SET SESSION TRANSACTION READ ONLY"))
    connection.execute(text(f"SET SESSION max_execution_time = {int(query_seconds() * 1000)}"))
    grants = [str(row[0]).upper() for row in connection.execute(text("SHOW GRANTS"))]
    if any(re.search(r"GRANT (ALL PRIVILEGES|[^`]*\b(FILE|SUPER)\b)[^`]* ON \*\.\*", grant) for grant in grants):
        raise InputRejected(f"The database user of {what} may do more than read.", "Use a user that may only SELECT.")


def _cursor(connection: Connection, query: str) -> str:
    """PostgreSQL's drivers send several statements as readily as one, and the second could leave the transaction. So the query is handed
    over as a value, and the server opens a cursor for it, which takes one query only."""
    from sqlalchemy import text

    connection.execute(text("SELECT set_config('headgate.query', :query, true)"), {"query": query})
    connection.exec_driver_sql(
        "DO $$ DECLARE source refcursor := 'headgate_source'; BEGIN OPEN source FOR EXECUTE current_setting('headgate.query'); END $$"
    )
    return "FETCH ALL FROM headgate_source"


OPENED: Mapping[str, Callable[[Connection, str], str]] = {
    "sqlite": lambda _connection, query: query,
    "postgresql": _cursor,
    "mysql": lambda _connection, query: query,
}
READ_ONLY: Mapping[str, Callable[[Connection, str], None]] = {"sqlite": _sqlite, "postgresql": _postgresql, "mysql": _mysql}


def _fetch(engine: Engine, url_variable: str, query: str, what: str) -> tuple[tuple[str, ...], list[tuple[Any, ...]]]:
    """The names of the columns and the rows."""
    from sqlalchemy.exc import SQLAlchemyError

    reached = False
    try:
        with engine.connect() as connection:
            READ_ONLY[engine.dialect.name](connection, what)
            reached = True
            result = connection.exec_driver_sql(OPENED[engine.dialect.name](connection, query))
            names = tuple(str(name) for name in list(result.keys())) if result.returns_rows else ()
            rows, most, room = [], CELLS.most // max(1, len(names)), BYTES.most
            for row in result if result.returns_rows else ():
                rows.append(tuple(row))
                room -= sum(len(cell) for cell in row if isinstance(cell, str | bytes))
                if len(rows) > most or room < 0:
                    (CELLS if len(rows) > most else BYTES).refuse(f"The result of the query of {what}")
            connection.rollback()
            return names, rows
    except (SQLAlchemyError, OSError) as problem:
        failed = type(problem).__name__
    if not reached:
        raise StoreUnavailable(f"The database of {what} could not be reached ({failed}).", f"Check the server and {url_variable}.")
    cure = f"Write one SELECT that ends within {query_seconds():g} seconds ({SECONDS_VARIABLE}), and try it in the database's own client."
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
        return cell.date().isoformat() if cell.time() == time_of_day() and cell.tzinfo is None else cell.isoformat()
    if isinstance(cell, date):
        return cell.isoformat()
    if isinstance(cell, float):
        return format_number(cell)
    if isinstance(cell, bool | int | Decimal):
        return str(cell)
    raise InputRejected(f"The query returns cells of type {type(cell).__name__}.", "Cast them to text or numbers in the query.")
