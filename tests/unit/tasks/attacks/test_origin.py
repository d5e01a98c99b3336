"""The note of where a candidate came from."""

from __future__ import annotations

import sqlite3
import stat
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from headgate.core.errors import InputRejected
from tasks.attacks.origin import keep_origin, reopen
from tasks.reading.dictionaries import encode_dictionaries
from tasks.reading.ingest import ingest
from tasks.reading.references import load_policy
from tasks.runtime.home import Home
from tasks.signing.home_keys import ledger_secret, source_hmac

CANDIDATE = "c" * 64
POLICY = """\
schema: 1
dataset: clinic
source: {kind: csv, path: clinic.csv}
attributes:
  age: {role: quasi, kind: integer, domain: [0, 100]}
  income: {role: sensitive, kind: number, domain: [0, 1000]}
anonymize: {k: 2}
gates: {linkability: 1, disclosure: {dictionaries: [{sql: {url_env: VOTERS_URL, query: "select age from voter"}, on: [age]}], mean: 1}}
publish: {to: clinic}
"""


def sealed() -> Any:
    return SimpleNamespace(id=CANDIDATE, manifest=SimpleNamespace(policy_digest="d" * 64, source_hmac="e" * 64))


def test_a_note_is_readable_by_its_owner_only(tmp_path: Path) -> None:
    keep_origin(Home.open(tmp_path), CANDIDATE, tmp_path / "policy.yaml", None)
    assert stat.S_IMODE((tmp_path / "origins" / CANDIDATE).stat().st_mode) == 0o600
    assert stat.S_IMODE((tmp_path / "origins").stat().st_mode) == 0o700


def test_without_a_note_the_policy_must_be_named(tmp_path: Path) -> None:
    with pytest.raises(InputRejected, match="not known which policy") as refusal:
        reopen(Home.open(tmp_path), sealed())
    assert "--policy" in refusal.value.cure


def test_a_note_that_was_tampered_with_is_refused(tmp_path: Path) -> None:
    home = Home.open(tmp_path)
    keep_origin(home, CANDIDATE, tmp_path / "policy.yaml", None)
    (tmp_path / "origins" / CANDIDATE).write_text('{"policy": "a", "more": "b"}')
    with pytest.raises(InputRejected, match="is not a note that headgate wrote"):
        reopen(home, sealed())


def test_a_policy_that_is_gone_is_told_with_its_cure(tmp_path: Path) -> None:
    home = Home.open(tmp_path)
    keep_origin(home, CANDIDATE, tmp_path / "policy.yaml", tmp_path / "data.csv")
    with pytest.raises(InputRejected, match="does not exist") as refusal:
        reopen(home, sealed())
    assert "--policy" in refusal.value.cure


@pytest.fixture
def made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Home, Any]:
    """A home, and a candidate of it that was made from what lies in the folder."""
    (tmp_path / "clinic.csv").write_text("age,income\n20,1\n30,2\n40,3\n50,4\n")
    (tmp_path / "policy.yaml").write_text(POLICY)
    with sqlite3.connect(tmp_path / "voters.db") as database:
        database.execute("create table voter (age integer)")
        database.executemany("insert into voter values (?)", [(20,), (30,), (50,)])
    monkeypatch.setenv("VOTERS_URL", f"sqlite:///{tmp_path}/voters.db")
    home, loaded = Home.open(tmp_path / "home"), load_policy(tmp_path / "policy.yaml")
    secret, ingested = ledger_secret(home.keys), ingest(loaded)
    queried = encode_dictionaries(loaded, ingested.table).queried
    candidate = sealed()
    candidate.manifest.policy_digest = loaded.digest
    candidate.manifest.source_hmac = source_hmac(secret, ingested.source_digest)
    candidate.manifest.dictionary_hmacs = {name: source_hmac(secret, digest) for name, digest in queried.items()}
    keep_origin(home, CANDIDATE, loaded.path, None)
    return home, candidate


def test_what_the_candidate_was_made_from_is_read_again(made: tuple[Home, Any]) -> None:
    again = reopen(*made)
    assert again.source.table.rows == 4
    assert again.people is None  # without an identifier nobody is known by a number


def test_another_source_is_refused(made: tuple[Home, Any], tmp_path: Path) -> None:
    (tmp_path / "clinic.csv").write_text("age,income\n20,1\n30,2\n40,3\n50,5\n")
    with pytest.raises(InputRejected, match="The source is not the one"):
        reopen(*made)


def test_another_policy_is_refused(made: tuple[Home, Any], tmp_path: Path) -> None:
    (tmp_path / "policy.yaml").write_text(POLICY.replace("k: 2", "k: 3"))
    with pytest.raises(InputRejected, match="is not the policy"):
        reopen(*made)


def test_another_result_of_a_query_is_refused(made: tuple[Home, Any], tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / "voters.db") as database:
        database.execute("update voter set age = 21 where age = 20")
    with pytest.raises(InputRejected, match="its query gives another result"):
        reopen(*made)
