"""A ledger in a real PostgreSQL, and what somebody with the database can do to it."""

from __future__ import annotations

import secrets
import subprocess
import sys
from pathlib import Path

import pytest

from headgate.core.errors import HeadgateError, IntegrityBroken, StoreUnavailable
from tasks.ledger.event_log import Ledger
from tasks.ledger.store_postgresql import _refusal, open_store
from tests.unit.postgresql import execute
from tests.unit.tasks.ledger.conftest import fill, ingested, started

WRITER = (
    "CREATE ROLE {role} LOGIN PASSWORD 'SECRET'",
    "GRANT USAGE ON SCHEMA headgate TO {role}",
    "GRANT SELECT, INSERT ON headgate.events TO {role}",
    "GRANT SELECT, INSERT, DELETE ON headgate.locks TO {role}",
)


@pytest.fixture
def ledger(database: str) -> Ledger:
    return fill(Ledger(open_store(database)))


@pytest.fixture
def writer(database: str, ledger: Ledger) -> str:
    """The URL of a role that has the rights of the guide for the operator, and no others."""
    role = f"writer_{secrets.token_hex(4)}"
    execute(database, *(statement.format(role=role) for statement in WRITER))
    return database.replace("postgres:@", f"{role}:SECRET@")


@pytest.mark.slow
@pytest.mark.parametrize(
    "statement", ["UPDATE headgate.events SET actor = 'eve'", "DELETE FROM headgate.events", "TRUNCATE headgate.events"]
)
def test_the_database_itself_refuses_to_change_or_delete(database: str, ledger: Ledger, statement: str) -> None:
    import psycopg

    with pytest.raises(psycopg.errors.IntegrityConstraintViolation, match="append-only"):
        execute(database, statement)
    assert len(ledger.verify_chain()) == 5


@pytest.mark.slow
@pytest.mark.parametrize(("seq", "version"), [(5, 4), (9, 4), (6, 9), (6, 3)])
def test_the_database_itself_refuses_to_replace_or_to_leave_a_gap(database: str, ledger: Ledger, seq: int, version: int) -> None:
    import psycopg

    columns = "seq, release, version, type, at, actor, payload, release_previous, previous, hash, subject"
    values = f"{seq}, 'r1', {version}, 't', 'a', 'eve', '{{}}', 'x', 'y', 'z', ''"
    with pytest.raises(psycopg.errors.IntegrityConstraintViolation, match="append-only"):
        execute(database, f"INSERT INTO headgate.events ({columns}) VALUES ({values})")


EMPTY = (
    "CREATE OR REPLACE FUNCTION headgate.events_refuse_change() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog "
    "AS 'BEGIN RETURN NULL; END'"
)


@pytest.mark.slow
@pytest.mark.parametrize(
    "statement",
    [
        "DROP TRIGGER events_no_change ON headgate.events",
        "ALTER TABLE headgate.events DISABLE TRIGGER events_no_change",
        "ALTER TABLE headgate.events ENABLE REPLICA TRIGGER events_only_append",
        EMPTY,
        "ALTER FUNCTION headgate.events_only_append() RESET search_path",
        "CREATE OR REPLACE TRIGGER events_no_change BEFORE UPDATE ON headgate.events FOR EACH ROW "
        "EXECUTE FUNCTION headgate.events_refuse_change()",
        "CREATE OR REPLACE TRIGGER events_no_change BEFORE UPDATE OR DELETE ON headgate.events FOR EACH ROW WHEN (OLD.seq > 99) "
        "EXECUTE FUNCTION headgate.events_refuse_change()",
        "CREATE TRIGGER more AFTER INSERT ON headgate.events FOR EACH ROW EXECUTE FUNCTION headgate.events_refuse_change()",
        "CREATE RULE more AS ON INSERT TO headgate.locks DO ALSO NOTHING",
        "CREATE VIEW headgate.more AS SELECT 1",
        "CREATE TABLE headgate.more (a int)",
        "CREATE TABLE public.more () INHERITS (headgate.events)",
        "CREATE INDEX more ON headgate.events (actor)",
        "ALTER TABLE headgate.events ADD COLUMN more text",
        "ALTER TABLE headgate.events ALTER COLUMN actor DROP NOT NULL",
        "ALTER TABLE headgate.events DROP CONSTRAINT events_hash",
        "ALTER TABLE headgate.events SET UNLOGGED",
        "ALTER TABLE headgate.events ENABLE ROW LEVEL SECURITY",
    ],
)
def test_guards_that_are_gone_disabled_empty_or_foreign_are_found(database: str, ledger: Ledger, statement: str) -> None:
    """A trigger of the right name that is disabled, or whose function does nothing, guards nothing."""
    execute(database, statement)
    for use in (ledger.entries, ledger.now, lambda: ledger.append("r9", [started("r9")], 0, "rue")):
        with pytest.raises(IntegrityBroken, match="guards"):
            use()


