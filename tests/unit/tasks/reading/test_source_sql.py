from __future__ import annotations

import sqlite3
from pathlib import Path

import pandas as pd
import pytest

from headgate.core.errors import InputRejected
from tasks.reading.ingest import ingest
from tasks.reading.source_sql import open_sql
from tests.unit.tasks.clinic import decoded


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


def test_a_query_that_takes_too_long_is_ended(tmp_path, monkeypatch) -> None:
    monkeypatch.setenv("PEOPLE_URL", f"sqlite:///{people(tmp_path)}")
    monkeypatch.setenv("HEADGATE_QUERY_SECONDS", "0.2")
    with pytest.raises(InputRejected, match="refused by the database") as refusal:
        open_sql("PEOPLE_URL", LONG)
    assert "HEADGATE_QUERY_SECONDS" in refusal.value.cure
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
    ],
)
def test_a_query_is_stopped_at_the_bound_on_bytes(clinic, tmp_path, monkeypatch, refusal, query, said):
    clinic.policy["source"] = {"kind": "sql", "url_env": "CLINIC_URL", "query": query}
    sqlite3.connect(tmp_path / "empty.db").close()
    monkeypatch.setenv("CLINIC_URL", f"sqlite:///{tmp_path}/empty.db")
    monkeypatch.setenv("HEADGATE_MAX_BYTES", "100000")
    assert said in refusal(lambda: ingest(clinic.load())).message
