"""What the database itself keeps, whoever speaks to it."""

from __future__ import annotations

import pytest

from headgate.core.errors import StoreUnavailable
from tasks.stores.database_target import database_target
from tasks.stores.release_schema import FUNCTIONS
from tasks.stores.store_postgresql import SchemaSeries, open_store
from tests.unit.postgresql import execute

pytestmark = pytest.mark.slow
CANDIDATE = "c" * 64
FILES = {"tables/table-1.csv": b"a,group\nx,1\n", "attestation.dsse.json": b"signed"}


@pytest.fixture
def series(schema_address: str) -> SchemaSeries:
    found = open_store(schema_address).series("people")
    found.prepare()
    with found.begin(1, CANDIDATE) as draft:
        for path, content in FILES.items():
            draft.write(path, content)
        assert draft.place()
    found.point_latest(1)
    return found


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE {s}.versions SET candidate = 'd'",
        "DELETE FROM {s}.files",
        "TRUNCATE {s}.files",
        "DELETE FROM {s}.tables",
        "UPDATE {s}.\"people/1/table-1\" SET a = 'y'",
        'DELETE FROM {s}."people/1/table-1"',
        'TRUNCATE {s}."people/1/table-1"',
        "INSERT INTO {s}.\"people/1/table-1\" VALUES ('y', 2)",
        "UPDATE {s}.\"people/latest/table-1\" SET a = 'y'",
        "INSERT INTO {s}.files VALUES ('people', 1, 'more.csv', 0, '')",
        "INSERT INTO {s}.files VALUES ('people', 1, 'attestation.dsse.json', 1, '')",
        "SELECT {s}.make_table('people', 1, 'more', '{{a}}', '{{text}}')",
        "INSERT INTO {s}.versions VALUES ('people', 2, 'c')",
        "BEGIN; INSERT INTO {s}.versions VALUES ('people', 2, 'c'); INSERT INTO {s}.files VALUES ('people', 2, 'a.csv', 0, ''); END",
        "BEGIN; INSERT INTO {s}.versions VALUES ('people', 2, 'c'); INSERT INTO {s}.files VALUES ('people', 2, 'withdrawn.json', 0, '')",
        "SELECT {s}.point_latest('people', 2)",
    ],
)
def test_what_is_published_stays_and_no_version_is_there_in_part(series: SchemaSeries, database: str, statement: str) -> None:
    """Even for the role that owns the schema, while its triggers are there."""
    import psycopg

    with pytest.raises(psycopg.errors.IntegrityError):
        execute(database, statement.format(s=series.database.schema))
    assert (series.versions(), series.latest()) == ((1,), 1)
    assert {path: file.content for path, file in series.read(1).items()} == FILES


@pytest.mark.parametrize(
    "statement",
    [
        "ALTER TABLE {s}.files DISABLE TRIGGER refuse_change",
        "DROP TRIGGER require_attested ON {s}.versions",
        'ALTER TABLE {s}."people/1/table-1" DISABLE TRIGGER refuse_more',
        "CREATE OR REPLACE FUNCTION {s}.refuse_change() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp "
        "AS 'BEGIN RETURN NULL; END'",
        "ALTER FUNCTION {s}.point_latest RESET search_path",
        "CREATE FUNCTION {s}.more() RETURNS integer LANGUAGE sql AS 'SELECT 1'",
    ],
)
def test_guards_that_are_not_those_of_headgate_are_refused(series: SchemaSeries, database: str, statement: str) -> None:
    execute(database, statement.format(s=series.database.schema))
    with pytest.raises(StoreUnavailable, match="are not those that headgate made"):
        series.prepare()


def test_nobody_may_call_the_functions_unasked(series: SchemaSeries, database: str) -> None:
    """Two of them run with the rights of the owner."""
    for name, (parameters, *_) in FUNCTIONS.items():
        types = ", ".join(parameter.split(" ")[1] for parameter in parameters.split(", ") if parameter)
        query = f"SELECT has_function_privilege('pg_read_all_data', '{series.database.schema}.{name}({types})', 'EXECUTE')"
        assert execute(database, query) == [(False,)], name


def test_a_long_name_is_shortened_and_stays_unlike_any_other(schema_address: str, database: str) -> None:
    schema = database_target(schema_address).schema
    open_store(schema_address).series("people").prepare()
    names = [
        execute(database, f"SELECT {schema}.relation_name('{'t' * 60}', '{version}', '{name}')")[0][0]
        for version in ("1", "2", "latest")
        for name in ("table-1", "table-2")
    ]
    assert len(set(names)) == 6
    assert all(len(name) == 63 for name in names)
    assert execute(database, f"SELECT {schema}.relation_name('people', '1', 'table-1')") == [("people/1/table-1",)]


def test_two_who_prepare_a_schema_at_once_both_find_it(schema_address: str) -> None:
    from concurrent.futures import ThreadPoolExecutor

    store = open_store(schema_address)
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda number: store.series(f"people-{number}").prepare(), range(4)))
    assert store.targets() == frozenset()
