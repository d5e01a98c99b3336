from __future__ import annotations

from pathlib import Path

import pytest

from headgate.core.errors import InputRejected
from tasks.reading.source_sql import open_sql
from tests.unit.mariadb import execute as mariadb_rows
from tests.unit.mariadb import mariadb

__all__ = ["mariadb"]


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
