"""What only a database does: see test_release_store.py for what every store must."""

from __future__ import annotations

import json
import secrets
from pathlib import Path
from typing import Any

import pytest

import tasks.stores.store_postgresql as module
from headgate.core.errors import IntegrityBroken, PublicationFailed, StoreUnavailable
from tasks.publication.withdraw import withdraw
from tasks.stores.release_store import NOT_OURS
from tasks.stores.store_postgresql import Schema, SchemaSeries, open_store
from tasks.verification.audit import verify_audit
from tests.unit.postgresql import execute
from tests.unit.tasks.stores.schema_server import end_connections

pytestmark = pytest.mark.slow
CANDIDATE, ANOTHER = "c" * 64, "d" * 64
DICTIONARY = {
    "resources": [
        {"path": "tables/table-1.csv", "schema": {"fields": [{"name": "income", "type": "number"}, {"name": "group", "type": "integer"}]}}
    ]
}
FILES = {
    "datapackage.json": json.dumps(DICTIONARY).encode(),
    "tables/table-1.csv": b"age,income,group\n[20..29],250.5,7\n*,,7\n",
    "attestation.dsse.json": b"signed",
}
PUBLISHER = (
    "CREATE ROLE {role} LOGIN",
    "GRANT USAGE ON SCHEMA {s} TO {role}",
    "GRANT SELECT ON ALL TABLES IN SCHEMA {s} TO {role}",
    "GRANT INSERT ON {s}.versions, {s}.files TO {role}",
    "GRANT EXECUTE ON FUNCTION {s}.make_table, {s}.point_latest, {s}.relation_name TO {role}",
)
READER = (
    "CREATE ROLE {role} LOGIN",
    "GRANT USAGE ON SCHEMA {s} TO {role}",
    "GRANT SELECT ON ALL TABLES IN SCHEMA {s} TO {role}",
    "ALTER DEFAULT PRIVILEGES IN SCHEMA {s} GRANT SELECT ON TABLES TO {role}",
)


@pytest.fixture
def series(schema_address: str) -> SchemaSeries:
    found = open_store(schema_address).series("people")
    found.prepare()
    return found


def put(series: SchemaSeries, number: int, **changed: bytes) -> None:
    with series.begin(number, CANDIDATE) as draft:
        for path, content in (FILES | changed).items():
            draft.write(path, content)
        assert draft.place()


def role(database: str, series: SchemaSeries, rights: tuple[str, ...]) -> str:
    name = f"role_{secrets.token_hex(4)}"
    execute(database, *(statement.format(role=name, s=series.database.schema) for statement in rights))
    return name


def test_a_reader_selects_typed_rows_by_version_and_by_latest(series: SchemaSeries, database: str) -> None:
    put(series, 1)
    series.point_latest(1)
    rows = [("[20..29]", 250.5, 7), ("*", None, 7)]
    schema = series.database.schema
    for name in ("people/1/table-1", "people/latest/table-1"):
        assert execute(database, f'SELECT age, income, "group" FROM {schema}."{name}" ORDER BY income') == rows
    kept = execute(database, f"SELECT path, sha256(content) = sha256('signed') FROM {schema}.latest_files ORDER BY path LIMIT 1")
    assert kept == [("attestation.dsse.json", True)]


def test_the_views_of_latest_move_with_it_whatever_the_columns(series: SchemaSeries, database: str) -> None:
    schema = series.database.schema
    put(series, 1)
    put(series, 2, **{"tables/table-1.csv": b"other\n1\n", "tables/table-2.csv": b"b\n2\n"})
    put(series, 3)

    def views() -> list[tuple[str, str]]:
        shown = f"SELECT viewname, substring(definition from '/([0-9])/') FROM pg_views WHERE schemaname = '{schema}' AND viewname ~ '/'"
        return sorted(execute(database, shown))

    for number, expected in (
        (1, [("people/latest/table-1", "1")]),
        (2, [("people/latest/table-1", "2"), ("people/latest/table-2", "2")]),
        (3, [("people/latest/table-1", "3")]),
        (1, [("people/latest/table-1", "1")]),
        (None, []),
        (2, [("people/latest/table-1", "2"), ("people/latest/table-2", "2")]),
    ):
        series.point_latest(number)
        assert views() == expected
        assert execute(database, f"SELECT number FROM {schema}.published WHERE latest") == [(number,)] * (number is not None)


