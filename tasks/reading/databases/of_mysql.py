"""MySQL and MariaDB: a transaction that cannot write, by a user without rights over the whole server, and a query where only a table may
stand."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from headgate.core.errors import InputRejected
from tasks.reading.databases.query_limits import Part, parts_as_sent, query_seconds

if TYPE_CHECKING:
    from sqlalchemy import Connection

MYSQL = ("mysql", "mariadb")
GLOBAL_RIGHTS = re.compile(r"^GRANT ([^`]*) ON \*\.\* TO ")
HARMLESS_RIGHTS = {"USAGE", "SELECT", "SHOW DATABASES", "SHOW VIEW", "PROCESS"}


def keep_mysql_to_reading(connection: Connection, what: str) -> None:
    """Whoever has rights over the whole server could write its files, or change who has rights. What the
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


def parts_of_subquery(connection: Connection, query: str) -> Iterator[Part]:
    """Where a table may stand only a query that reads may stand: no CALL, whose procedure could end the transaction and write. The server
    keeps the result and sends some rows at a time."""
    inner = query.strip().rstrip(";")
    return parts_as_sent(connection.execution_options(no_parameters=True), f"SELECT * FROM (\n{inner}\n) AS headgate_source")
