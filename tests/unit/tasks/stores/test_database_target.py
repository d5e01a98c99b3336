from __future__ import annotations

from pathlib import Path

import pytest

from headgate.core.errors import StoreUnavailable
from tasks.stores.database_target import database_target


def test_an_address_names_who_connects_where_and_the_schema() -> None:
    target = database_target("postgresql://ann%40home@db.example:5433/open%20data/health?sslmode=verify-full")
    assert target.schema == "health"
    assert target.connection == {
        "user": "ann@home",
        "host": "db.example",
        "port": "5433",
        "dbname": "open data",
        "sslmode": "verify-full",
    }
    assert target.shown == "postgresql://db.example:5433/open%20data/health"
    assert database_target("postgresql:///open/health?host=/run/postgresql").connection == {"dbname": "open", "host": "/run/postgresql"}


@pytest.mark.parametrize(
    "address", ["postgresql://ann:CANARY@host/db/s", "postgresql://host/db/s?password=CANARY", "postgresql://ann:@host/db/s"]
)
def test_a_password_in_an_address_is_refused_with_where_it_belongs(address: str) -> None:
    with pytest.raises(StoreUnavailable) as refused:
        database_target(address)
    assert "CANARY" not in str(refused.value)
    assert refused.value.__cause__ is None
    assert "PGPASSWORD" in refused.value.cure
    assert ".pgpass" in refused.value.cure


@pytest.mark.parametrize(
    "address",
    [
        "postgresql://host/db",
        "postgresql://host",
        "postgresql://host/db/",
        "postgresql://host/db/Schema",
        "postgresql://host/db/a/b",
        'postgresql://host/db/a"b',
        "postgresql://host/db/public",
        "postgresql://host/db/headgate",
        "postgresql://host/db/pg_catalog",
        "postgresql://host/db/information_schema",
        "postgresql://host/db/s#x",
        "postgresql://host/db/s?options=-csearch_path=x",
        "postgresql://host/db/s?x",
        "postgresql://host:port/db/s",
        f"postgresql://host/db/{'s' * 64}",
    ],
)
def test_an_address_without_a_schema_of_its_own_is_refused_with_the_form(address: str) -> None:
    with pytest.raises(StoreUnavailable) as refused:
        database_target(address)
    assert refused.value.cure.startswith("Write postgresql://USER@HOST/DATABASE/SCHEMA")


def test_a_server_that_does_not_answer_is_named_without_any_password(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PGPASSWORD", "CANARY")
    target = database_target(f"postgresql://ann@/db/open?host={tmp_path}")
    with pytest.raises(StoreUnavailable, match="cannot be used") as refused, target.connected():
        pytest.fail("there is no server")
    said = f"{refused.value} {target!r} "
    assert "CANARY" not in said
    assert str(tmp_path) not in said
    assert refused.value.code == 6


def test_a_wrong_password_is_not_a_server_that_is_off(monkeypatch: pytest.MonkeyPatch) -> None:
    import psycopg

    def connect(*_: object, **__: object) -> None:
        raise psycopg.OperationalError('connection failed: FATAL:  password authentication failed for user "CANARY"')

    monkeypatch.setattr(psycopg, "connect", connect)
    with (
        pytest.raises(StoreUnavailable, match="refuses the name or the password") as refused,
        database_target("postgresql://ann@host/db/open").connected(),
    ):
        pytest.fail("nobody is let in")
    assert "CANARY" not in str(refused.value)
    assert "PGPASSWORD" in refused.value.cure


@pytest.mark.slow
def test_what_the_server_says_stays_behind(schema_address: str) -> None:
    """It repeats the value that it does not take."""
    for statement, said in (
        ("SELECT 'CANARY'::integer", "cannot hold a table of this release (22P02)"),
        ("SELECT * FROM nowhere.canary", "may not do"),
        ("DO $$ BEGIN RAISE EXCEPTION 'CANARY' USING ERRCODE = '23000'; END $$", "refuses what would change a version (23000)"),
        ("DO $$ BEGIN RAISE EXCEPTION 'CANARY' USING ERRCODE = '55P03'; END $$", "was in use"),
        ("SELECT pg_terminate_backend(pg_backend_pid())", "cannot be used (57P01)"),
    ):
        with pytest.raises(StoreUnavailable) as refused, database_target(schema_address).connected() as connection:
            connection.execute(statement)
        assert said in refused.value.message
        assert "canary" not in str(refused.value).casefold()
        assert refused.value.__cause__ is None
        assert refused.value.__suppress_context__


@pytest.mark.slow
def test_what_was_not_committed_is_undone(schema_address: str) -> None:
    target = database_target(schema_address)
    with target.connected() as connection:
        connection.execute(f"CREATE SCHEMA {target.schema}")
    with target.connected() as connection:
        assert connection.execute("SELECT count(*) FROM pg_namespace WHERE nspname = %s", [target.schema]).fetchone() == (0,)