@pytest.mark.parametrize(
    "change",
    [
        'CREATE OR REPLACE VIEW {v} AS SELECT age, income, 7::bigint AS "group" FROM {t}',
        "CREATE OR REPLACE VIEW {v} AS SELECT * FROM {t} WHERE age <> '*'",
        "DROP VIEW {v}",
        "DROP VIEW {v}; CREATE VIEW {v} AS SELECT age FROM {t}",
        'DROP VIEW {v}; CREATE VIEW {v} AS SELECT * FROM {s}."people/1/table-1"',
    ],
)
def test_a_view_of_latest_that_somebody_changed_is_found_and_put_right(series: SchemaSeries, database: str, change: str) -> None:
    schema = series.database.schema
    put(series, 1)
    put(series, 2)
    series.point_latest(2)
    names = {"v": f'{schema}."people/latest/table-1"', "t": f'{schema}."people/2/table-1"', "s": schema}
    execute(database, *change.format(**names).split("; "))
    assert series.latest() == NOT_OURS
    series.point_latest(2)
    assert series.latest() == 2
    assert len(execute(database, f"SELECT age, income FROM {names['v']}")) == 2


def test_a_role_without_ownership_publishes_and_can_change_nothing(series: SchemaSeries, schema_address: str, database: str) -> None:
    import psycopg

    publisher = role(database, series, PUBLISHER)
    own = open_store(schema_address.replace("postgres@", f"{publisher}@")).series("people")
    own.prepare()
    put(own, 1)
    own.point_latest(1)
    own.mark_withdrawn(1, b"withdrawn")
    own.point_latest(None)
    assert own.read(1).keys() == {*FILES, "withdrawn.json"}
    as_publisher = database.replace("postgres:@", f"{publisher}@")
    for statement in (
        'ALTER TABLE {s}."people/1/table-1" DISABLE TRIGGER ALL',
        'UPDATE {s}."people/1/table-1" SET age = NULL',
        "DELETE FROM {s}.files",
        "UPDATE {s}.latest SET number = 1",
        'DROP TABLE {s}."people/1/table-1"',
        "CREATE TABLE {s}.more (a integer)",
    ):
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            execute(as_publisher, statement.format(s=series.database.schema))


def test_a_reader_may_select_what_is_published_and_nothing_else(series: SchemaSeries, database: str) -> None:
    import psycopg

    schema, reader = series.database.schema, role(database, series, READER)
    put(series, 1)
    series.point_latest(1)
    as_reader = database.replace("postgres:@", f"{reader}@")
    for name in ('"people/1/table-1"', '"people/latest/table-1"', "published", "latest_files", "files"):
        assert execute(as_reader, f"SELECT * FROM {schema}.{name}")
    for statement in (
        "INSERT INTO {s}.versions VALUES ('people', 2, 'c')",
        "INSERT INTO {s}.\"people/latest/table-1\" VALUES ('*', 1, 1)",
        'DELETE FROM {s}."people/1/table-1"',
        "SELECT {s}.point_latest('people', NULL)",
        "SELECT {s}.make_table('people', 9, 't', '{{a}}', '{{text}}')",
    ):
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            execute(as_reader, statement.format(s=schema))


def test_a_role_with_too_few_rights_is_told_so(series: SchemaSeries, schema_address: str, database: str) -> None:
    reader = role(database, series, READER)
    with pytest.raises(StoreUnavailable, match=r"may not do .* \(42501\)") as refused:
        put(open_store(schema_address.replace("postgres@", f"{reader}@")).series("people"), 1)
    assert "guide for the operator" in refused.value.cure


def test_rows_that_are_not_those_of_the_signed_file_are_found(series: SchemaSeries, database: str) -> None:
    """Whoever owns the schema can disable its triggers."""
    table = f'{series.database.schema}."people/1/table-1"'
    put(series, 1)
    for statement in (f"UPDATE {table} SET income = 1 WHERE income IS NULL", f"INSERT INTO {table} SELECT * FROM {table} LIMIT 1"):
        execute(database, f"ALTER TABLE {table} DISABLE TRIGGER USER", statement)
        with pytest.raises(IntegrityBroken, match="do not hold the rows of its files"):
            series.read(1)


