"""Where accounts, sessions and invitations are kept: `console.db` in the home, readable by the service account alone. Nothing in it decides
about a release, and no password or token can be read from it."""

from __future__ import annotations

import hashlib
import os
import secrets
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from headgate.core.errors import StoreUnavailable
from tasks.ledger.machine_time import machine_clock

ACCOUNTS_FILE = "console.db"
BUSY_SECONDS = 10.0
SCHEMA = """
CREATE TABLE IF NOT EXISTS accounts (
    principal TEXT PRIMARY KEY, password TEXT, issuer TEXT, subject TEXT, created TEXT NOT NULL, UNIQUE (issuer, subject)
) STRICT;
CREATE TABLE IF NOT EXISTS sessions (
    digest TEXT PRIMARY KEY, principal TEXT NOT NULL REFERENCES accounts ON DELETE CASCADE, begun TEXT NOT NULL, seen TEXT NOT NULL
) STRICT;
CREATE TABLE IF NOT EXISTS told (
    principal TEXT PRIMARY KEY REFERENCES accounts ON DELETE CASCADE, seq INTEGER NOT NULL
) STRICT;
CREATE TABLE IF NOT EXISTS invitations (
    digest TEXT PRIMARY KEY, principal TEXT NOT NULL, invited_by TEXT NOT NULL, made TEXT NOT NULL, ends TEXT NOT NULL
) STRICT;
"""


def new_token() -> str:
    return secrets.token_urlsafe(32)


def digest_of(token: str) -> str:
    """All that is kept of a token."""
    return hashlib.sha256(token.encode()).hexdigest()


@dataclass(frozen=True)
class AccountStore:
    path: Path
    clock: Callable[[], datetime] = machine_clock

    @classmethod
    def open(cls, folder: Path, clock: Callable[[], datetime] = machine_clock) -> AccountStore:
        """Made private before anything is written to it."""
        store = cls(folder / ACCOUNTS_FILE, clock)
        try:
            os.close(os.open(store.path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600))
            store.path.chmod(0o600)
        except OSError:
            raise store.unusable() from None
        with store.writing() as database:
            database.executescript(SCHEMA)
        return store

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """One transaction."""
        try:
            with closing(sqlite3.connect(self.path, timeout=BUSY_SECONDS)) as database:
                database.row_factory = sqlite3.Row
                database.execute("PRAGMA foreign_keys = ON")
                with database:
                    yield database
        except sqlite3.IntegrityError:
            raise
        except sqlite3.Error:
            raise self.unusable() from None

    def unusable(self) -> StoreUnavailable:
        return StoreUnavailable(f"{self.path} cannot be used.", "Check that the file and its folder can be written, and the disk's space.")
