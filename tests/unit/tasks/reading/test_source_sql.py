from __future__ import annotations

import shutil
import sqlite3
import sys
import time
from pathlib import Path

import pandas as pd
import pytest

from headgate.core.errors import InputRejected
from tasks.reading.ingest import ingest
from tasks.reading.source_sql import open_sql
from tests.unit.mariadb import execute as mariadb_rows
from tests.unit.mariadb import mariadb
from tests.unit.postgresql import database, execute, postgresql
from tests.unit.tasks.clinic import decoded

__all__ = ["database", "mariadb", "postgresql"]


def test_a_query_is_a_source_and_its_digest_does_not_depend_on_the_order_of_rows(clinic, monkeypatch, refusal):
    from sqlalchemy import create_engine

    frame = pd.read_csv(clinic.source, dtype="str", keep_default_na=False, na_values=[""])
    database = clinic.folder / "clinic.db"
    engine = create_engine(f"sqlite:///{database}")
    frame.to_sql("clinic", engine, index=False)
    engine.dispose()
    before = database.read_bytes()
    plain = ingest(clinic.load())
    clinic.policy["source"] = {"kind": "sql", "url_env": "CLINIC_URL", "query": "SELECT * FROM clinic"}
    assert "CLINIC_URL" in refusal(lambda: ingest(clinic.load())).cure
    monkeypatch.setenv("CLINIC_URL", f"sqlite:///{database}")
    found = ingest(clinic.load())
    for name in plain.table.columns:
        assert decoded(found.table, name) == decoded(plain.table, name)
    clinic.policy["source"]["query"] = "SELECT * FROM clinic ORDER BY age DESC, patient_id"
    assert ingest(clinic.load()).source_digest == found.source_digest
    clinic.policy["source"]["query"] = "SELECT * FROM clinic WHERE age <> '20'"
    assert ingest(clinic.load()).source_digest != found.source_digest
    assert database.read_bytes() == before


def test_a_query_that_fails_is_refused_without_the_url_or_a_value(clinic, monkeypatch, refusal):
    clinic.policy["source"] = {"kind": "sql", "url_env": "CLINIC_URL", "query": "SELECT 'CANARY' FROM nowhere"}
    secret = "s3cret"
    for url, word, code in [
        ("sqlite://", "absolute path", 2),
        (f"sqlite:///absent-{secret}.db", "absolute path", 2),
        (f"sqlite:///{clinic.folder}/absent-{secret}.db", "does not exist", 2),
        (f"nonsense+driver://user:{secret}@host/db", "cannot open read-only", 2),
        (f"not a url {secret}", "cannot be used", 2),
        (f"postgresql+psycopg2://user:{secret}@127.0.0.1:1/db", "", None),
    ]:
        monkeypatch.setenv("CLINIC_URL", url)
        if code is None:
            from headgate.core.errors import HeadgateError

            with pytest.raises(HeadgateError) as caught:
                ingest(clinic.load())
            assert secret not in str(caught.value)
            continue
        problem = refusal(lambda: ingest(clinic.load()), code)
        assert word in problem.message
        assert secret not in str(problem)
    assert not list(clinic.folder.glob("absent*"))


LONG = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10000000) SELECT count(*) FROM n"  # some seconds
TEXTS = "texts AS MATERIALIZED (SELECT hex(zeroblob(40000)) AS hay, hex(zeroblob(20000)) AS needle)"
SEARCHES = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 40), " + TEXTS
SEARCHES += " SELECT sum(instr(hay, needle || i)) FROM n, texts"


@pytest.mark.parametrize(
    "query",
    [
        "DROP TABLE people",
        "CREATE TABLE more (i)",
        "DELETE FROM people RETURNING age",
        "INSERT INTO people VALUES (1) RETURNING age",
        "UPDATE people SET age = 1 RETURNING age",
        "VACUUM INTO 'FOLDER/copy.db'",
        "ATTACH 'FOLDER/other.db' AS other",
        "PRAGMA user_version = 7",
        "PRAGMA table_info(people)",
        "PRAGMA writable_schema = ON",
        "EXPLAIN DELETE FROM people",
        "SELECT load_extension('FOLDER/x')",
        "SELECT 1; DROP TABLE people",
        "BEGIN EXCLUSIVE",
        "REINDEX",
        "ANALYZE",
    ],
)
def test_a_query_can_only_read(query: str, tmp_path, monkeypatch) -> None:
    database = people(tmp_path)
    monkeypatch.setenv("PEOPLE_URL", f"sqlite:///{database}")
    before = database.read_bytes()
    with pytest.raises(InputRejected):
        open_sql("PEOPLE_URL", query.replace("FOLDER", str(tmp_path)))
    assert database.read_bytes() == before
    assert [path.name for path in tmp_path.iterdir()] == ["people.db"]
    assert open_sql("PEOPLE_URL", "WITH old AS (SELECT max(age) AS age FROM people) SELECT upper(age) AS age FROM old").names == ("age",)


