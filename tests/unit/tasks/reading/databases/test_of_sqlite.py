from __future__ import annotations

import shutil
import sqlite3
from pathlib import Path

import pytest

from headgate.core.errors import InputRejected
from tasks.reading.source_sql import open_sql

LONG = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10000000) SELECT count(*) FROM n"  # some seconds
TEXTS = "texts AS MATERIALIZED (SELECT hex(zeroblob(40000)) AS hay, hex(zeroblob(20000)) AS needle)"
SEARCHES = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 40), " + TEXTS
SEARCHES += " SELECT sum(instr(hay, needle || i)) FROM n, texts"


def people(folder: Path) -> Path:
    with sqlite3.connect(folder / "people.db") as database:
        database.execute("CREATE TABLE people (age)")
        database.executemany("INSERT INTO people VALUES (?)", [(30,), (41,)])
    database.close()
    return folder / "people.db"


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