def test_files_that_are_no_tables_any_more_are_found(series: SchemaSeries, database: str) -> None:
    put(series, 1)
    schema = series.database.schema
    for path, content in (
        ("tables/table-1.csv", "\\xff"),
        ("tables/table-1.csv", '"'),
        ("datapackage.json", "[]"),
        ("datapackage.json", "{}"),
    ):
        change = f"UPDATE {schema}.files SET content = '{content}' WHERE path = '{path}'"
        execute(database, f"ALTER TABLE {schema}.files DISABLE TRIGGER USER", change)
        with pytest.raises(IntegrityBroken, match="do not hold the rows of its files"):
            series.read(1)


def test_a_value_that_the_database_does_not_take_is_in_no_message(series: SchemaSeries) -> None:
    for cell in ("CANARY", "CANARY\0"):
        with pytest.raises(StoreUnavailable, match="cannot hold a table") as refused:
            put(series, 1, **{"tables/table-1.csv": f"age,income,group\n*,1,{cell}\n".encode()})
        assert "CANARY" not in str(refused.value)
        assert refused.value.__suppress_context__
    assert series.versions() == ()


def test_a_large_file_lies_in_parts_and_is_read_as_one(series: SchemaSeries, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "PART", 6)
    put(series, 1)
    assert {path: file.content for path, file in series.read(1).items()} == FILES


def test_a_number_that_another_candidate_has_is_not_taken(series: SchemaSeries) -> None:
    put(series, 1)
    with pytest.raises(PublicationFailed, match="claimed by another candidate"), series.begin(1, ANOTHER):
        pytest.fail("the claim did not hold")


@pytest.fixture
def world_in_schema(world: Any, schema_address: str) -> Any:
    """As the operator names it, where nothing may hold a password."""
    (world.home.root / "operator.yaml").write_text(f"floor: {{approvals: 2}}\ntargets: {{people: '{schema_address}'}}\n")
    return world


def test_releases_are_published_audited_and_withdrawn_there(world_in_schema: Any, series: SchemaSeries, database: str) -> None:
    first, second = world_in_schema.published(), world_in_schema.published()
    assert (first.address, second.version, series.latest()) == (series.address(1), 2, 2)
    assert verify_audit(world_in_schema.home, world_in_schema.ledger).versions == 2
    view = f'{series.database.schema}."people/latest/table-2"'
    assert execute(database, f"SELECT count(*), min(income::float), max(income::float) FROM {view}") == [(60, 100.0, 900.0)]
    assert withdraw(world_in_schema.home, world_in_schema.ledger, "release-2", world_in_schema.keys["ann"], "a mistake").latest == 1
    report = verify_audit(world_in_schema.home, world_in_schema.ledger)
    assert (report.faults, report.unfinished) == ((), ())
    assert "withdrawn.json" in series.read(2)
    assert execute(database, f"SELECT number, latest, withdrawn FROM {series.database.schema}.published ORDER BY 1") == [
        (1, True, False),
        (2, False, True),
    ]
    shown = execute(database, f"SELECT definition FROM pg_views WHERE schemaname = '{series.database.schema}' AND viewname ~ 'latest/'")
    assert len(shown) == 2
    assert all('"people/1/' in definition for (definition,) in shown)


@pytest.mark.parametrize("at", ["add_file", "add_rows"])
def test_a_publication_whose_server_went_away_is_finished_when_it_is_back(
    world_in_schema: Any, series: SchemaSeries, database: str, monkeypatch: pytest.MonkeyPatch, at: str
) -> None:
    candidate = world_in_schema.seal()
    world_in_schema.approve(candidate, "ann", "bob")
    honest = getattr(Schema, at)

    def gone(*arguments: Any) -> None:
        end_connections(database)
        honest(*arguments)

    with monkeypatch.context() as broken:
        broken.setattr(Schema, at, gone)
        with pytest.raises(StoreUnavailable, match=f"The database of {series.database.shown} cannot be used") as failed:
            world_in_schema.publish(candidate)
    assert failed.value.code == 6
    assert series.versions() == ()
    assert world_in_schema.publish(candidate).version == 1
    assert verify_audit(world_in_schema.home, world_in_schema.ledger).unfinished == ()


def test_it_loads_no_driver_until_it_is_used(tmp_path: Path) -> None:
    import subprocess
    import sys

    opened = "import sys, tasks.stores.store_postgresql as s; s.open_store('postgresql://h/d/s').series('p').address()"
    script = f"{opened}; print('psycopg' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout.strip() == "False"
