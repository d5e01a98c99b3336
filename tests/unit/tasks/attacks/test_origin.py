"""The note of where a candidate came from."""

from __future__ import annotations

import stat
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from headgate.core.errors import InputRejected
from tasks.attacks.origin import keep_origin, reopen
from tasks.runtime.home import Home

CANDIDATE = "c" * 64


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
