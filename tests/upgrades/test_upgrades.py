"""Homes that earlier versions left, one per form of the ledger, are verified by every later version, which goes on with them.
`python -m tests.upgrades.make` made them."""

from __future__ import annotations

import lzma
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tasks.ledger.store_sqlite import SCHEMA
from tests.functional.conftest import Project, people, running_here
from tests.unit.postgresql import execute
from tests.upgrades.kept_homes import KEPT, unpacked
from tests.upgrades.make import SERIES

STATES = {
    "0.1.0": ["published", "rejected", "refused", "awaiting_approval"],
    "0.2.0": ["published", "withdrawn", "rejected", "changes_requested", "refused", "awaiting_approval"],
}
# What its operators must write before a dataset goes on, as the changelog says.
POLICY = {
    "0.1.0": {"gates": ", series: {unmeasured: what came before was not kept}"},
    "0.2.0": SERIES,
}
IN_POSTGRESQL = ("0.2.0",)
LAPSED = {"awaiting_approval": "expired"}  # a month later


@pytest.fixture(params=sorted(STATES))
def form(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def kept(form: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Project:
    return unpacked(KEPT / f"{form}.tar.xz", tmp_path, running_here(monkeypatch, capfd))


def test_every_kept_home_is_tried() -> None:
    assert {path.name.removesuffix(".tar.xz") for path in KEPT.glob("*.tar.xz")} == set(STATES) == set(POLICY)
    assert {path.name.removesuffix(".sql.xz") for path in KEPT.glob("*.sql.xz")} == set(IN_POSTGRESQL)


@pytest.mark.slow
def test_a_kept_ledger_passes_the_audit(kept: Project, form: str) -> None:
    audited = kept.run("audit", "verify", "--json")
    assert (audited.code, audited.json["versions"]) == (0, sum(state in ("published", "withdrawn") for state in STATES[form])), audited.err
    states = [release["state"] for release in kept.run("releases", "--json").json["releases"]]
    assert [LAPSED.get(state, state) for state in states] == [LAPSED.get(state, state) for state in STATES[form]]


@pytest.mark.slow
def test_a_kept_published_folder_is_proven_by_its_signers_and_its_ledgers_key(kept: Project) -> None:
    folder, home = kept.home / "releases" / "patients" / "1", kept.home
    said = kept.run("verify", folder, "--signers", home / "signers", "--ledger-key", home / "keys/ledger.pub", "--json")
    assert said.code == 0, said.err
    assert (said.json["origin"], said.json["version"], said.json["approved_by"]) == ("origin proven", 1, ["alice", "bob"])


@pytest.mark.long
@pytest.mark.usefixtures("prefect_server")
def test_a_kept_home_goes_on_with_a_ledger_of_the_newest_form(kept: Project, form: str) -> None:
    before = sum(state in ("published", "withdrawn") for state in STATES[form])
    kept.write_source(people(90))
    kept.write_policy(**POLICY[form])
    released = kept.run("release", kept.policy, "--key", kept.keys["steward"], "--json")
    assert released.code == 0, released.err
    candidate = released.json["candidate"]
    for name in ("alice", "bob"):
        assert kept.run("approve", candidate, "--key", kept.keys[name], "--reason", "as before").code == 0
    published = kept.run("publish", candidate, "--json")
    assert published.code == 0, published.err
    assert Path(published.json["folder"]).name == str(before + 1)
    audited = kept.run("audit", "verify", "--json")
    assert (audited.code, audited.json["versions"]) == (0, before + 1), audited.err
    assert _definitions(kept.home / "ledger.db") == _new_definitions()


@pytest.mark.long
@pytest.mark.parametrize("form", IN_POSTGRESQL, indirect=True)
def test_a_kept_ledger_in_postgresql_passes_the_audit_and_goes_on(
    kept: Project, form: str, database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    execute(database, lzma.decompress((KEPT / f"{form}.sql.xz").read_bytes()).decode())
    (kept.home / "ledger.db").unlink()
    monkeypatch.setenv("HEADGATE_DATABASE_URL", database)
    audited = kept.run("audit", "verify", "--json")
    assert (audited.code, audited.json["versions"]) == (0, 2), audited.err
    events = audited.json["events"]
    assert kept.run("console", "--invite", "bob").code == 0
    assert kept.run("audit", "verify", "--json").json["events"] == events + 1


def _definitions(ledger: Path) -> set[tuple[str, str]]:
    with closing(sqlite3.connect(ledger)) as opened:
        return _named(opened)


def _new_definitions() -> set[tuple[str, str]]:
    with closing(sqlite3.connect(":memory:")) as new:
        new.executescript(SCHEMA)
        return _named(new)


def _named(ledger: sqlite3.Connection) -> set[tuple[str, str]]:
    return set(ledger.execute("SELECT type, name FROM sqlite_master"))
