"""The result of a query as a source. A query can only read, whatever it says: the database itself refuses everything else, and ends what
takes too long."""

from __future__ import annotations

import hashlib
import math
import os
import re
import sqlite3
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import psutil
import pyarrow as pa

from headgate.core.errors import InputRejected, StoreUnavailable
from policies.schema.source_key import SqlSource
from tasks.formats.cell_texts import cell_text, joined_texts, table_of_texts, text_column
from tasks.reading.source import Source, check_names
from tasks.runtime.input_limits import BYTES, CELLS

if TYPE_CHECKING:
    from sqlalchemy import Connection, Engine


SECONDS_VARIABLE = "HEADGATE_QUERY_SECONDS"
KINDS = "sqlite:///, postgresql+psycopg:// or mysql+pymysql://"
MYSQL = ("mysql", "mariadb")
DRIVERS = {"postgresql": "psycopg", **dict.fromkeys(MYSQL, "pymysql")}  # where the URL names none
GLOBAL_RIGHTS = re.compile(r"^GRANT ([^`]*) ON \*\.\* TO ")
HARMLESS_RIGHTS = {"USAGE", "SELECT", "SHOW DATABASES", "SHOW VIEW", "PROCESS"}
PATIENCE = 10  # seconds beyond the time that a query may take
LONGEST_VALUE = 2**18  # bytes; a query could make one that fills the memory, or in which a search takes minutes
LONGEST_PATTERN = 1_000  # bytes, of LIKE and GLOB
ROWS_AT_ONCE = 10_000
BESIDE_BYTES = 2**28  # what this process may take meanwhile for all else
MEMORY_EVERY_SECONDS = 0.05
LOOKED_EVERY = 100  # instructions of SQLite's machine, of which one may be a search through such a value
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
    url = _url(url_variable, what)
    where = f"The result of the query of {what}"
    table, digests = _run(url, url_variable, query, what, where)
    names = tuple(table.column_names)
    return Source(where, names, result_digest(names, digests), lambda wanted: table.select(list(wanted)))


def result_digest(names: Sequence[str], digests: Iterable[bytes]) -> str:
    """SHA-256 of a result, whatever order the server returned its rows in: the sorted digests of the rows, after the header's."""
    result = hashlib.sha256(row_digest(names))
    for digest in sorted(digests):
        result.update(digest)
    return result.hexdigest()


def row_digest(cells: Iterable[str | None]) -> bytes:
    whole = hashlib.sha256()
    for cell in cells:
        # Length before content, so that no two different rows serialize alike; a missing cell has a mark of its own.
        content = b"" if cell is None else cell.encode("utf-8")
        whole.update(b"-;" if cell is None else b"%d;" % len(content))
        whole.update(content)
    return whole.digest()


def without_password(url_variable: str) -> str:
    """Which database a URL names: what may change is the password."""
    from sqlalchemy import make_url
    from sqlalchemy.exc import SQLAlchemyError

    with suppress(SQLAlchemyError, ValueError):
        return make_url(_url(url_variable, "the source")).set(password=None).render_as_string()
    raise InputRejected(f"The URL in {url_variable} cannot be used.", "Write dialect+driver://user:password@host/database.")


def _url(variable: str, what: str) -> str:
    url = os.environ.get(variable, "").strip()
    if not url:
        raise InputRejected(f"The database URL of {what} is not set.", f"Put it into the environment variable {variable}.")
    return url