@pytest.mark.timeout(20)
@pytest.mark.parametrize("query", [LONG, SEARCHES])
def test_a_query_that_takes_too_long_is_ended(query: str, tmp_path, monkeypatch) -> None:
    monkeypatch.setenv("PEOPLE_URL", f"sqlite:///{people(tmp_path)}")
    monkeypatch.setenv("HEADGATE_QUERY_SECONDS", "0.2")
    with pytest.raises(InputRejected, match="refused by the database") as refusal:
        open_sql("PEOPLE_URL", query)
    assert "HEADGATE_QUERY_SECONDS" in refusal.value.cure


@pytest.mark.timeout(60)
@pytest.mark.slow
def test_what_a_query_sorts_stays_in_memory_and_is_bounded_there(tmp_path, monkeypatch) -> None:
    """It filled the disk under /var/tmp with rows of the source, 100 MB each second."""
    monkeypatch.setenv("PEOPLE_URL", f"sqlite:///{people(tmp_path)}")
    monkeypatch.setenv("HEADGATE_MAX_BYTES", "1000000")
    sorts = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT x, randomblob(200000) AS b FROM c ORDER BY b"
    before = shutil.disk_usage("/var/tmp").free
    with pytest.raises(InputRejected, match="refused by the database"):
        open_sql("PEOPLE_URL", sorts)
    assert before - shutil.disk_usage("/var/tmp").free < 100e6


def test_a_time_that_is_no_number_is_refused(tmp_path, monkeypatch) -> None:
    monkeypatch.setenv("PEOPLE_URL", f"sqlite:///{people(tmp_path)}")
    monkeypatch.setenv("HEADGATE_QUERY_SECONDS", "soon")
    with pytest.raises(InputRejected, match="not a number of seconds"):
        open_sql("PEOPLE_URL", LONG)


def people(folder: Path) -> Path:
    with sqlite3.connect(folder / "people.db") as database:
        database.execute("CREATE TABLE people (age)")
        database.executemany("INSERT INTO people VALUES (?)", [(30,), (41,)])
    database.close()
    return folder / "people.db"


def test_a_query_is_stopped_at_the_bound_on_cells(clinic, tmp_path, monkeypatch, refusal):
    """It would go on for ever."""
    endless = "WITH RECURSIVE n(a, b) AS (SELECT 1, 1 UNION ALL SELECT a + 1, b FROM n) SELECT a, b FROM n"
    clinic.policy["source"] = {"kind": "sql", "url_env": "CLINIC_URL", "query": endless}
    sqlite3.connect(tmp_path / "empty.db").close()
    monkeypatch.setenv("CLINIC_URL", f"sqlite:///{tmp_path}/empty.db")
    monkeypatch.setenv("HEADGATE_MAX_CELLS", "1000")
    assert "more than 1,000 cells" in refusal(lambda: ingest(clinic.load())).message


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("SELECT hex(zeroblob(1000000)) AS a", "refused by the database"),
        (
            "WITH RECURSIVE n(a) AS (SELECT 1 UNION ALL SELECT a + 1 FROM n) SELECT hex(zeroblob(1000)) AS a FROM n",
            "more than 100,000 bytes",
        ),
        ("WITH RECURSIVE n(a) AS (SELECT 1 UNION ALL SELECT a + 1 FROM n) SELECT a FROM n", "more than 100,000 bytes"),
    ],
)
def test_a_query_is_stopped_at_the_bound_on_bytes(clinic, tmp_path, monkeypatch, refusal, query, said):
    clinic.policy["source"] = {"kind": "sql", "url_env": "CLINIC_URL", "query": query}
    sqlite3.connect(tmp_path / "empty.db").close()
    monkeypatch.setenv("CLINIC_URL", f"sqlite:///{tmp_path}/empty.db")
    monkeypatch.setenv("HEADGATE_MAX_BYTES", "100000")
    monkeypatch.setenv("HEADGATE_MAX_CELLS", "100000")  # so that an endless query ends here even where bytes count for nothing
    assert said in refusal(lambda: ingest(clinic.load())).message


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


