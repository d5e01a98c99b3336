"""`headgate restore`: a drill, a restore, and refusals that say how to go on."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest


@pytest.fixture
def target(run: Any, world: Any, key_folder: Path, tmp_path: Path) -> Path:
    world.published()
    assert run("backup", tmp_path / "target", "--recipient", key_folder / "stranger.pub").code == 0
    return tmp_path / "target"


def test_a_drill_verifies_and_writes_nothing(run: Any, world: Any, target: Path, tmp_path: Path, key_file: Any) -> None:
    before = sorted(os.listdir(tmp_path))
    said = run("restore", target, "--check", "--ledger-key", world.home.keys / "ledger.pub")
    assert (said.code, "all verified" in said.out, "were not opened: give --key" in said.out) == (0, True, True)
    assert sorted(os.listdir(tmp_path)) == before
    assert run("restore", target, "--check", "--key", key_file("stranger"), "--json").json["keys"] is True
    assert run("restore", target, "--check", "--key", key_file("bob"), "--json").error["code"] == 2


def test_a_home_is_restored_and_goes_on(run: Any, world: Any, target: Path, tmp_path: Path, key_file: Any, monkeypatch: Any) -> None:
    said = run("restore", target, "--to", tmp_path / "new", "--key", key_file("stranger"))
    assert (said.code, said.err) == (0, "")
    assert "Never use it beside the home that was backed up." in said.out
    assert "a key that was revoked since then counts again" in said.out
    monkeypatch.setenv("HEADGATE_HOME", str(tmp_path / "new"))
    assert "1 published version checked against it." in run("audit", "verify").out
    assert run("doctor", "--json").json["ledger"] is None
    assert (
        run("restore", target, "--to", tmp_path / "new", "--key", key_file("stranger"), "--json").error["message"].endswith("is not empty.")
    )


def test_without_a_key_it_asks_and_says_what_could_be_restored(run: Any, target: Path, tmp_path: Path, monkeypatch: Any) -> None:
    refused = run("restore", target, "--to", tmp_path / "new", "--json")
    assert (refused.code, "--without-keys" in refused.error["cure"]) == (2, True)
    said = run("restore", target, "--to", tmp_path / "new", "--without-keys")
    assert (said.code, "It has no private keys" in said.out) == (0, True)
    monkeypatch.setenv("HEADGATE_HOME", str(tmp_path / "new"))
    assert run("audit", "verify").code == 0
    assert run("restore", target, "--json").error["code"] == 2


def test_a_rollback_is_refused_with_how_to_go_on(
    run: Any, world: Any, target: Path, tmp_path: Path, key_file: Any, monkeypatch: Any
) -> None:
    later, key = world.published(), key_file("stranger")
    refused = run("restore", target, "--to", tmp_path / "new", "--key", key, "--published", later.folder, "--json")
    assert (refused.code, "would be lost" in refused.error["message"], "--accept-loss" in refused.error["cure"]) == (5, True, True)
    accepted = run("restore", target, "--to", tmp_path / "new", "--key", key, "--published", later.folder, "--accept-loss")
    assert "nothing is written in this home until you run `headgate doctor --accept-ledger`" in accepted.out
    monkeypatch.setenv("HEADGATE_HOME", str(tmp_path / "new"))
    assert run("audit", "verify").code == 5
    assert run("doctor", "--accept-ledger").code == 0
    assert run("audit", "verify").code == 0
