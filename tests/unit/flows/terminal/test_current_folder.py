"""Paths start where the person stands; code and settings never do."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from flows.terminal import current_folder
from flows.terminal.current_folder import OWN_CODE, all_from_here, as_named, code_paths, from_here

LEAVING = """\
import json, os, sys
sys.path.insert(0, os.getcwd())
sys.path.insert(0, "")
from flows.terminal.current_folder import as_named, from_here, step_aside
from pathlib import Path
step_aside()
open(os.environ["MADE"], "w").close()
said = [os.getcwd(), str(from_here(Path("policy.yaml"))), str(as_named(from_here(Path("a/b")))), os.environ["HEADGATE_STORE"], sys.path]
print(json.dumps([*said, os.environ["PYTHONSAFEPATH"]]))
"""


@pytest.fixture
def somewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def left(folder: Path, **environment: str) -> list[object]:
    import json

    surroundings = {**os.environ, "PYTHONPATH": str(OWN_CODE), "HEADGATE_STORE": "store", "MADE": str(folder / "made"), **environment}
    result = subprocess.run(
        [sys.executable, "-c", LEAVING],
        cwd=folder,
        env=surroundings,
        capture_output=True,
        text=True,
        check=True,
        preexec_fn=lambda: os.umask(0),
    )
    return list(json.loads(result.stdout))


def test_a_command_leaves_the_current_folder_and_still_finds_what_was_named(tmp_path: Path) -> None:
    stands, policy, named, store, paths, safe = left(tmp_path)
    assert (stands, safe) == ("/", "1")
    assert (policy, named, store) == (str(tmp_path / "policy.yaml"), "a/b", str(tmp_path / "store"))
    assert "" not in paths  # type: ignore[operator]
    assert str(tmp_path) not in paths  # type: ignore[operator]


def test_nothing_is_made_that_others_can_change_whatever_the_umask(tmp_path: Path) -> None:
    left(tmp_path)
    assert (tmp_path / "made").stat().st_mode & 0o777 == 0o644


def test_an_address_of_a_store_is_no_path(tmp_path: Path) -> None:
    assert left(tmp_path, HEADGATE_STORE="s3://bucket")[3] == "s3://bucket"


def test_every_path_among_the_arguments_is_made_absolute(somewhere: Path) -> None:
    given = all_from_here([Path("a"), Path("/b"), (Path("c"), "d", 5, None)])
    assert given == [somewhere / "a", Path("/b"), (somewhere / "c", "d", 5, None)]


def test_a_shipped_policy_is_no_file_of_the_current_folder(somewhere: Path) -> None:
    assert from_here(Path("shipped:hospital-patients")) == Path("shipped:hospital-patients")


def test_a_home_is_found_wherever_one_stands(somewhere: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/somebody")
    assert from_here(Path("~/key")) == Path("/home/somebody/key")


def test_messages_name_files_as_the_person_does(somewhere: Path) -> None:
    assert as_named(somewhere / "out" / "report.html") == Path("out/report.html")
    assert as_named(Path("/elsewhere/report.html")) == Path("/elsewhere/report.html")


def test_the_current_folder_is_on_pythons_path_only_if_it_was_named_in_full(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    paths = ["", ".", str(tmp_path), "/usr/lib/python3"]
    monkeypatch.setenv("PYTHONPATH", "")
    assert code_paths(paths, tmp_path) == ["/usr/lib/python3"]
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    assert code_paths(paths, tmp_path) == [str(tmp_path), "/usr/lib/python3"]
    assert code_paths([str(OWN_CODE)], OWN_CODE) == [str(OWN_CODE)]


def test_a_folder_that_was_deleted_holds_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    monkeypatch.setenv("PWD", str(gone))
    gone.rmdir()
    assert current_folder._current() == gone
