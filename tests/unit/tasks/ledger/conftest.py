"""A ledger in each of the stores there are, and one that keeps nothing past its test."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from policies.ledger.events import RunStarted, SourceIngested
from policies.sealed.manifest import Signer
from tasks.ledger.event_log import Ledger
from tasks.ledger.ledger_store import LedgerStore
from tasks.ledger.store_postgresql import open_store
from tasks.ledger.store_sqlite import SqliteStore
from tests.unit.tasks.ledger.memory_store import MemoryStore

AT = "2025-06-01T12:00:00+00:00"
STORES: dict[str, Callable[[Path], LedgerStore]] = {
    "sqlite": lambda folder: SqliteStore(folder / "ledger.db"),
    "memory": lambda folder: MemoryStore(),
}


def started(release: str = "r1", at: str = AT) -> RunStarted:
    return RunStarted(
        release_id=release,
        at=at,
        dataset="people",
        policy_digest="a" * 64,
        runner=Signer(principal="rue", fingerprint="f"),
        product="headgate",
    )


def ingested(release: str = "r1", rows: int = 10) -> SourceIngested:
    return SourceIngested(release_id=release, at=AT, rows=rows, columns=4, source_hmac="b" * 64)


def fill(ledger: Ledger) -> Ledger:
    ledger.append("r1", [started()], 0, "rue")
    ledger.append("r2", [started("r2"), ingested("r2")], 0, "rue")
    ledger.append("r1", [ingested(), ingested()], 1, "rue")
    return ledger


def tamper(path: Path, *statements: str) -> None:
    """What somebody with the file and SQLite can do: the triggers dropped, the rows changed, the triggers put back."""
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("PRAGMA synchronous = OFF")
    connection.execute("BEGIN")
    guards = connection.execute("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'").fetchall()
    for name, _ in guards:
        connection.execute(f"DROP TRIGGER {name}")
    for statement in statements:
        connection.execute(statement)
    for _, sql in guards:
        connection.execute(sql)
    connection.execute("COMMIT")
    connection.close()


@pytest.fixture(params=[*STORES, pytest.param("postgresql", marks=pytest.mark.slow)])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> LedgerStore:
    if request.param == "postgresql":
        return open_store(request.getfixturevalue("database"))
    return STORES[request.param](tmp_path)


@pytest.fixture
def ledger(store: LedgerStore) -> Ledger:
    return Ledger(store)


@pytest.fixture
def filled(ledger: Ledger) -> Ledger:
    return fill(ledger)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """The file of a filled ledger in SQLite."""
    file = tmp_path / "file.db"
    fill(Ledger(SqliteStore(file)))
    return file