@pytest.mark.slow
def test_a_query_of_mariadb_is_read_some_rows_at_a_time_by_a_user_who_only_reads(mariadb: Path, monkeypatch) -> None:
    """A procedure could end the transaction and write; a user with FILE could write files of the server."""
    mariadb_rows(
        mariadb,
        "CREATE DATABASE clinic",
        "USE clinic",
        "CREATE TABLE clinic.people (id INT PRIMARY KEY, town TEXT, born DATE, pay DECIMAL(9, 2), waits TIME) "
        "SELECT seq AS id, CONCAT('town ', seq % 7) AS town, '1990-01-02' AS born, 10.5 AS pay, '26:30:00' AS waits FROM seq_1_to_25000",
        "CREATE PROCEDURE clinic.more() BEGIN COMMIT; START TRANSACTION READ WRITE; DELETE FROM clinic.people; SELECT 1 AS a; END",
        "CREATE ROLE filer",
        "GRANT FILE ON *.* TO filer",
        "CREATE USER reader IDENTIFIED BY 's3cret'",
        "GRANT ALL PRIVILEGES ON clinic.* TO reader",
        "CREATE USER writer",
        "GRANT SELECT, FILE ON *.* TO writer",
        "CREATE USER by_role",
        "GRANT SELECT ON clinic.* TO by_role",
        "GRANT filer TO by_role",
        "SET DEFAULT ROLE filer FOR by_role",
    )
    address = f"mysql+pymysql://reader:s3cret@localhost/clinic?unix_socket={mariadb}"
    monkeypatch.setenv("PEOPLE_URL", address)
    source = open_sql("PEOPLE_URL", "SELECT * FROM people WHERE town LIKE '%town%' ORDER BY id -- all of them")
    cells = source.read(source.names)
    assert cells.column("id").to_pylist() == [str(row) for row in range(1, 25_001)]
    assert cells.slice(6, 1).to_pylist() == [{"id": "7", "town": "town 0", "born": "1990-01-02", "pay": "10.50", "waits": "26:30:00"}]
    monkeypatch.setenv("PEOPLE_URL", address.replace("mysql+pymysql", "mariadb"))
    assert open_sql("PEOPLE_URL", "WITH all_of AS (SELECT * FROM people) SELECT * FROM all_of ORDER BY id DESC").digest == source.digest
    for query in (
        "DELETE FROM people",
        "DELETE FROM people RETURNING id",
        "CALL more()",
        "DROP TABLE people",
        "CREATE TABLE others (i INT)",
        "SET SESSION TRANSACTION READ WRITE",
        "SELECT 1 AS a; DROP TABLE people",
        "SELECT 1 AS a) AS x; DROP TABLE people; SELECT * FROM (SELECT 1 AS a",
        "SELECT * FROM people INTO OUTFILE '/tmp/people'",
        "SELECT s3cret FROM people",
    ):
        with pytest.raises(InputRejected, match="refused by the database") as refusal:
            open_sql("PEOPLE_URL", query)
        assert "s3cret" not in str(refusal.value)
    monkeypatch.setenv("HEADGATE_QUERY_SECONDS", "0.2")
    with pytest.raises(InputRejected, match="refused by the database"):
        open_sql("PEOPLE_URL", "SELECT COUNT(*) AS n FROM people AS a, people AS b, people AS c WHERE a.town < b.town AND b.town < c.town")
    monkeypatch.setenv("HEADGATE_QUERY_SECONDS", "60")
    monkeypatch.setenv("HEADGATE_MAX_BYTES", "100000")
    with pytest.raises(InputRejected, match="more than 100,000 bytes"):
        open_sql("PEOPLE_URL", "SELECT * FROM people")
    for user in ("root", "writer", "by_role"):
        monkeypatch.setenv("PEOPLE_URL", f"mysql://{user}@localhost/?unix_socket={mariadb}")
        with pytest.raises(InputRejected, match="may do more than read"):
            open_sql("PEOPLE_URL", "SELECT 1 AS a")
    assert mariadb_rows(mariadb, "SELECT COUNT(*) FROM clinic.people") == [(25_000,)]


def test_a_driver_that_is_not_installed_is_named_with_how_to_install_it(monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "pymysql", None)
    monkeypatch.setenv("PEOPLE_URL", "mysql://reader:s3cret@localhost/clinic")
    with pytest.raises(InputRejected) as refusal:
        open_sql("PEOPLE_URL", "SELECT 1 AS a")
    assert (refusal.value.message, refusal.value.cure) == ("The driver for mysql is not installed.", "pip install 'headgate[mysql]'")
    monkeypatch.setenv("PEOPLE_URL", "mysql+mysqldb://reader:s3cret@localhost/clinic")
    with pytest.raises(InputRejected, match="The driver MySQLdb, which the URL names, is not installed"):
        open_sql("PEOPLE_URL", "SELECT 1 AS a")
