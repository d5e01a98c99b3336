"""Compiled loops are code: they are kept only where others cannot write."""

from __future__ import annotations

import os
from pathlib import Path
from types import SimpleNamespace

import pytest

from headgate.core.errors import InputRejected, StoreUnavailable
from tasks.runtime import loops_cache
from tasks.runtime.loops_cache import VARIABLE, choose_loops_cache


@pytest.fixture
def code(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """headgate's code as it is installed, and an account with caches of its own."""
    folder = tmp_path / "headgate"
    (folder / "core" / "__pycache__").mkdir(parents=True)
    monkeypatch.setattr(loops_cache, "headgate", SimpleNamespace(__path__=[str(folder)]))
    monkeypatch.setattr(os, "environ", {"XDG_CACHE_HOME": str(tmp_path / "caches")})
    return folder


def test_loops_lie_beside_the_code_if_only_its_owner_writes_there(code: Path) -> None:
    choose_loops_cache()
    assert VARIABLE not in os.environ


def test_where_everybody_can_write_beside_the_code_loops_lie_in_a_private_folder(code: Path, tmp_path: Path) -> None:
    (code / "core" / "__pycache__").chmod(0o777)
    choose_loops_cache()
    assert os.environ[VARIABLE] == str(tmp_path / "caches" / "headgate" / "loops")
    assert Path(os.environ[VARIABLE]).stat().st_mode & 0o777 == 0o700


def test_a_relative_folder_of_caches_means_nothing(code: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    code.chmod(0o777)
    monkeypatch.setattr(os, "environ", {"XDG_CACHE_HOME": "caches", "HOME": str(tmp_path)})
    choose_loops_cache()
    assert os.environ[VARIABLE] == str(tmp_path / ".cache" / "headgate" / "loops")


def test_a_named_folder_is_taken_if_only_its_owner_writes_there(code: Path, tmp_path: Path) -> None:
    named = tmp_path / "named"
    named.mkdir()
    os.environ[VARIABLE] = str(named)
    choose_loops_cache()
    named.chmod(0o777)
    with pytest.raises(InputRejected, match="Others on this machine can write") as refusal:
        choose_loops_cache()
    assert VARIABLE in refusal.value.cure


def test_a_relative_folder_is_refused(code: Path) -> None:
    os.environ[VARIABLE] = "loops"
    with pytest.raises(InputRejected, match="relative"):
        choose_loops_cache()


def test_a_folder_that_cannot_be_made_is_named(code: Path, tmp_path: Path) -> None:
    code.chmod(0o777)
    (tmp_path / "caches").write_text("in the way")
    with pytest.raises(StoreUnavailable, match="Compiled loops cannot be kept"):
        choose_loops_cache()