def _run(url: str, url_variable: str, query: str, what: str, where: str) -> tuple[pa.Table, list[bytes]]:
    engine = _engine(url, url_variable)
    try:
        table, digests = _fetch(engine, url_variable, query, what, where)
    finally:
        engine.dispose()
    if table is None:
        raise InputRejected(f"The query of {what} returns no columns.", "Write a SELECT.")
    return table, digests


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
        elif parsed.drivername in DRIVERS:
            parsed = parsed.set(drivername=f"{parsed.drivername}+{DRIVERS[dialect]}")
        if dialect in MYSQL:  # no file of this machine for a server that asks for one, and no waiting for one that is silent
            options["connect_args"] = {"local_infile": False, "read_timeout": math.ceil(query_seconds()) + PATIENCE}
        engine = create_engine(parsed, **options)
    except ImportError as problem:
        raise _no_driver(dialect, problem) from None
    except (SQLAlchemyError, ValueError) as problem:
        reason, cure = type(problem).__name__, "Write dialect+driver://user:password@host/database."
    if engine is None:
        raise InputRejected(f"The URL in {url_variable} cannot be used ({reason}).", cure)
    return engine


def _no_driver(dialect: str, problem: ImportError) -> InputRejected:
    """`mysql` is an extra; others are named by whoever writes the URL."""
    if dialect in MYSQL and problem.name == "pymysql":
        return InputRejected("The driver for mysql is not installed.", "pip install 'headgate[mysql]'")
    return InputRejected(f"The driver {problem.name}, which the URL names, is not installed.", f"Install it, or write {KINDS}.")


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
    """Everything but reading is refused before it begins. What is sorted stays in memory, in no file anywhere, and is bounded there."""
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
    powers = ", ".join(f"'{role}'" for role in POSTGRESQL_POWERS)
    roles = f"SELECT bool_or(pg_has_role(current_user, oid, 'member')) FROM pg_roles WHERE rolsuper OR rolname IN ({powers})"
    mighty = connection.execute(text(roles)).scalar()  # also a role that the query itself could take on
    if mighty is not False:
        raise InputRejected(f"The database user of {what} may do more than read.", "Use one that is not a superuser and may only SELECT.")
    _bound_spilling(connection)


def _bound_spilling(connection: Connection) -> None:
    """What a query sorts and joins may fill the server's disk before its time is over. It is bounded here where the role may say so, and
    never above what the server says; elsewhere only by the server."""
    from sqlalchemy import text
    from sqlalchemy.exc import DBAPIError

    most = math.ceil(BYTES.most / 1024)
    limit = "SELECT set_config('temp_file_limit', least(nullif(setting::bigint, -1), :most)::text, true)"
    with suppress(DBAPIError), connection.begin_nested():  # a role that may not has to leave the transaction as it was
        connection.execute(text(f"{limit} FROM pg_settings WHERE name = 'temp_file_limit'"), {"most": most})


def _mysql(connection: Connection, what: str) -> None:
    """Likewise, for MySQL and MariaDB. Whoever has rights over the whole server could write its files, or change who has rights. What the
    active roles allow is listed too."""
    connection.rollback()
    grants = [str(row[0]) for row in connection.exec_driver_sql("SHOW GRANTS")]
    over_all = {right.strip() for grant in grants for rights in GLOBAL_RIGHTS.findall(grant) for right in rights.split(",")}
    if over_all - HARMLESS_RIGHTS or any(grant.startswith("GRANT PROXY") for grant in grants):
        raise InputRejected(
            f"The database user of {what} may do more than read.", "Use a user that may only SELECT, and only from its tables."
        )
    version = str(connection.exec_driver_sql("SELECT VERSION()").scalar())
    limit = (
        f"max_statement_time = {query_seconds():f}" if "MariaDB" in version else f"max_execution_time = {int(query_seconds() * 1000) + 1}"
    )
    connection.exec_driver_sql(f"SET SESSION {limit}")
    connection.rollback()
    connection.exec_driver_sql("START TRANSACTION READ ONLY")


def _parts(connection: Connection, query: str) -> Iterator[tuple[tuple[str, ...], Sequence[Sequence[Any]]]]:
    """The names of the columns, and some rows at a time: a result may be larger than the memory."""
    result = connection.execution_options(stream_results=True).exec_driver_sql(query)
    if result.returns_rows:
        names = tuple(map(str, result.keys()))
        yield names, ()
        for rows in result.partitions(ROWS_AT_ONCE):
            yield names, rows


