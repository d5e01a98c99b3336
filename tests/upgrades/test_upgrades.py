"""A ledger and a published folder that were kept are verified by every later version. `python -m tests.upgrades.make` made them."""

from __future__ import annotations

import json
import tarfile
from pathlib import Path

import pytest

from flows.cli import app
from flows.terminal.exit_codes import run_application
from tests.upgrades.make import KEPT


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    with tarfile.open(KEPT) as archive:
        archive.extraction_filter = getattr(tarfile, "data_filter", None)  # 3.11.4 and newer
        archive.extractall(tmp_path)
    monkeypatch.setenv("HEADGATE_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


@pytest.mark.slow
def test_a_kept_ledger_passes_the_audit(home: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert run_application(app, ["audit", "verify", "--json"]) == 0
    assert json.loads(capfd.readouterr().out)["versions"] == 1
    assert run_application(app, ["releases", "--json"]) == 0
    assert [release["state"] for release in json.loads(capfd.readouterr().out)["releases"]] == ["published", "rejected", "refused"]


@pytest.mark.slow
def test_a_kept_published_folder_is_proven_by_its_signers_and_its_ledgers_key(home: Path, capfd: pytest.CaptureFixture[str]) -> None:
    folder, trusted = (
        home / "releases" / "patients" / "1",
        ["--signers", str(home / "signers"), "--ledger-key", str(home / "keys/ledger.pub")],
    )
    assert run_application(app, ["verify", str(folder), *trusted, "--json"]) == 0
    said = json.loads(capfd.readouterr().out)
    assert (said["origin"], said["version"], said["approved_by"]) == ("origin proven", 1, ["alice", "bob"])
