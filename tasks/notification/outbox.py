"""What is to be told, until it is: `state/outbox.db` in the home. How far the ledger was read and what follows from that are kept in one
transaction, so that each event gives each of its notices once. Nothing in it decides about a release."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import astuple, dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import quote

from headgate.core.errors import StoreUnavailable
from tasks.ledger.chain import START
from tasks.ledger.machine_time import machine_clock
from tasks.notification.notice import Notice
from tasks.runtime.home import Home

OUTBOX = "outbox.db"
BUSY_SECONDS = 10.0
MOST_WAITING = 1_000  # for one address
FIRST_SECONDS, LONGEST_SECONDS = 30.0, 3600.0
MOST_FAILURES = 175  # of an address in a row: about a week
MOST_REFUSED = 10  # of one message that an address does not take, while it takes others
FORGOTTEN_DAYS = 400
SCHEMA = """
CREATE TABLE IF NOT EXISTS place (
    one INTEGER PRIMARY KEY CHECK (one = 1), seq INTEGER NOT NULL, hash TEXT NOT NULL, chain_broken TEXT NOT NULL,
    audit_broken TEXT NOT NULL, audited TEXT NOT NULL
) STRICT;
CREATE TABLE IF NOT EXISTS notices (id TEXT PRIMARY KEY, made TEXT NOT NULL, content TEXT NOT NULL) STRICT;
CREATE TABLE IF NOT EXISTS deliveries (
    number INTEGER PRIMARY KEY, notice TEXT NOT NULL REFERENCES notices, address TEXT NOT NULL, state TEXT NOT NULL
    CHECK (state IN ('waiting', 'sent', 'given up')), tries INTEGER NOT NULL DEFAULT 0, refused INTEGER NOT NULL DEFAULT 0,
    failures INTEGER NOT NULL, made TEXT NOT NULL, ended TEXT NOT NULL DEFAULT '', UNIQUE (notice, address)
) STRICT;
CREATE INDEX IF NOT EXISTS deliveries_by_state ON deliveries (state, address, tries, number);
CREATE TABLE IF NOT EXISTS addresses (
    address TEXT PRIMARY KEY, failures INTEGER NOT NULL, in_a_row INTEGER NOT NULL, next TEXT NOT NULL, since TEXT NOT NULL,
    why TEXT NOT NULL
) STRICT;
"""


@dataclass(frozen=True)
class Place:
    """The last event that was read. `chain_broken` and `audit_broken`: since when the chain of events, or a whole audit, does not hold;
    empty while it does. `audited`: when a whole audit was made."""

    seq: int = 0
    hash: str = START
    chain_broken: str = ""
    audit_broken: str = ""
    audited: str = ""


@dataclass(frozen=True)
class Delivery:
    """One notice on its way to one address."""

    number: int
    notice: Notice
    address: str
    tries: int


@dataclass(frozen=True)
class Waiting:
    """What an address has not got. `since`: when the oldest of it was made. `failing`: since when it takes nothing, `why`, and until
    when it is left alone."""

    address: str
    waiting: int
    since: str
    failing: str
    why: str
    given_up: int
    after: str = ""


@dataclass(frozen=True)
class Outbox:
    path: Path
    clock: Callable[[], datetime] = machine_clock

    @classmethod
    def of(cls, home: Home, clock: Callable[[], datetime] = machine_clock) -> Outbox:
        return cls(home.state / OUTBOX, clock)

    @property
    def begun(self) -> bool:
        return self.path.exists()

    @contextmanager
    def writing(self) -> Iterator[OutboxTransaction]:
        """One transaction, on disk at its end; after an exception nothing of it is."""
        try:
            self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            os.close(os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600))
            with closing(sqlite3.connect(self.path, timeout=BUSY_SECONDS, isolation_level=None)) as database:
                database.execute("PRAGMA synchronous = EXTRA")
                database.execute("BEGIN IMMEDIATE")
                for statement in SCHEMA.split(";"):
                    database.execute(statement)
                yield OutboxTransaction(database, self.clock().astimezone(UTC))
                database.execute("COMMIT")
        except (OSError, sqlite3.Error):
            raise self._unusable() from None

    @contextmanager
    def reading(self) -> Iterator[OutboxTransaction]:
        """Of one that has begun."""
        try:
            with closing(self._read_only()) as database:
                yield OutboxTransaction(database, self.clock().astimezone(UTC))
        except sqlite3.Error:
            raise self._unusable() from None

    def copied_to(self, folder: Path) -> Outbox:
        """For whoever wants to see what would happen."""
        copy = replace(self, path=folder / OUTBOX)
        try:
            with closing(self._read_only()) as database, closing(sqlite3.connect(copy.path)) as other:
                database.backup(other)
        except sqlite3.Error:
            raise self._unusable() from None
        return copy

    def _read_only(self) -> sqlite3.Connection:
        return sqlite3.connect(f"file:{quote(str(self.path))}?mode=ro", uri=True, timeout=BUSY_SECONDS)

    def _unusable(self) -> StoreUnavailable:
        return StoreUnavailable(f"{self.path} cannot be used.", "Check that the file and its folder can be written, and the disk's space.")


@dataclass(frozen=True)
class OutboxTransaction:
    database: sqlite3.Connection
    now: datetime

    @property
    def _now(self) -> str:
        return self.now.isoformat(timespec="milliseconds")

    def place(self) -> Place | None:
        """None of an outbox that has just been made."""
        row = self.database.execute("SELECT seq, hash, chain_broken, audit_broken, audited FROM place").fetchone()
        return None if row is None else Place(*row)

    def move(self, place: Place) -> None:
        self.database.execute("INSERT OR REPLACE INTO place VALUES (1, ?, ?, ?, ?, ?)", astuple(place))

    def knows(self, notice: str) -> bool:
        return self.database.execute("SELECT 1 FROM notices WHERE id = ?", (notice,)).fetchone() is not None

    def add(self, notice: Notice, addresses: tuple[str, ...]) -> bool:
        """False where this notice was made before: it is not told again."""
        row = (notice.id, self._now, notice.model_dump_json(exclude_defaults=True))
        if not self.database.execute("INSERT OR IGNORE INTO notices VALUES (?, ?, ?)", row).rowcount:
            return False
        for address in addresses:
            query = "INSERT INTO deliveries (notice, address, state, failures, made) VALUES (?, ?, 'waiting', ?, ?)"
            self.database.execute(query, (notice.id, address, self._failures(address), self._now))
            self._make_room(address)
        return True

    def _failures(self, address: str) -> int:
        row = self.database.execute("SELECT failures FROM addresses WHERE address = ?", (address,)).fetchone()
        return 0 if row is None else int(row[0])

    def _make_room(self, address: str) -> None:
        """The newest are those that matter."""
        kept = "SELECT number FROM deliveries WHERE state = 'waiting' AND address = ? ORDER BY number DESC LIMIT ?"
        self._give_up(f"state = 'waiting' AND address = ? AND number NOT IN ({kept})", address, address, MOST_WAITING)

    def _give_up(self, where: str, *values: object) -> None:
        self.database.execute(f"UPDATE deliveries SET state = 'given up', ended = ? WHERE {where}", (self._now, *values))

    def keep_to(self, addresses: tuple[str, ...]) -> None:
        """What waits for an address that is no longer named is not sent. What ended long ago is forgotten."""
        named = ", ".join("?" for _ in addresses)
        self._give_up(f"state = 'waiting' AND address NOT IN ({named})", *addresses)
        self.database.execute(f"DELETE FROM addresses WHERE address NOT IN ({named})", addresses)
        old = f"'{self._now}', '-{FORGOTTEN_DAYS} days'"
        self.database.execute(f"DELETE FROM deliveries WHERE state <> 'waiting' AND datetime(ended) < datetime({old})")
        unneeded = "id NOT IN (SELECT notice FROM deliveries)"
        self.database.execute(f"DELETE FROM notices WHERE {unneeded} AND datetime(made) < datetime({old})")

    def next_due(self, address: str) -> Delivery | None:
        """What was tried least often, and of that the oldest: one message that an address does not take keeps no other back."""
        if not self._may_try(address):
            return None
        query = (
            "SELECT number, content, address, tries FROM deliveries JOIN notices ON notice = id "
            "WHERE state = 'waiting' AND address = ? ORDER BY tries, number LIMIT 1"
        )
        row = self.database.execute(query, (address,)).fetchone()
        return None if row is None else Delivery(row[0], Notice.model_validate_json(row[1]), row[2], row[3])

    def _may_try(self, address: str) -> bool:
        """A clock that was set back makes nobody wait longer than the longest time between two tries."""
        row = self.database.execute("SELECT next FROM addresses WHERE address = ?", (address,)).fetchone()
        if row is None or not row[0]:
            return True
        left = (datetime.fromisoformat(row[0]) - self.now).total_seconds()
        return left <= 0 or left > LONGEST_SECONDS

    def sent(self, delivery: Delivery) -> None:
        self.database.execute("UPDATE deliveries SET state = 'sent', ended = ? WHERE number = ?", (self._now, delivery.number))
        self.database.execute("UPDATE addresses SET in_a_row = 0, next = '', since = '', why = '' WHERE address = ?", (delivery.address,))

    def failed(self, delivery: Delivery, why: str) -> None:
        """Nothing is tried at this address for a while, twice as long each time. By numbers of tries and not by time, so that no clock
        that is wrong ends anything."""
        row = self.database.execute("SELECT failures, in_a_row, since FROM addresses WHERE address = ?", (delivery.address,)).fetchone()
        failures, in_a_row, since = row or (0, 0, "")
        wait = min(FIRST_SECONDS * 2.0 ** min(in_a_row, 20), LONGEST_SECONDS)
        after = datetime.fromtimestamp(self.now.timestamp() + wait, UTC).isoformat(timespec="milliseconds")
        values = (delivery.address, failures + 1, in_a_row + 1, after, since or self._now, why)
        self.database.execute("INSERT OR REPLACE INTO addresses VALUES (?, ?, ?, ?, ?, ?)", values)
        refused = int(in_a_row == 0)  # it took the one before
        query = "UPDATE deliveries SET tries = tries + 1, refused = refused + ? WHERE number = ?"
        self.database.execute(query, (refused, delivery.number))
        worn_out = "state = 'waiting' AND address = ? AND (refused >= ? OR failures <= ?)"
        self._give_up(worn_out, delivery.address, MOST_REFUSED, failures + 1 - MOST_FAILURES)

    def all_waiting(self) -> tuple[Delivery, ...]:
        """Due or not, in the order in which they were made."""
        query = "SELECT number, content, address, tries FROM deliveries JOIN notices ON notice = id WHERE state = 'waiting' ORDER BY number"
        rows = self.database.execute(query)
        return tuple(Delivery(number, Notice.model_validate_json(content), address, tries) for number, content, address, tries in rows)

    def waiting(self, addresses: tuple[str, ...]) -> tuple[Waiting, ...]:
        return tuple(self._waiting(address) for address in addresses)

    def _waiting(self, address: str) -> Waiting:
        number, since = self.database.execute(
            "SELECT COUNT(*), COALESCE(MIN(made), '') FROM deliveries WHERE state = 'waiting' AND address = ?", (address,)
        ).fetchone()
        (given_up,) = self.database.execute(
            "SELECT COUNT(*) FROM deliveries WHERE state = 'given up' AND address = ?", (address,)
        ).fetchone()
        row = self.database.execute("SELECT since, why, next FROM addresses WHERE address = ?", (address,)).fetchone()
        failing, why, after = row or ("", "", "")
        return Waiting(address, number, since, failing, why, given_up, after)