@pytest.mark.slow
def test_a_role_that_may_only_read_and_insert_keeps_the_ledger(writer: str, database: str) -> None:
    import psycopg

    ledger = Ledger(open_store(writer))
    ledger.append("r1", [ingested()], 3, "rue")
    with ledger.lock("people", "r1"):
        assert len(ledger.verify_chain()) == 6
    for statement in ("UPDATE headgate.events SET actor = 'eve'", "DROP TRIGGER events_no_change ON headgate.events"):
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            execute(writer, statement)
    assert ledger.store.weaknesses() == ()
    (said,) = open_store(database).weaknesses()
    assert "postgres may change or delete events" in said


@pytest.mark.slow
def test_a_role_with_too_few_rights_is_told_so(writer: str, database: str) -> None:
    role = execute(writer, "SELECT current_user")[0][0]
    execute(database, f"REVOKE INSERT ON headgate.events FROM {role}")
    with pytest.raises(StoreUnavailable, match="may not do what a ledger needs") as refusal:
        Ledger(open_store(writer)).append("r1", [ingested()], 3, "rue")
    assert refusal.value.code == 6
    execute(database, f"GRANT UPDATE (actor) ON headgate.events TO {role}")
    assert open_store(writer).weaknesses() != ()


@pytest.mark.slow
def test_readers_make_nothing(database: str) -> None:
    ledger = Ledger(open_store(database))
    assert (ledger.entries(), ledger.verify_chain(), ledger.events_of("r1"), ledger.store.weaknesses()) == ((), (), (), ())
    assert execute(database, "SELECT count(*) FROM pg_namespace WHERE nspname = 'headgate'") == [(0,)]


@pytest.mark.slow
def test_a_changed_event_is_found_though_the_guards_were_put_back(database: str, ledger: Ledger) -> None:
    execute(
        database,
        "ALTER TABLE headgate.events DISABLE TRIGGER ALL",
        "UPDATE headgate.events SET actor = 'eve' WHERE seq = 2",
        "ALTER TABLE headgate.events ENABLE TRIGGER ALL",
    )
    with pytest.raises(IntegrityBroken, match="Event 2 was changed"):
        ledger.verify_chain()


@pytest.mark.parametrize(
    "url",
    [
        "postgresql+psycopg2://ann:SECRET@host/db",
        "postgresql+asyncpg://ann:SECRET@host/db",
        "postgresql://ann:SECRET@host",
        "postgresql://[SECRET",
    ],
)
def test_a_url_that_names_no_database_is_refused_without_its_password(url: str) -> None:
    with pytest.raises(StoreUnavailable, match="HEADGATE_DATABASE_URL") as refusal:
        open_store(url)
    assert "SECRET" not in f"{refusal.value.message} {refusal.value.cure}"


def test_a_server_that_does_not_answer_is_named_without_its_password(tmp_path: Path) -> None:
    store = open_store(f"postgresql://ann:SECRET@/db?host={tmp_path}")
    with pytest.raises(StoreUnavailable, match="database cannot be used") as refusal:
        Ledger(store).entries()
    assert "SECRET" not in f"{refusal.value.message} {refusal.value.cure} {store!r} {Ledger(store)!r}"
    assert isinstance(refusal.value, HeadgateError)


def test_the_science_and_a_ledger_in_a_file_load_no_sqlalchemy() -> None:
    script = "import sys, headgate, tasks.ledger.open_ledger, tasks.ledger.store_sqlite; print('sqlalchemy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout.strip() == "False"


def test_a_password_that_is_refused_is_said_and_not_repeated() -> None:
    """libpq gives no state for it, so it looked like a server that does not run."""
    refusal = _refusal("", refused=True)
    assert isinstance(refusal, StoreUnavailable)
    assert refusal.message == "The ledger's database refuses the name or the password."
