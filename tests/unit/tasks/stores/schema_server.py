"""A schema of its own for each test, in the real PostgreSQL that all tests share."""

from __future__ import annotations

import secrets
from urllib.parse import urlsplit

import pytest

from tests.unit.postgresql import execute


@pytest.fixture
def schema_address(postgresql: str) -> str:
    """Of a schema that is not there yet, as the role that owns everything."""
    return address_in(postgresql, f"open_{secrets.token_hex(6)}")


def address_in(database: str, schema: str, user: str = "postgres") -> str:
    """The database of this URL, as a place to publish to."""
    parts = urlsplit(database)
    host = parts.netloc.rpartition("@")[2]
    return f"postgresql://{user}@{host}{parts.path}/{schema}" + (f"?{parts.query}" if parts.query else "")


def end_connections(database: str) -> None:
    """As the end of their processes would."""
    execute(database, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'headgate'")
