"""`headgate backup`: what it says, and that a script can read it."""

from __future__ import annotations

from pathlib import Path
from typing import Any


def test_a_backup_says_what_it_holds_and_what_not(run: Any, world: Any, key_folder: Path, tmp_path: Path) -> None:
    world.published()
    target, recipient = tmp_path / "target", key_folder / "stranger.pub"
    said = run("backup", target, "--recipient", recipient)
    assert (said.code, said.err) == (0, "")
    assert f": {world.ledger.last().seq} events, " in said.out
    assert f"Its keys can be opened by {world.keys['stranger'].fingerprint}." in said.out
    assert "Not in it: Prefect's record of past runs" in said.out
    again = run("backup", target, "--recipient", recipient, "--json").json
    assert (again["events"], again["copied"], again["copied_bytes"]) == (world.ledger.last().seq, 0, 0)


def test_nobody_to_open_the_keys_is_an_error_with_its_cure(run: Any, world: Any, tmp_path: Path) -> None:
    refused = run("backup", tmp_path / "target", "--json")
    assert (refused.code, "operator.yaml" in refused.error["cure"]) == (2, True)
    assert not (tmp_path / "target").exists()


def test_a_mistyped_home_is_not_made(run: Any, tmp_path: Path) -> None:
    assert run("backup", tmp_path / "target").code == 6
    assert not (tmp_path / "home").exists()
