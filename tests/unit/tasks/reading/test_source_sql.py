from __future__ import annotations

import sqlite3
import sys
from contextlib import closing

import pandas as pd
import pyarrow as pa
import pytest

from headgate.core.errors import InputRejected
from tasks.reading import source_sql
from tasks.reading.gathered_cells import Gathering
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


def test_a_driver_that_is_not_installed_is_named_with_how_to_install_it(monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "pymysql", None)
    monkeypatch.setenv("PEOPLE_URL", "mysql://reader:s3cret@localhost/clinic")
    with pytest.raises(InputRejected) as refusal:
        open_sql("PEOPLE_URL", "SELECT 1 AS a")
    assert (refusal.value.message, refusal.value.cure) == ("The driver for mysql is not installed.", "pip install 'headgate[mysql]'")
    monkeypatch.setenv("PEOPLE_URL", "mysql+mysqldb://reader:s3cret@localhost/clinic")
    with pytest.raises(InputRejected, match="The driver MySQLdb, which the URL names, is not installed"):
        open_sql("PEOPLE_URL", "SELECT 1 AS a")


def test_nothing_is_kept_of_columns_that_are_dropped(clinic, tmp_path, monkeypatch) -> None:
    """They count in the digest. Previously they lay in memory with the others."""
    with closing(sqlite3.connect(tmp_path / "clinic.db")) as connection:
        pd.read_csv(clinic.source, dtype="str", keep_default_na=False, na_values=[""]).to_sql("clinic", connection, index=False)
    monkeypatch.setenv("CLINIC_URL", f"sqlite:///{tmp_path / 'clinic.db'}")
    kept: set[str] = set()

    class Watched(Gathering):
        def add(self, part: pa.Table) -> None:
            kept.update(part.column_names)
            super().add(part)

    monkeypatch.setattr(source_sql, "Gathering", Watched)
    clinic.policy["source"] = {"kind": "sql", "url_env": "CLINIC_URL", "query": "SELECT * FROM clinic"}
    whole = open_sql("CLINIC_URL", "SELECT * FROM clinic")
    assert "notes" in kept
    kept.clear()
    found = ingest(clinic.load())
    assert kept == set(whole.names) - {"notes"}
    assert found.source_digest == whole.digest
