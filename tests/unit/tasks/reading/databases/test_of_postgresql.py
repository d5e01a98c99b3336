from __future__ import annotations

import time

import pytest

from headgate.core.errors import InputRejected
from tasks.reading.source_sql import open_sql
from tests.unit.postgresql import database, execute, postgresql

__all__ = ["database", "postgresql"]


@pytest.mark.slow
def test_a_query_of_postgresql_is_read_some_rows_at_a_time_by_a_role_that_only_reads(database: str, monkeypatch) -> None:
    execute(
        database,
        "DROP TABLE IF EXISTS people",
        "DROP ROLE IF EXISTS only_reads, takes_on_more, owner_of_all",
        "CREATE TABLE people AS SELECT i AS id, 'town ' || i % 7 AS town FROM generate_series(1, 25000) AS i",
        "CREATE ROLE only_reads LOGIN",
        "GRANT SELECT ON people TO only_reads",
        "CREATE ROLE owner_of_all SUPERUSER",
        "CREATE ROLE takes_on_more LOGIN NOINHERIT",
        "GRANT owner_of_all TO takes_on_more",
    )
    address = database.replace("postgresql://postgres", "postgresql+psycopg://only_reads")
    monkeypatch.setenv("PEOPLE_URL", address)
    source = open_sql("PEOPLE_URL", "SELECT id, town FROM people ORDER BY id")
    cells = source.read(("id", "town"))
    assert cells.column("id").to_pylist() == [str(row) for row in range(1, 25_001)]
    assert set(cells.column("town").to_pylist()) == {f"town {place}" for place in range(7)}
    assert open_sql("PEOPLE_URL", "SELECT id, town FROM people ORDER BY id DESC").digest == source.digest
    for query in ("SELECT 1; DROP TABLE people", "DELETE FROM people RETURNING id", "SELECT pg_sleep(9)"):
        monkeypatch.setenv("HEADGATE_QUERY_SECONDS", "0.2")
        with pytest.raises(InputRejected, match="refused by the database"):
            open_sql("PEOPLE_URL", query)
    monkeypatch.setenv("HEADGATE_QUERY_SECONDS", "60")
    monkeypatch.setenv("HEADGATE_MAX_BYTES", "100000")
    with pytest.raises(InputRejected, match="more than 100,000 bytes"):
        open_sql("PEOPLE_URL", "SELECT generate_series(1, 2000000000) AS i")
    for owner in (database, database.replace("postgresql://postgres", "postgresql://takes_on_more")):
        monkeypatch.setenv("PEOPLE_URL", owner.replace("postgresql://", "postgresql+psycopg://"))
        with pytest.raises(InputRejected, match="may do more than read"):
            open_sql("PEOPLE_URL", "SELECT 1 AS a")


@pytest.mark.slow
def test_a_query_of_postgresql_cannot_give_itself_more_time(database: str, monkeypatch) -> None:
    """It set its own limit to nothing with the first rows, and the others took as long as they liked."""
    execute(database, "DROP ROLE IF EXISTS patient", "CREATE ROLE patient LOGIN")
    monkeypatch.setenv("PEOPLE_URL", database.replace("postgresql://postgres", "postgresql+psycopg://patient"))
    monkeypatch.setenv("HEADGATE_QUERY_SECONDS", "2")
    forever = "CASE WHEN g > 10000 THEN pg_sleep(0.01)::text ELSE '' END"
    begun = time.monotonic()
    with pytest.raises(InputRejected, match="refused by the database"):
        open_sql(
            "PEOPLE_URL", f"SELECT set_config('statement_timeout', '0', false) AS s, {forever} AS z FROM generate_series(1, 12000) AS g"
        )
    assert time.monotonic() - begun < 15


@pytest.mark.slow
@pytest.mark.parametrize("bounded", ["by the role", "by the server", ""])
def test_what_a_query_of_postgresql_spills_is_bounded_where_role_or_server_say_so(database: str, monkeypatch, bounded: str) -> None:
    """A sort of what a query makes up could fill the server's disk within its hour."""
    execute(
        database,
        "DO $$ BEGIN IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'spiller') THEN DROP OWNED BY spiller; END IF; END $$",
        "DROP ROLE IF EXISTS spiller",
        "CREATE ROLE spiller LOGIN",
        "GRANT SET ON PARAMETER temp_file_limit TO spiller" if bounded == "by the role" else "SELECT 1",
        "ALTER ROLE spiller SET temp_file_limit = '1MB'" if bounded == "by the server" else "SELECT 1",
    )
    monkeypatch.setenv("PEOPLE_URL", database.replace("postgresql://postgres", "postgresql+psycopg://spiller"))
    if bounded == "by the role":
        monkeypatch.setenv("HEADGATE_MAX_BYTES", "1000000")
    spilling = "SELECT g FROM generate_series(1, 500000) AS g ORDER BY md5(g::text) LIMIT 3"
    if bounded:
        with pytest.raises(InputRejected, match="refused by the database"):
            open_sql("PEOPLE_URL", spilling)
    else:
        assert open_sql("PEOPLE_URL", spilling).names == ("g",)
