"""Advice reads what a home knows of versions where it may, and asks for no home."""

from __future__ import annotations

from pathlib import Path

import pytest

from tasks.advice.published_before import published_before
from tasks.reading.ingest import Ingested, ingest
from tasks.reading.references import LoadedPolicy
from tasks.runtime.home import Home
from tasks.series.side_store import keep
from tests.unit.tasks.clinic import Clinic
from tests.unit.tasks.series.some_version import some_version


@pytest.fixture
def asked(clinic: Clinic) -> tuple[LoadedPolicy, Ingested]:
    loaded = clinic.load()
    return loaded, ingest(loaded)


def test_without_a_home_there_is_none_and_none_is_made(
    asked: tuple[LoadedPolicy, Ingested], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HEADGATE_HOME", str(tmp_path / "home"))
    loaded, ingested = asked
    assert published_before(loaded.policy, ingested) is None
    assert not (tmp_path / "home").exists()


def test_what_a_home_without_its_ledger_keeps_is_no_version(
    asked: tuple[LoadedPolicy, Ingested], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only the ledger says what was published. A candidate that was rejected is in nobody's hands."""
    monkeypatch.setenv("HEADGATE_HOME", str(tmp_path / "home"))
    loaded, ingested = asked
    keep(Home.open(), loaded.policy.dataset, "a" * 64, some_version())
    before = sorted(tmp_path.rglob("*"))
    assert published_before(loaded.policy, ingested) is None
    assert sorted(tmp_path.rglob("*")) == before
