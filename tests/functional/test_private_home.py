"""Under umask 000 everybody could read and write what is made; nobody can in a home, after everything that is done there."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Any

import pytest


@pytest.mark.long
def test_nothing_in_a_home_is_for_others_whatever_the_umask(project: Any) -> None:
    surroundings = {"PREFECT_API_URL": "", "PREFECT_HOME": ""}
    shutil.rmtree(project.home)
    project.open_home(bare=True)
    for entry in project.home.rglob("*"):
        entry.chmod(0o700 if entry.is_dir() else 0o600)
    before = os.umask(0)
    try:
        released = project.spawned("release", project.policy, "--json", environment=surroundings)
        assert released.code == 0, released.err
        candidate = released.json["candidate"]
        for name in ("alice", "bob"):
            signed = project.spawned("approve", candidate, "--key", project.keys[name], "--reason", "read", environment=surroundings)
            assert signed.code == 0, signed.err
        published = project.spawned("publish", candidate, "--json", environment=surroundings)
        assert published.code == 0, published.err
    finally:
        os.umask(before)
    home = Path(project.home)
    made = {path: path.lstat().st_mode & 0o777 for path in (home, *home.rglob("*")) if not path.is_symlink()}
    assert {home / "mlflow.db", home / "ledger.db", home / "prefect" / "prefect.db"} <= made.keys()
    assert made[home] == 0o700
    sealed = (home / "releases", home / "candidates")  # never to be changed again, and out of reach behind the home's own permissions
    assert [str(path) for path, mode in made.items() if mode & 0o077 and not any(map(path.is_relative_to, sealed))] == []
    assert [str(path) for path, mode in made.items() if mode & 0o022] == []