def _parts_of_subquery(connection: Connection, query: str) -> Iterator[tuple[tuple[str, ...], Sequence[Sequence[Any]]]]:
    """Where a table may stand only a query that reads may stand: no CALL, whose procedure could end the transaction and write. The server
    keeps the result and sends some rows at a time."""
    inner = query.strip().rstrip(";")
    return _parts(connection.execution_options(no_parameters=True), f"SELECT * FROM (\n{inner}\n) AS headgate_source")


def _parts_by_cursor(connection: Connection, query: str) -> Iterator[tuple[tuple[str, ...], Sequence[Sequence[Any]]]]:
    """PostgreSQL's drivers send several statements as readily as one, and the second could leave the transaction. So the query is handed
    over as a value, and the server opens a cursor for it, which takes one query only."""
    from sqlalchemy import text

    ends = time.monotonic() + query_seconds()
    connection.execute(text("SELECT set_config('headgate.query', :query, true)"), {"query": query})
    connection.exec_driver_sql(
        "DO $$ DECLARE source refcursor := 'headgate_source'; BEGIN OPEN source FOR EXECUTE current_setting('headgate.query'); END $$"
    )
    rows: Sequence[Sequence[Any]] | None = None
    while rows is None or rows:
        left = max(1, int((ends - time.monotonic()) * 1000))
        connection.exec_driver_sql(f"SET LOCAL statement_timeout = {left}")  # anew: the rows before may have changed it
        result = connection.exec_driver_sql(f"FETCH {ROWS_AT_ONCE} FROM headgate_source")
        names, rows = tuple(map(str, result.keys())), result.all()
        yield names, rows


READ_ONLY: Mapping[str, Callable[[Connection, str], None]] = {"sqlite": _sqlite, "postgresql": _postgresql, **dict.fromkeys(MYSQL, _mysql)}
PARTS = {"postgresql": _parts_by_cursor, **dict.fromkeys(MYSQL, _parts_of_subquery)}


def _fetch(engine: Engine, url_variable: str, query: str, what: str, where: str) -> tuple[pa.Table | None, list[bytes]]:
    """The cells as text, column by column, and the digest of each row."""
    from sqlalchemy.exc import SQLAlchemyError

    reached, size = False, 0
    parts: list[pa.Table] = []
    digests: list[bytes] = []
    try:
        with engine.connect() as connection:
            dialect = engine.dialect.name
            READ_ONLY[dialect](connection, what)
            reached = True
            try:
                for names, rows in PARTS.get(dialect, _parts)(connection, query):
                    check_names(names, where)
                    given = list(zip(*rows, strict=True)) if rows else [()] * len(names)
                    columns = [_texts(cells) for cells in given]
                    told = [text_column(cells, texts) for cells, texts in zip(given, columns, strict=True)]
                    parts.append(table_of_texts(dict(zip(names, told, strict=True))))
                    digests += map(row_digest, zip(*columns, strict=True))
                    CELLS.check(len(digests) * len(names), where)
                    size += parts[-1].nbytes
                    BYTES.check(size, where)
            except InputRejected:
                connection.invalidate()  # else the driver would read the rest of the result
                raise
            connection.rollback()
            return (joined_texts(parts) if parts else None), digests
    except (SQLAlchemyError, OSError) as problem:
        failed = type(problem).__name__
    if not reached:
        raise StoreUnavailable(f"The database of {what} could not be reached ({failed}).", f"Check the server and {url_variable}.")
    cure = f"Write one SELECT that ends within {query_seconds():g} seconds ({SECONDS_VARIABLE}), and try it in the database's own client."
    raise InputRejected(f"The query of {what} was refused by the database ({failed}).", cure)


def _texts(cells: Sequence[Any]) -> list[str | None]:
    return [cell_text(cell, "Cast them to text or numbers in the query.") for cell in cells]
