"""Series published to a schema of PostgreSQL: `postgresql://USER@HOST/DATABASE/SCHEMA`.

A version is one transaction: its claim, its files, its tables as rows that a reader can SELECT, and the attestation last. So it is there
whole or not at all. The files are what was signed; a version is read only if its tables hold the rows of its files.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from headgate.core.errors import IntegrityBroken, PublicationFailed, StoreUnavailable
from tasks.stores import release_schema
from tasks.stores.database_target import DatabaseTarget, database_target
from tasks.stores.files import Stored
from tasks.stores.release_store import NOT_OURS, VISIBLE_BY, WITHDRAWN
from tasks.stores.table_rows import TableRows, published_tables

if TYPE_CHECKING:
    from psycopg import Connection, sql

PART = 3 * 2**21  # bytes of a file in one row; a multiple of 3, so that base64 of the parts can be joined
CLAIM_SECONDS = 1


def open_store(address: str) -> SchemaStore:
    return SchemaStore(database_target(address))


@dataclass(frozen=True)
class SchemaStore:
    database: DatabaseTarget

    def series(self, target: str) -> SchemaSeries:
        return SchemaSeries(self.database, target)

    def targets(self) -> frozenset[str]:
        with Schema.reading(self.database) as schema:
            return frozenset(row[0] for row in schema.rows("SELECT DISTINCT target FROM {s}.versions"))


@dataclass(frozen=True)
class Schema:
    """A connection in use, for statements about one schema; `{s}` in them is its name. `made`: without it nothing is found."""

    connection: Connection
    name: str
    made: bool

    @classmethod
    @contextmanager
    def reading(cls, database: DatabaseTarget) -> Iterator[Schema]:
        with database.connected() as connection:
            yield cls(connection, database.schema, release_schema.exists(connection, database.schema))

    def rows(self, statement: str, *given: Any) -> list[Any]:
        return self.connection.execute(self.said(statement), given).fetchall() if self.made else []

    def do(self, statement: str, *given: Any) -> int:
        """How many rows it was about."""
        return self.connection.execute(self.said(statement), given).rowcount

    def said(self, statement: str, **names: str) -> sql.Composed:
        from psycopg.sql import SQL, Identifier

        whole = SQL(statement)
        return whole.format(s=Identifier(self.name), **{name: Identifier(value) for name, value in names.items()})

    def files(self, target: str, number: int) -> dict[str, bytes]:
        parts: dict[str, list[bytes]] = {}
        query = "SELECT path, content FROM {s}.files WHERE target = %s AND number = %s ORDER BY path, part"
        for path, content in self.rows(query, target, number):
            parts.setdefault(path, []).append(content)
        return {path: b"".join(found) for path, found in parts.items()}

    def add_file(self, target: str, number: int, path: str, content: bytes) -> None:
        statement = self.said("COPY {s}.files (target, number, path, part, content) FROM STDIN (FORMAT BINARY)")
        with self.connection.cursor() as cursor, cursor.copy(statement) as copy:
            copy.set_types(["text", "int4", "text", "int4", "bytea"])
            for part, start in enumerate(range(0, len(content) or 1, PART)):
                copy.write_row((target, number, path, part, content[start : start + PART]))

    def add_rows(self, statement: sql.Composed, table: TableRows) -> None:
        with self.connection.cursor() as cursor, cursor.copy(statement) as copy:
            for row in table.rows():
                copy.write_row(row)


@dataclass
class SchemaDraft:
    """The attestation is written last, by `place`; the rows of the tables when all else is. `there`: the version of this candidate that is
    in place already."""

    schema: Schema
    target: str
    number: int
    there: Mapping[str, bytes] | None = None
    written: dict[str, bytes] = field(default_factory=dict)
    loaded: bool = False

    def write(self, path: str, content: bytes) -> None:
        if path in self.written:
            raise FileExistsError(17, "a file is written once")
        if self.there is None and path != VISIBLE_BY:
            self.schema.add_file(self.target, self.number, path, content)
        self.written[path] = content

    def read(self) -> Mapping[str, Stored]:
        if VISIBLE_BY in self.written:
            self._load_tables()
        stored = dict(self.there) if self.there is not None else self.schema.files(self.target, self.number)
        kept = {VISIBLE_BY: self.written[VISIBLE_BY]} if VISIBLE_BY in self.written else {}
        return {path: Stored(path, content) for path, content in {**stored, **kept}.items()}

    def place(self) -> bool:
        if VISIBLE_BY not in self.written:
            raise FileNotFoundError(2, f"{VISIBLE_BY} was not written")
        if self.there is not None:
            return self.there == self.written
        self._load_tables()
        self.schema.add_file(self.target, self.number, VISIBLE_BY, self.written[VISIBLE_BY])
        self.schema.connection.commit()
        return True

    def _load_tables(self) -> None:
        """Before `place`, which must be quick."""
        if self.loaded or self.there is not None:
            return
        for table in published_tables(self.written):
            shape = (table.name, list(table.columns), list(table.types))
            made = self.schema.rows("SELECT {s}.make_table(%s, %s, %s, %s, %s)", self.target, self.number, *shape)[0][0]
            self.schema.add_rows(self.schema.said("COPY {s}.{t} FROM STDIN", t=made), table)
        self.loaded = True


@dataclass(frozen=True)
class SchemaSeries:
    database: DatabaseTarget
    target: str

    def address(self, number: int | None = None) -> str:
        return f"{self.database.shown}/{self.target}" + ("" if number is None else f"/{number}")

    def prepare(self) -> None:
        """The first role that may makes the schema. Guards that are not those of headgate are refused."""
        with self.database.connected() as connection:
            if not release_schema.exists(connection, self.database.schema):
                release_schema.create(connection, self.database.schema)
                connection.commit()
            ours = release_schema.is_ours(connection, self.database.schema)
        if not ours:
            raise StoreUnavailable(
                f"The functions or triggers of {self.database.shown} are not those that headgate made.",
                "Someone changed them outside headgate: restore a backup, or publish to another schema.",
            )

    def numbers(self) -> tuple[int, ...]:
        return self.versions()

    def versions(self) -> tuple[int, ...]:
        with Schema.reading(self.database) as schema:
            return tuple(row[0] for row in schema.rows("SELECT number FROM {s}.versions WHERE target = %s ORDER BY number", self.target))

    @contextmanager
    def begin(self, number: int, candidate: str) -> Iterator[SchemaDraft]:
        with Schema.reading(self.database) as schema:
            mine = self._claim(schema, number, candidate)
            yield SchemaDraft(schema, self.target, number, None if mine else schema.files(self.target, number))

    def _claim(self, schema: Schema, number: int, candidate: str) -> bool:
        """False if this candidate's version is in place already."""
        from psycopg.errors import LockNotAvailable

        place = (self.target, number, candidate)
        busy = False
        try:
            schema.do(f"SET LOCAL lock_timeout = '{CLAIM_SECONDS}s'")
            mine = schema.do("INSERT INTO {s}.versions VALUES (%s, %s, %s) ON CONFLICT DO NOTHING", *place) == 1
            schema.do("RESET lock_timeout")
        except LockNotAvailable:
            busy = True
        if busy:
            raise PublicationFailed(f"{self.address(number)} is being published by somebody else.", "Wait for them, then publish again.")
        if not mine and not schema.rows("SELECT 1 FROM {s}.versions WHERE (target, number, candidate) = (%s, %s, %s)", *place):
            raise PublicationFailed(
                f"{self.address(number)} is claimed by another candidate.", "Find out who else publishes to this schema."
            )
        return mine

    def clear(self, number: int, candidate: str) -> None:
        """Nothing is ever left: the database undoes what was not committed."""

    def read(self, number: int) -> Mapping[str, Stored]:
        with Schema.reading(self.database) as schema:
            files = schema.files(self.target, number)
            self._require_same_rows(schema, number, files)
        return {path: Stored(path, content) for path, content in files.items()}

    def _require_same_rows(self, schema: Schema, number: int, files: Mapping[str, bytes]) -> None:
        """What readers SELECT is what was signed: the files are loaded once more, and compared."""
        query = "SELECT name, relation FROM {s}.tables WHERE target = %s AND number = %s"
        relations = dict(schema.rows(query, self.target, number))
        try:
            tables = published_tables(files)
            same = set(relations) == {table.name for table in tables}
            same = same and all(_same_rows(schema, relations[table.name], table) for table in tables)
        except (ValueError, LookupError, TypeError, csv.Error):  # a file that is not what was published
            same = False
        if not same:
            raise IntegrityBroken(
                f"The tables of {self.address(number)} in PostgreSQL do not hold the rows of its files.",
                "Somebody changed them: restore a backup, and find out who may.",
            )

    def mark_withdrawn(self, number: int, envelope: bytes) -> None:
        with Schema.reading(self.database) as schema:
            insert = "INSERT INTO {s}.files VALUES (%s, %s, %s, 0, %s) ON CONFLICT DO NOTHING"
            schema.do(insert, self.target, number, WITHDRAWN, envelope)
            schema.do("COMMIT")

    def latest(self) -> int | None:
        with Schema.reading(self.database) as schema:
            rows = schema.rows("SELECT number FROM {s}.latest WHERE target = %s", self.target)
            number = rows[0][0] if rows else None
            return number if self._shows(schema, number) else NOT_OURS

    def _shows(self, schema: Schema, number: int | None) -> bool:
        """Whether the views of `latest` are those of this version: each of exactly its table, and no others."""
        named = "SELECT {s}.relation_name(target, 'latest', name), number, relation FROM {s}.tables WHERE target = %s"
        tables = schema.rows(named, self.target)
        defined = "SELECT viewname, definition FROM pg_views WHERE schemaname = %s AND viewname = ANY(%s)"
        there = dict(schema.rows(defined, schema.name, [view for view, _, _ in tables]))
        expected = {view: relation for view, of, relation in tables if of == number}
        return there.keys() == expected.keys() and all(there[view] == _shown(schema, relation) for view, relation in expected.items())

    def point_latest(self, number: int | None) -> None:
        """The views move with it, in the same transaction."""
        if self.latest() == number:
            return
        with Schema.reading(self.database) as schema:
            schema.do("SELECT {s}.point_latest(%s, %s)", self.target, number)
            schema.do("COMMIT")


