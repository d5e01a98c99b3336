"""The result of a query as a source. A query can only read, whatever it says: the database itself refuses everything else, and ends what
takes too long."""

from __future__ import annotations

import hashlib
import math
import os
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from headgate.core.errors import InputRejected, StoreUnavailable
from policies.schema.source_key import SqlSource
from tasks.formats.cell_texts import cell_text, table_of_texts, text_column
from tasks.reading.databases.of_mysql import MYSQL, keep_mysql_to_reading, parts_of_subquery
from tasks.reading.databases.of_postgresql import keep_postgresql_to_reading, parts_by_cursor
from tasks.reading.databases.of_sqlite import keep_sqlite_to_reading, sqlite_file
from tasks.reading.databases.query_limits import SECONDS_VARIABLE, parts_as_sent, query_seconds
from tasks.reading.gathered_cells import Gathering
from tasks.reading.pinned_file import Content
from tasks.reading.source import Source, check_names
from tasks.runtime.input_limits import BYTES, CELLS

if TYPE_CHECKING:
    from sqlalchemy import Connection, Engine


KINDS = "sqlite:///, postgresql+psycopg:// or mysql+pymysql://"
DRIVERS = {"postgresql": "psycopg", **dict.fromkeys(MYSQL, "pymysql")}  # where the URL names none
DIGEST = hashlib.sha256().digest_size
PATIENCE = 10  # seconds beyond the time that a query may take


class SqlReader:
    def open_declared(self, key: SqlSource, folder: Path) -> Source:
        return open_sql(key.url_env, key.query)

    def open_for(self, key: SqlSource, folder: Path, wanted: Collection[str]) -> Source:
        return open_sql(key.url_env, key.query, wanted=wanted)

    def open_recognized(self, content: Content, name: str, where: str) -> Source | None:
        """A query's result is no file."""
        return None


READER = SqlReader()


def open_sql(url_variable: str, query: str, what: str = "the source", wanted: Collection[str] | None = None) -> Source:
    """Runs the query once; `what` is in it. The URL may hold a password: it is read from the environment and appears in no message.
    `wanted`: of the other columns nothing is kept but what the digest needs."""
    url = _url(url_variable, what)
    where = f"The result of the query of {what}"
    names, table, digests = _run(url, url_variable, query, what, where, wanted)
    return Source(where, names, result_digest(names, digests), lambda wanted: [table.select(list(wanted))])


def result_digest(names: Sequence[str], digests: bytes | bytearray) -> str:
    """SHA-256 of a result, whatever order the server returned its rows in: the sorted digests of the rows, after the header's."""
    result = hashlib.sha256(row_digest(names))
    if digests:
        result.update(np.sort(np.frombuffer(digests, dtype=f"S{DIGEST}")).tobytes())
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


def _run(
    url: str, url_variable: str, query: str, what: str, where: str, wanted: Collection[str] | None
) -> tuple[tuple[str, ...], pa.Table, bytearray]:
    engine = _engine(url, url_variable)
    try:
        names, table, digests = _fetch(engine, url_variable, query, what, where, wanted)
    finally:
        engine.dispose()
    if not names:
        raise InputRejected(f"The query of {what} returns no columns.", "Write a SELECT.")
    return names, table, digests


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
            options["creator"], parsed = partial(sqlite_file, str(parsed.database), url_variable), parsed.set(drivername=dialect)
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


READ_ONLY: Mapping[str, Callable[[Connection, str], None]] = {
    "sqlite": keep_sqlite_to_reading,
    "postgresql": keep_postgresql_to_reading,
    **dict.fromkeys(MYSQL, keep_mysql_to_reading),
}
PARTS = {"postgresql": parts_by_cursor, **dict.fromkeys(MYSQL, parts_of_subquery)}


def _fetch(
    engine: Engine, url_variable: str, query: str, what: str, where: str, wanted: Collection[str] | None
) -> tuple[tuple[str, ...], pa.Table, bytearray]:
    """The names of all columns; the cells of those that are wanted as text; and the digests of all rows, one behind the other."""
    from sqlalchemy.exc import SQLAlchemyError

    reached, size = False, 0
    names: tuple[str, ...] = ()
    gathering, digests = Gathering(where), bytearray()
    try:
        with engine.connect() as connection:
            dialect = engine.dialect.name
            READ_ONLY[dialect](connection, what)
            reached = True
            try:
                for names, rows in PARTS.get(dialect, parts_as_sent)(connection, query):
                    check_names(names, where)
                    given = list(zip(*rows, strict=True)) if rows else [()] * len(names)
                    columns = [_texts(cells) for cells in given]
                    told = [text_column(cells, texts) for cells, texts in zip(given, columns, strict=True)]
                    part = table_of_texts(dict(zip(names, told, strict=True)))
                    digests += b"".join(map(row_digest, zip(*columns, strict=True)))
                    size += part.nbytes
                    CELLS.check(len(digests) // DIGEST * len(names), where)
                    BYTES.check(size, where)
                    gathering.add(part.select([name for name in names if wanted is None or name in wanted]))
            except InputRejected:
                connection.invalidate()  # else the driver would read the rest of the result
                raise
            connection.rollback()
            return names, gathering.table(), digests
    except (SQLAlchemyError, OSError) as problem:
        failed = type(problem).__name__
    if not reached:
        raise StoreUnavailable(f"The database of {what} could not be reached ({failed}).", f"Check the server and {url_variable}.")
    cure = f"Write one SELECT that ends within {query_seconds():g} seconds ({SECONDS_VARIABLE}), and try it in the database's own client."
    raise InputRejected(f"The query of {what} was refused by the database ({failed}).", cure)


def _texts(cells: Sequence[Any]) -> list[str | None]:
    return [cell_text(cell, "Cast them to text or numbers in the query.") for cell in cells]
