"""`postgresql://USER@HOST/DATABASE/SCHEMA`: the address of a schema that is published to, and a connection to it.

A password stands in no address: libpq takes it from PGPASSWORD or from .pgpass. What the server says goes into no message, since it may
hold values: only the class of the error does.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl, unquote, urlsplit

from headgate.core.errors import StoreUnavailable
from tasks.runtime.server_certificates import CURES, certificate_problem

if TYPE_CHECKING:
    from psycopg import Connection

BUSY_SECONDS = 30
CONNECT_SECONDS = 10
OPTIONS = ("host", "port", "sslmode", "sslrootcert", "sslcert", "sslkey", "passfile", "target_session_attrs")
SCHEMA = re.compile("(?!pg_)[a-z_][a-z0-9_]{0,62}")
TAKEN = ("public", "headgate", "information_schema")  # everybody's, the ledger's, and the server's own
FORM = "Write postgresql://USER@HOST/DATABASE/SCHEMA; the schema's name is small letters, digits and '_', and it serves nothing else."
PASSWORD = "Leave the password out of it: set PGPASSWORD, or write it into ~/.pgpass (or the file that PGPASSFILE names)."
BUSY = ("55P03", "57014")
NOT_ALLOWED = ("42501", "25006", "3F000", "42P01", "42883")
REFUSES = ("password", "authentication", "no pg_hba.conf entry")  # libpq gives no state before a connection stands
PLACE = "Check that it runs, its address, and PGPASSWORD or .pgpass; then run the same command again."


@dataclass(frozen=True)
class DatabaseTarget:
    """Where a schema lies. `shown` is its address without who connects and how."""

    shown: str
    schema: str
    connection: Mapping[str, str] = field(repr=False)

    @contextmanager
    def connected(self) -> Iterator[Connection]:
        """One transaction, undone unless it is committed inside."""
        import psycopg
        from psycopg.conninfo import make_conninfo

        options = f"-c lock_timeout={BUSY_SECONDS}s -c idle_in_transaction_session_timeout=300s -c search_path=pg_catalog,pg_temp"
        state, certificate, refused = None, "", False
        try:
            with psycopg.connect(
                make_conninfo("", **self.connection),
                connect_timeout=CONNECT_SECONDS,
                application_name="headgate",
                client_encoding="utf8",
                options=f"{options} -c synchronous_commit=on -c default_transaction_isolation=read\\ committed",
                keepalives_idle=30,
                tcp_user_timeout=60_000,
            ) as connection:
                yield connection
                connection.rollback()
        except psycopg.Error as problem:
            state = problem.sqlstate or ("22000" if isinstance(problem, psycopg.DataError) else "")
            certificate, refused = certificate_problem(problem), not state and refuses_access(problem)
        if certificate:
            raise StoreUnavailable(f"The server of {self.shown} {certificate}.", CURES[certificate])
        if refused:
            raise StoreUnavailable(
                f"The database of {self.shown} refuses the name or the password.", "Correct the name in the address, PGPASSWORD or .pgpass."
            )
        if state is not None:
            raise self._refusal(state) from None

    def _refusal(self, state: str) -> StoreUnavailable:
        code = f" ({state})" if state else ""
        if state in BUSY:
            return StoreUnavailable(
                f"{self.shown} was in use for {BUSY_SECONDS} seconds.", "Wait for the others, then run the same command again."
            )
        if state in NOT_ALLOWED:
            return StoreUnavailable(
                f"The database role may not do at {self.shown} what publishing needs{code}.",
                "Grant it the rights that the guide for the operator lists.",
            )
        if state.startswith("23"):
            return StoreUnavailable(f"{self.shown} refuses what would change a version{code}.", "Find out who else publishes there.")
        if state[:2] in ("22", "54") or state == "42701":
            return StoreUnavailable(f"PostgreSQL cannot hold a table of this release{code}.", "Publish it to a folder or to S3.")
        return StoreUnavailable(f"The database of {self.shown} cannot be used{code}.", PLACE)


def refuses_access(problem: BaseException) -> bool:
    """Whether a server that answers lets nobody in by this name and password."""
    return any(word in str(problem) for word in REFUSES)


def database_target(address: str) -> DatabaseTarget:
    try:
        parts = urlsplit(address)
        options = dict(parse_qsl(parts.query, strict_parsing=True)) if parts.query else {}
        port = parts.port
    except ValueError:
        raise _malformed(FORM) from None
    user, _, host = parts.netloc.rpartition("@")
    if ":" in user or "password" in parts.query.casefold():
        raise _malformed(PASSWORD)
    database, _, schema = parts.path.removeprefix("/").partition("/")
    if parts.fragment or not database or not SCHEMA.fullmatch(schema) or schema in TAKEN or not set(options) <= set(OPTIONS):
        raise _malformed(FORM)
    host = (parts.hostname or "") + (f":{port}" if port else "")
    given = {"user": unquote(user), "host": unquote(parts.hostname or ""), "port": str(port or ""), "dbname": unquote(database), **options}
    return DatabaseTarget(f"postgresql://{host}/{database}/{schema}", schema, {name: value for name, value in given.items() if value})


def _malformed(cure: str) -> StoreUnavailable:
    return StoreUnavailable("The address of a PostgreSQL store is not one that headgate takes.", cure)