def _shown(schema: Schema, relation: str) -> str:
    """What the catalog says of a view of all that this table holds."""
    schema.do("DROP VIEW IF EXISTS pg_temp.shown")
    schema.connection.execute(schema.said("CREATE TEMP VIEW shown AS SELECT * FROM {s}.{t}", t=relation))
    return str(release_schema.one(schema.connection.execute("SELECT pg_get_viewdef('pg_temp.shown'::regclass)")))


def _same_rows(schema: Schema, relation: str, table: TableRows) -> bool:
    schema.do("DROP TABLE IF EXISTS pg_temp.read_again")
    columns = ", ".join(f"c{place} {type_}" for place, type_ in enumerate(table.types, 1))
    schema.do(f"CREATE TEMP TABLE read_again ({columns})")
    schema.add_rows(schema.said("COPY pg_temp.read_again FROM STDIN"), table)
    once, again = "SELECT * FROM {s}.{t}", "SELECT * FROM pg_temp.read_again"
    differ = f"SELECT EXISTS ({once} EXCEPT ALL {again}) OR EXISTS ({again} EXCEPT ALL {once})"
    names = tuple(column.name for column in schema.connection.execute(schema.said(f"{once} LIMIT 0", t=relation)).description or ())
    return names == table.columns and not release_schema.one(schema.connection.execute(schema.said(differ, t=relation)))
