from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from headgate.core.errors import StoreUnavailable
from tasks.runtime.home import Home


def test_a_home_is_made_private_and_keeps_everything_below_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HEADGATE_DATABASE_URL", "HEADGATE_STORE"):
        monkeypatch.delenv(name, raising=False)
    home = Home.open(tmp_path / "new" / "home")
    assert stat.S_IMODE(home.root.stat().st_mode) == 0o700
    below = (home.ledger, home.candidates, home.keys, home.signers, home.releases, home.prefect)
    assert all(path.is_relative_to(home.root) for path in below)
    assert (home.database_url, home.store) == (f"sqlite:///{home.ledger}", str(home.releases))
    assert sorted(path.name for path in home.root.iterdir()) == ["candidates", "keys", "staging"]


def test_the_environment_names_another_home_ledger_and_store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HEADGATE_HOME", str(tmp_path / "elsewhere"))
    monkeypatch.setenv("HEADGATE_DATABASE_URL", "sqlite:////data/ledger.db")
    monkeypatch.setenv("HEADGATE_STORE", "s3://bucket")
    home = Home.open()
    assert (home.root, home.database_url, home.store) == (tmp_path / "elsewhere", "sqlite:////data/ledger.db", "s3://bucket")


def test_a_home_that_cannot_be_used_is_said_with_a_cure(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(StoreUnavailable, match="cannot be used") as refusal:
        Home.open(tmp_path / "file")
    assert (refusal.value.code, "HEADGATE_HOME" in refusal.value.cure) == (6, True)


def test_a_stage_is_new_private_and_cleared(tmp_path: Path) -> None:
    home = Home.open(tmp_path / "home")
    stage = home.stage("release-1")
    assert stat.S_IMODE(stage.stat().st_mode) == 0o700
    assert os.listdir(stage) == []
    with pytest.raises(FileExistsError):
        home.stage("release-1")
    home.clear_stage("release-1")
    home.clear_stage("release-1")
    assert not stage.exists()
