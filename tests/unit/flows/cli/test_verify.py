"""`headgate verify`: what it is given as the ledger's key, and what it prints of claims that it could not measure."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from flows.cli.verify import _united
from tasks.signing.home_keys import ledger_key


def test_a_fingerprint_is_never_a_file_of_that_name(run: Any, world: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A download brings a file that is called like the true ledger's fingerprint and holds the key of whoever made the download."""
    folder = world.published().folder
    own, other = ledger_key(world.home.keys).fingerprint, world.keys["stranger"].fingerprint
    download = tmp_path / "download"
    download.mkdir()
    monkeypatch.chdir(download)
    Path(other).parent.mkdir(parents=True, exist_ok=True)  # a fingerprint may hold a slash
    shutil.copy(world.home.keys / "ledger.pub", other)
    assert run("verify", folder, "--signers", world.home.signers, "--ledger-key", other).code == 5
    proven = run("verify", folder, "--signers", world.home.signers, "--ledger-key", own)
    assert (proven.code, "origin proven" in proven.out) == (0, True)
    shutil.copy(world.home.keys / "ledger.pub", "theirs.pub")
    assert run("verify", folder, "--signers", world.home.signers, "--ledger-key", "theirs.pub").code == 0
    short = run("verify", folder, "--ledger-key", own[:30])
    assert (short.code, "not a whole fingerprint" in short.err) == (2, True)


def test_a_claim_that_cannot_be_measured_of_several_tables_is_said_once() -> None:
    resting = "which rests on the dictionary register, which is not published"
    claims = [
        f"disclosure of table-1, {resting}",
        "query error of table-1 against the source",
        "utility",
        f"disclosure of table-2, {resting}",
    ]
    assert _united(claims) == [f"disclosure of table-1, table-2, {resting}", "query error of table-1 against the source", "utility"]
