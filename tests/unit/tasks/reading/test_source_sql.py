from __future__ import annotations

import pandas as pd
import pytest

from tasks.reading.ingest import ingest
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
        ("sqlite://", "was refused", 2),
        (f"sqlite:///{clinic.folder}/absent-{secret}.db", "does not exist", 2),
        (f"nonsense+driver://user:{secret}@host/db", "cannot be used", 2),
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
