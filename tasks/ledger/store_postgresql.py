"""A ledger in PostgreSQL: a connection for each use, one writer at a time by an advisory lock, refused in words when it cannot be used.

The schema is made by the first role that may; afterwards headgate needs no more than the rights of docs/guide-operator.md. Neither URL
nor anything that the server says goes into a message: both may hold more than is anybody's business.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import astuple, dataclass, field, fields
from functools import cache
from pathlib import Path
from typing import Any

from sqlalchemy import URL, Connection, Engine, NullPool, Select, create_engine, delete, exists, insert, make_url, select, text
from sqlalchemy.exc import ArgumentError, DBAPIError

from headgate.core.errors import HeadgateError, IntegrityBroken, StoreUnavailable
from tasks.ledger import postgresql_schema
from tasks.ledger.chain import Entry
from tasks.ledger.ledger_store import LAST, LedgerTransaction, LockRow, NothingStored
from tasks.ledger.postgresql_schema import EVENTS, LOCKS, SCHEMA
from tasks.ledger.wanted_events import Wanted, places
from tasks.runtime.server_certificates import CURES, certificate_problem
from tasks.stores.database_target import refuses_access

BUSY_SECONDS = 30
CONNECT_SECONDS = 10
TAKEN_AT_ONCE = 20
WRITERS = 0x68674C31  # the advisory lock that a writer holds
OURS = ("postgresql", "postgresql+psycopg")
NAMED = "Write postgresql://USER:PASSWORD@HOST/DATABASE."
ENTRY = [EVENTS.columns[column.name] for column in fields(Entry)]
LOCK = [LOCKS.columns[column.name] for column in fields(LockRow)]
BUSY = ("55P03", "57014")
NOT_ALLOWED = ("42501", "25006", "3F000", "42P01")


def open_store(url: str) -> PostgresqlStore:
    try:
        parsed = make_url(url)
    except (ArgumentError, ValueError):
        parsed = None
    if parsed is None or parsed.drivername not in OURS or not parsed.database:
        raise StoreUnavailable("HEADGATE_DATABASE_URL does not name a PostgreSQL database.", NAMED)
    return PostgresqlStore(parsed.set(drivername="postgresql+psycopg"))


@cache
def _engine(url: URL) -> Engine:
    options = (
        f"-c lock_timeout={BUSY_SECONDS}s -c statement_timeout=300s -c idle_in_transaction_session_timeout=300s -c search_path=pg_catalog"
    )
    arguments = {"connect_timeout": CONNECT_SECONDS, "application_name": "headgate", "options": options}
    return create_engine(url, poolclass=NullPool, hide_parameters=True, connect_args=arguments)


@dataclass(frozen=True)
class PostgresqlStore:
    """One database. Its password is shown nowhere."""

    url: URL = field(repr=False)

    @contextmanager
    def reading(self) -> Iterator[LedgerTransaction]:
        with self._connected("REPEATABLE READ", readonly=True) as connection:
            if not postgresql_schema.exists(connection):
                yield NothingStored()
                return
            _require_ours(connection)
            yield PostgresqlTransaction(connection)

    @contextmanager
    def writing(self) -> Iterator[LedgerTransaction]:
        with self._connected("READ COMMITTED") as connection:
            connection.execute(text("SET LOCAL synchronous_commit = on"))
            connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": WRITERS})
            if not postgresql_schema.exists(connection):
                _upgrade(connection)
            _require_ours(connection)
            yield PostgresqlTransaction(connection)

    def weaknesses(self) -> tuple[str, ...]:
        with self._connected("READ COMMITTED", readonly=True) as connection:
            return postgresql_schema.weaknesses_of(connection) if postgresql_schema.exists(connection) else ()

    @contextmanager
    def _connected(self, isolation: str, readonly: bool = False) -> Iterator[Connection]:
        refusal: HeadgateError | None = None
        try:
            with _engine(self.url).connect() as plain:
                connection = plain.execution_options(isolation_level=isolation, postgresql_readonly=readonly)
                with connection.begin():
                    yield connection
        except DBAPIError as problem:
            refusal = _refusal(getattr(problem.orig, "sqlstate", None) or "", refuses_access(problem.orig or problem))
            if certificate := certificate_problem(problem):
                refusal = StoreUnavailable(f"The server of the ledger's database {certificate}.", CURES[certificate])
        if refusal is not None:
            raise refusal


@dataclass(frozen=True)
class PostgresqlTransaction:
    connection: Connection

    def entries(self, release: str | None = None) -> tuple[Entry, ...]:
        return self._entries(select(*ENTRY) if release is None else select(*ENTRY).where(EVENTS.c.release == release))

    def entries_from(self, seq: int) -> tuple[Entry, ...]:
        return self._entries(select(*ENTRY).where(EVENTS.c.seq >= seq))

    def following(self, seq: int, most: int) -> tuple[tuple[Entry, str], ...]:
        query = select(*ENTRY, EVENTS.c.subject).where(EVENTS.c.seq >= seq).order_by(EVENTS.c.seq).limit(most)
        return tuple((Entry(*row), subject) for *row, subject in self.connection.execute(query))

    def last(self, release: str | None = None) -> Entry | None:
        query = select(*ENTRY) if release is None else select(*ENTRY).where(EVENTS.c.release == release)
        newest = EVENTS.c.seq if release is None else EVENTS.c.version
        row = self.connection.execute(query.order_by(newest.desc()).limit(1)).first()
        return None if row is None else Entry(*row)

    def about(self, type: str, subject: str, prefix: bool = False) -> Iterator[Entry]:
        wanted = (EVENTS.c.subject >= subject) & (EVENTS.c.subject <= subject + LAST) if prefix else EVENTS.c.subject == subject
        query = select(*ENTRY).where(EVENTS.c.type == type, wanted).order_by(EVENTS.c.seq.desc()).limit(TAKEN_AT_ONCE)
        rows = self.connection.execute(query).all()
        while rows:
            yield from (Entry(*row) for row in rows)
            rows = self.connection.execute(query.where(EVENTS.c.seq < rows[-1].seq)).all()

    def beginning(self, prefix: str) -> tuple[str, ...]:
        releases = EVENTS.c.release
        query = select(releases).where(releases >= prefix, releases <= prefix + LAST).distinct().order_by(releases)
        return tuple(self.connection.execute(query).scalars())

    def subjects(self) -> tuple[str, ...]:
        return tuple(self.connection.execute(select(EVENTS.c.subject).order_by(EVENTS.c.seq)).scalars())

    def having(self, type: str, lacking: Collection[str]) -> tuple[Entry, ...]:
        other = EVENTS.alias()
        ended = exists().where(other.c.release == EVENTS.c.release, other.c.type.in_(lacking))
        query = select(*ENTRY).where(EVENTS.c.type == type, ~ended).order_by(EVENTS.c.seq)
        return tuple(Entry(*row) for row in self.connection.execute(query))

    def first(self, release: str) -> Entry | None:
        row = self.connection.execute(select(*ENTRY).where(EVENTS.c.release == release).order_by(EVENTS.c.version).limit(1)).first()
        return None if row is None else Entry(*row)

    def at(self, seq: int) -> Entry | None:
        row = self.connection.execute(select(*ENTRY).where(EVENTS.c.seq == seq)).first()
        return None if row is None else Entry(*row)

    def listed(self, wanted: Wanted, before: int | None, most: int) -> tuple[Entry, ...]:
        newest = self.last()
        low, high = places(wanted, 0 if newest is None else newest.seq, self._moment)
        begun = EVENTS.alias()
        of_dataset = select(begun.c.release).where(begun.c.type == "run_started", begun.c.subject == wanted.dataset)
        asked = (
            (wanted.release, EVENTS.c.release == wanted.release),
            (wanted.dataset, EVENTS.c.release.in_(of_dataset)),
            (wanted.actor, EVENTS.c.actor == wanted.actor),
            (wanted.type, EVENTS.c.type == wanted.type),
        )
        query = select(*ENTRY).where(EVENTS.c.seq.between(low, high if before is None else min(high, before - 1)))
        query = query.where(*(condition for value, condition in asked if value)).order_by(EVENTS.c.seq.desc()).limit(most)
        return tuple(Entry(*row) for row in self.connection.execute(query))

    def _moment(self, seq: int) -> str:
        return str(self.connection.execute(select(EVENTS.c.at).where(EVENTS.c.seq == seq)).scalar_one())

    def append(self, entry: Entry, subject: str) -> None:
        self.connection.execute(insert(EVENTS).values([(*astuple(entry), subject)]))

    def lock_of(self, dataset: str) -> LockRow | None:
        row = self.connection.execute(select(*LOCK).where(LOCKS.c.dataset == dataset)).first()
        return None if row is None else LockRow(*row)

    def set_lock(self, lock: LockRow) -> None:
        self.remove_lock(lock.dataset)
        self.connection.execute(insert(LOCKS).values([astuple(lock)]))

    def remove_lock(self, dataset: str) -> None:
        self.connection.execute(delete(LOCKS).where(LOCKS.c.dataset == dataset))

    def _entries(self, query: Select[Any]) -> tuple[Entry, ...]:
        return tuple(Entry(*row) for row in self.connection.execute(query.order_by(EVENTS.c.seq)))


def _upgrade(connection: Connection) -> None:
    from alembic import command
    from alembic.config import Config

    connection.execute(text(f"CREATE SCHEMA IF NOT EXISTS {SCHEMA}"))
    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent / "migrations").replace("%", "%%"))
    config.attributes["connection"] = connection
    command.upgrade(config, "head")


def _require_ours(connection: Connection) -> None:
    if postgresql_schema.definitions_of(connection) != postgresql_schema.expected():
        raise IntegrityBroken(
            "The tables of the ledger's database, or the guards that keep it append-only, are not those that headgate made.",
            "Someone changed them outside headgate: restore a backup, and compare it with `headgate audit verify`.",
        )


def _refusal(state: str, refused: bool = False) -> HeadgateError:
    if state.startswith("23"):
        return IntegrityBroken("The ledger's database refuses the event: its place is taken.", "Run `headgate audit verify`.")
    if state in BUSY:
        return StoreUnavailable(f"The ledger's database was in use for {BUSY_SECONDS} seconds.", "Wait for the other process, or end it.")
    if state in NOT_ALLOWED:
        return StoreUnavailable(
            f"The database role in HEADGATE_DATABASE_URL may not do what a ledger needs ({state}).",
            "Grant it the rights that the guide for the operator lists.",
        )
    if refused:
        return StoreUnavailable(
            "The ledger's database refuses the name or the password.",
            "Correct them in HEADGATE_DATABASE_URL, or in PGPASSWORD or PGPASSFILE.",
        )
    place = f" ({state})" if state else ""
    return StoreUnavailable(f"The ledger's database cannot be used{place}.", "Check that it runs, and HEADGATE_DATABASE_URL.")
