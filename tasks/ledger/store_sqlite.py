"""A ledger in a SQLite file: opened for each use, guarded by its own triggers, and refused in words when it cannot be used.

Plain `sqlite3` with parameterized SQL, no ORM: the append-only rule must sit in the database as triggers, the transaction must be
BEGIN IMMEDIATE, and an auditor must be able to read the whole of it in one page. The journal is a rollback journal, not WAL, so
that one file is the whole ledger and a copy of it is a backup.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
import tempfile
from collections.abc import Callable, Collection, Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import astuple, dataclass, fields
from functools import cache
from pathlib import Path
from urllib.parse import quote

from headgate.core.errors import HeadgateError, IntegrityBroken, StoreUnavailable
from tasks.ledger.chain import Entry
from tasks.ledger.ledger_store import LAST, LedgerTransaction, LockRow, NothingStored
from tasks.ledger.wanted_events import Wanted, places
from tasks.runtime.boundary import reason_of

APPLICATION = 0x68674C31  # "hgL1": this file is a ledger of headgate
FORM = 1
BUSY_SECONDS = 30.0
SCHEMA = """
CREATE TABLE events (
    seq INTEGER PRIMARY KEY, release TEXT NOT NULL, version INTEGER NOT NULL, type TEXT NOT NULL, at TEXT NOT NULL, actor TEXT NOT NULL,
    payload TEXT NOT NULL, release_previous TEXT NOT NULL, previous TEXT NOT NULL, hash TEXT NOT NULL UNIQUE, subject TEXT NOT NULL,
    UNIQUE (release, version)
) STRICT;
CREATE INDEX events_by_subject ON events (type, subject, seq);
CREATE INDEX events_by_actor ON events (actor, seq);
CREATE TRIGGER events_no_update BEFORE UPDATE ON events BEGIN SELECT RAISE(ABORT, 'events are append-only'); END;
CREATE TRIGGER events_no_delete BEFORE DELETE ON events BEGIN SELECT RAISE(ABORT, 'events are append-only'); END;
CREATE TRIGGER events_only_append BEFORE INSERT ON events BEGIN
    SELECT RAISE(ABORT, 'events are append-only')
    WHERE NEW.seq <> (SELECT COALESCE(MAX(seq), 0) + 1 FROM events)
       OR NEW.version <> (SELECT COALESCE(MAX(version), 0) + 1 FROM events WHERE release = NEW.release);
