"""PostgreSQL: a transaction that cannot write, by a role that may do nothing more, and a cursor that takes one query only."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from headgate.core.errors import InputRejected
from tasks.reading.databases.query_limits import ROWS_AT_ONCE, Part, query_seconds
from tasks.runtime.input_limits import BYTES

if TYPE_CHECKING:
    from sqlalchemy import Connection

POWERS = ("pg_execute_server_program", "pg_read_server_files", "pg_write_server_files")


def keep_postgresql_to_reading(connection: Connection, what: str) -> None:
    """A superuser, or a role that may run programs or use the server's files, could do more than read
    even so, and is refused."""
    from sqlalchemy import text

    connection.execute(text("SET TRANSACTION READ ONLY"))
    powers = ", ".join(f"'{role}'" for role in POWERS)
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


def parts_by_cursor(connection: Connection, query: str) -> Iterator[Part]:
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