END;
CREATE TABLE locks (
    dataset TEXT PRIMARY KEY, release TEXT NOT NULL, holder TEXT NOT NULL, machine TEXT NOT NULL, process INTEGER NOT NULL,
    started TEXT NOT NULL, beat REAL NOT NULL
) STRICT;
"""

# A ledger that an earlier version began gets it as soon as it is written.
ADDED = {("index", "events_by_actor", "CREATE INDEX events_by_actor ON events (actor, seq)")}
ENTRY = ", ".join(field.name for field in fields(Entry))
LOCK = ", ".join(field.name for field in fields(LockRow))
PREFIX = "sqlite:///"


def open_store(url: str) -> SqliteStore:
    path = Path(url.removeprefix(PREFIX))
    if not url.startswith(PREFIX) or not path.is_absolute():
        raise StoreUnavailable("HEADGATE_DATABASE_URL does not name a file by its whole path.", "Write sqlite:////absolute/path/ledger.db.")
    return SqliteStore(path)


@dataclass(frozen=True)
class SqliteStore:
    """One file."""

    path: Path

    @contextmanager
    def reading(self) -> Iterator[LedgerTransaction]:
        if not self.path.exists():
            yield NothingStored()
            return
        with ExitStack() as stack:
            connection = stack.enter_context(_refused_in_words(self.path, lambda: _read_only(self.path, stack)))
            if connection.execute("PRAGMA page_count").fetchone()[0] == 0:
                yield NothingStored()  # killed as soon as it had been made
                return
            _require_ours(connection, self.path)
            connection.execute("BEGIN")
            yield SqliteTransaction(connection)
            connection.execute("ROLLBACK")

    @contextmanager
    def writing(self) -> Iterator[SqliteTransaction]:
        with _refused_in_words(self.path, lambda: _for_writing(self.path)) as connection:
            connection.execute("BEGIN IMMEDIATE")
            try:
                yield SqliteTransaction(connection)
            except BaseException:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
                raise
            connection.execute("COMMIT")

    def weaknesses(self) -> tuple[str, ...]:
        return ()


@dataclass(frozen=True)
class SqliteTransaction:
    connection: sqlite3.Connection

    def entries(self, release: str | None = None) -> tuple[Entry, ...]:
        return tuple(Entry(*row) for row in self._select(release, "ASC"))

    def last(self, release: str | None = None) -> Entry | None:
        row = self._select(release, "DESC LIMIT 1").fetchone()
        return None if row is None else Entry(*row)

    def entries_from(self, seq: int) -> tuple[Entry, ...]:
        return tuple(Entry(*row) for row in self.connection.execute(f"SELECT {ENTRY} FROM events WHERE seq >= ? ORDER BY seq", (seq,)))

    def following(self, seq: int, most: int) -> tuple[tuple[Entry, str], ...]:
        query = f"SELECT {ENTRY}, subject FROM events WHERE seq >= ? ORDER BY seq LIMIT ?"
        return tuple((Entry(*row), subject) for *row, subject in self.connection.execute(query, (seq, most)))

    def _select(self, release: str | None, order: str) -> sqlite3.Cursor:
        query = f"SELECT {ENTRY} FROM events"
        if release is None:
            return self.connection.execute(f"{query} ORDER BY seq {order}")
        return self.connection.execute(f"{query} WHERE release = ? ORDER BY version {order}", (release,))

    def about(self, type: str, subject: str, prefix: bool = False) -> Iterator[Entry]:
        wanted, values = ("subject BETWEEN ? AND ?", (subject, subject + LAST)) if prefix else ("subject = ?", (subject,))
        query = f"SELECT {ENTRY} FROM events WHERE type = ? AND {wanted} ORDER BY seq DESC"
        return (Entry(*row) for row in self.connection.execute(query, (type, *values)))

    def beginning(self, prefix: str) -> tuple[str, ...]:
        query = "SELECT DISTINCT release FROM events WHERE release BETWEEN ? AND ? ORDER BY release"
        return tuple(row[0] for row in self.connection.execute(query, (prefix, prefix + LAST)))

    def subjects(self) -> tuple[str, ...]:
        return tuple(row[0] for row in self.connection.execute("SELECT subject FROM events ORDER BY seq"))

    def having(self, type: str, lacking: Collection[str]) -> tuple[Entry, ...]:
        others = "SELECT 1 FROM events AS other WHERE other.release = events.release AND other.type IN"
        query = f"SELECT {ENTRY} FROM events WHERE type = ? AND NOT EXISTS ({others} ({', '.join('?' for _ in lacking)})) ORDER BY seq"
        return tuple(Entry(*row) for row in self.connection.execute(query, (type, *lacking)))

    def first(self, release: str) -> Entry | None:
        row = self._select(release, "ASC LIMIT 1").fetchone()
        return None if row is None else Entry(*row)

    def at(self, seq: int) -> Entry | None:
        row = self.connection.execute(f"SELECT {ENTRY} FROM events WHERE seq = ?", (seq,)).fetchone()
        return None if row is None else Entry(*row)

    def listed(self, wanted: Wanted, before: int | None, most: int) -> tuple[Entry, ...]:
        """Each condition is a stream of numbers in falling order, by an index; what all have in common is read, and nothing else."""
        (last,) = self.connection.execute("SELECT COALESCE(MAX(seq), 0) FROM events").fetchone()
        low, high = places(wanted, last, self._moment)
        high = high if before is None else min(high, before - 1)
        of_dataset = "release IN (SELECT release FROM events WHERE type = 'run_started' AND subject = ?)"
        asked = {"release = ?": wanted.release, of_dataset: wanted.dataset, "actor = ?": wanted.actor, "type = ?": wanted.type}
        conditions = {condition: value for condition, value in asked.items() if value} or {"? <> ''": "all"}
        numbers = " INTERSECT ".join(f"SELECT seq FROM events WHERE {condition} AND seq BETWEEN ? AND ?" for condition in conditions)
        values = [value for wish in conditions.values() for value in (wish, low, high)]
        found = [row[0] for row in self.connection.execute(f"{numbers} ORDER BY seq DESC LIMIT ?", (*values, most))]
        return tuple(entry for seq in found if (entry := self.at(seq)) is not None)

    def _moment(self, seq: int) -> str:
        row = self.connection.execute("SELECT at FROM events WHERE seq = ?", (seq,)).fetchone()
        if row is None:
            raise IntegrityBroken(f"Event {seq} is missing from the ledger.", "Run `headgate audit verify`.")
        return str(row[0])

    def append(self, entry: Entry, subject: str) -> None:
        self._insert("INSERT INTO events", f"{ENTRY}, subject", (*astuple(entry), subject))

    def lock_of(self, dataset: str) -> LockRow | None:
        row = self.connection.execute(f"SELECT {LOCK} FROM locks WHERE dataset = ?", (dataset,)).fetchone()
        return None if row is None else LockRow(*row)

    def set_lock(self, lock: LockRow) -> None:
        self._insert("INSERT OR REPLACE INTO locks", LOCK, astuple(lock))

    def remove_lock(self, dataset: str) -> None:
        self.connection.execute("DELETE FROM locks WHERE dataset = ?", (dataset,))

    def _insert(self, into: str, columns: str, row: tuple[object, ...]) -> None:
        done = self.connection.execute(f"{into} ({columns}) VALUES ({', '.join('?' for _ in row)})", row)
        if done.rowcount != 1:
            raise IntegrityBroken("The ledger took a row and did not keep it.", "Run `headgate audit verify`.")


@contextmanager
def _refused_in_words(path: Path, connect: Callable[[], sqlite3.Connection]) -> Iterator[sqlite3.Connection]:
    refusal: HeadgateError | None = None
    connection: sqlite3.Connection | None = None
    try:
        connection = connect()
        yield connection
    except sqlite3.Error as problem:
        refusal = _refusal(problem, path)
    except OSError as problem:
        refusal = StoreUnavailable(f"The ledger {path} cannot be used ({reason_of(problem)}).", "Check permissions and free space.")
    finally:
        if connection is not None:
            connection.close()
    if refusal is not None:
        raise refusal


def _for_writing(path: Path) -> sqlite3.Connection:
    _make_private(path)
    connection = sqlite3.connect(path, timeout=BUSY_SECONDS, isolation_level=None)
    try:
        _prepare(connection, path)
    except BaseException:
        connection.close()
        raise
    return connection


def _read_only(path: Path, stack: ExitStack) -> sqlite3.Connection:
    """A ledger whose writer was killed has to be rolled back first: who may not write it does that on a copy of their own."""
    connection = _connected_read_only(path)
    try:
        connection.execute("PRAGMA application_id").fetchone()
        return connection
    except sqlite3.OperationalError as problem:
        connection.close()
        if problem.sqlite_errorcode & 0xFF not in (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN):
            raise
    copy = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="headgate-ledger-"))) / path.name
    for place in (path, path.with_name(f"{path.name}-journal")):
        if place.exists():
            shutil.copyfile(place, copy.with_name(place.name))
    return sqlite3.connect(copy, isolation_level=None)


def _connected_read_only(path: Path) -> sqlite3.Connection:
    return sqlite3.connect(f"file:{quote(str(path))}?mode=ro", uri=True, timeout=BUSY_SECONDS, isolation_level=None)


def _make_private(path: Path) -> None:
    if not path.exists():
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))


def _prepare(connection: sqlite3.Connection, path: Path) -> None:
    """Makes the tables of a new file; refuses any other file than a ledger of this form with its guards in place."""
    connection.execute("PRAGMA synchronous = EXTRA")  # a commit whose journal comes back with the power is no commit
    application = connection.execute("PRAGMA application_id").fetchone()[0]
    if application == 0:
        connection.execute("BEGIN IMMEDIATE")
        _create_if_empty(connection, path)
        connection.execute("COMMIT")
    _require_ours(connection, path)
    connection.execute("CREATE INDEX IF NOT EXISTS events_by_actor ON events (actor, seq)")


def _require_ours(connection: sqlite3.Connection, path: Path) -> None:
    connection.execute("PRAGMA trusted_schema = OFF")
    application = connection.execute("PRAGMA application_id").fetchone()[0]
    form = connection.execute("PRAGMA user_version").fetchone()[0]
    if application != APPLICATION:
        raise StoreUnavailable(f"{path} is another program's database.", "Choose another HEADGATE_HOME, or move that file away.")
    if form != FORM:
        raise StoreUnavailable(f"The ledger {path} has format {form}; this version reads {FORM}.", "Install the headgate that wrote it.")
    if definitions_of(connection) | ADDED != _expected():
        raise IntegrityBroken(
            f"The tables of the ledger {path}, or the guards that keep it append-only, are not those that headgate made.",
            "Someone changed it outside headgate: restore a backup.",
        )


def definitions_of(connection: sqlite3.Connection) -> frozenset[tuple[str, str, str]]:
    """What a table or trigger does is in its text; its name alone says nothing. Views, indexes and triggers of others count too, whatever
    they are called: only what SQLite keeps for itself is left out."""
    own = "type = 'table' AND name IN ('sqlite_stat1', 'sqlite_stat4')"
    rows = connection.execute(f"SELECT type, name, sql FROM sqlite_schema WHERE sql IS NOT NULL AND NOT ({own})")
    return frozenset((kind, name, " ".join(text.split())) for kind, name, text in rows)


@cache
def _expected() -> frozenset[tuple[str, str, str]]:
    with closing(sqlite3.connect(":memory:")) as made:
        made.executescript(SCHEMA)
        return definitions_of(made)


def _create_if_empty(connection: sqlite3.Connection, path: Path) -> None:
    """Inside a transaction, since two processes may open a new home at once."""
    if connection.execute("PRAGMA application_id").fetchone()[0] == APPLICATION:
        return
    if connection.execute("SELECT COUNT(*) FROM sqlite_schema").fetchone()[0]:
        raise StoreUnavailable(f"{path} is another program's database.", "Choose another HEADGATE_HOME, or move that file away.")
    for statement in _statements(SCHEMA):
        connection.execute(statement)
    connection.execute(f"PRAGMA application_id = {APPLICATION}")
    connection.execute(f"PRAGMA user_version = {FORM}")


def _statements(script: str) -> Iterator[str]:
    """`executescript` would commit the transaction that is open."""
    pending = ""
    for line in script.splitlines(keepends=True):
        pending += line
        if sqlite3.complete_statement(pending):
            yield pending
            pending = ""


def _refusal(problem: sqlite3.Error, path: Path) -> HeadgateError:
    code = getattr(problem, "sqlite_errorcode", 0) & 0xFF
    if code == sqlite3.SQLITE_NOTADB:
        return StoreUnavailable(f"{path} is not a ledger: it is not a SQLite file.", "Restore it from a backup, or choose another home.")
    if code in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_CONSTRAINT, sqlite3.SQLITE_MISMATCH):
        return IntegrityBroken(f"The ledger {path} is damaged ({problem.sqlite_errorname}).", "Restore it from a backup.")
    if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        return StoreUnavailable(f"The ledger {path} was in use for {BUSY_SECONDS:.0f} seconds.", "Wait for the other process, or end it.")
    if code == sqlite3.SQLITE_FULL:
        return StoreUnavailable(f"The disk of the ledger {path} is full.", "Make room, then run it again.")
    return StoreUnavailable(
        f"The ledger {path} cannot be used ({getattr(problem, 'sqlite_errorname', type(problem).__name__)}).",
        "Check that the file and its folder can be written.",
    )
