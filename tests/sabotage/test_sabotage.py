"""Each one-line sabotage, applied to a copy of the project, turns a named test red.

A test that stays green when the rule it guards is broken guards nothing. `sabotages.toml` lists what to break and which test must
notice. Compiled loops run as plain Python where what is broken is a part of one, so that no cached machine code can hide a change.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

from tests.sabotage.compiled_loops import files_in_loops

ROOT = Path(__file__).resolve().parents[2]
SABOTAGES = tomllib.loads((Path(__file__).parent / "sabotages.toml").read_text(encoding="utf-8"))["sabotage"]
PARTS = (
    "headgate",
    "policies",
    "tasks",
    "flows",
    "console",
    "tests",
    "tools",
    "deployments",
    "benchmarks",
    "docs",
    "pyproject.toml",
    "Makefile",
    "README.md",
)
NOT_COPIED = shutil.ignore_patterns("results", "*.pyc.*", "*.tmp.*")  # what another process is just writing may be gone when it is copied
# Machine words wrap silently where they are compiled; as numpy scalars they warn, and warnings are errors. That hypothesis is imported
# already is meant.
IGNORED = ("ignore:overflow encountered:RuntimeWarning", "ignore::pytest.PytestAssertRewriteWarning")
ARGUMENTS = ("-x", *(word for warning in IGNORED for word in ("-W", warning)))
SECONDS = 600  # loops run as plain Python, and two sabotages run at once
FOLDERS_OF_TESTS = sorted({sabotage["test"].partition("::")[0].rpartition("/")[0] for sabotage in SABOTAGES})
LOWEST_ROOMS = ("headgate", "policies")  # what import-linter lets import nothing of the others


@cache
def interpreted_files() -> frozenset[str]:
    """All of the project is read for it, which whoever only collects tests need not wait for."""
    return files_in_loops(ROOT)


@dataclass(frozen=True)
class Result:
    code: int
    output: str


class Imports(StrEnum):
    """What a process holds of the project when a test starts in it: nothing that a sabotage changes."""

    NOTHING = "nothing of the project"
    LOWEST = "the lowest rooms"
    INTERPRETED = "nothing of the project, and loops run as plain Python"


def imports_beside(file: str) -> Imports:
    """What may be imported before this file is changed."""
    if file in interpreted_files():
        return Imports.INTERPRETED
    return Imports.NOTHING if file.startswith(LOWEST_ROOMS) else Imports.LOWEST


@dataclass(frozen=True)
class Copy:
    """A copy of the project whose tests run in forks of a few processes, each of which holds as much as it may."""

    folder: Path
    forking: dict[Imports, subprocess.Popen[str]]
    temporary: Path

    def tested(self, imports: Imports, *tests: str) -> Result:
        output = self.folder / "output"
        arguments = [*ARGUMENTS, f"--basetemp={self.temporary}", *tests]
        forking = self.forking[imports]
        assert forking.stdin is not None
        assert forking.stdout is not None
        forking.stdin.write(json.dumps({"arguments": arguments, "output": str(output), "seconds": SECONDS}) + "\n")
        forking.stdin.flush()
        code = int(forking.stdout.readline())
        return Result(code, output.read_text(encoding="utf-8", errors="replace"))


@pytest.fixture(scope="session")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Copy]:
    folder = tmp_path_factory.mktemp("sabotaged")
    for part in PARTS:
        source = ROOT / part
        if source.is_dir():
            shutil.copytree(source, folder / part, ignore=NOT_COPIED)  # with its times: by them a loop's cache knows its source
        else:
            shutil.copy2(source, folder / part)
    with (
        TemporaryDirectory(prefix="sabotage-", ignore_cleanup_errors=True) as temporary,  # a short path: sockets lie in it
        _forking(folder) as nothing,
        _forking(folder, *LOWEST_ROOMS) as lowest,
        _forking(folder, NUMBA_DISABLE_JIT="1") as interpreted,
    ):
        forking = {Imports.NOTHING: nothing, Imports.LOWEST: lowest, Imports.INTERPRETED: interpreted}
        yield Copy(folder, forking, Path(temporary) / "t")
        for process in forking.values():
            assert process.stdin is not None
            process.stdin.close()


def _forking(folder: Path, *rooms: str, **environment: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-P", str(folder / "tests/sabotage/forking.py"), *rooms],
        cwd=folder,
        env={**os.environ, **environment},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


def test_there_are_enough_sabotages_and_each_has_a_name_of_its_own() -> None:
    assert len(SABOTAGES) >= 180
    assert len({sabotage["name"] for sabotage in SABOTAGES}) == len(SABOTAGES)


def test_whatever_a_compiled_loop_may_have_kept_is_interpreted() -> None:
    """Loops, what they import, and what that imports; not the rooms above."""
    interpreted = interpreted_files()
    assert {
        f"headgate/{file}" for file in ("methods/blocks/tree.py", "core/tolerance.py", "grouping/watch.py", "core/errors.py")
    } <= interpreted
    assert "tests/unit/headgate/methods/blocks/drafts.py" in interpreted
    assert not [file for file in interpreted if file.startswith(("policies/", "tasks/", "flows/"))]


def test_every_sabotage_finds_its_line_and_its_test() -> None:
    """At once, where the long test would take minutes to say that a line was moved or a test renamed."""
    for sabotage in SABOTAGES:
        assert (ROOT / sabotage["file"]).read_text(encoding="utf-8").count(sabotage["find"]) == 1, sabotage["name"]
        assert sabotage["find"] != sabotage["replace"]
        file, _, function = sabotage["test"].partition("::")
        assert f"def {function.partition('[')[0]}(" in (ROOT / file).read_text(encoding="utf-8"), sabotage["name"]


@pytest.mark.long
@pytest.mark.timeout(SECONDS + 60)
@pytest.mark.parametrize("sabotage", SABOTAGES, ids=lambda sabotage: sabotage["name"])
def test_a_sabotage_turns_its_named_test_red(sabotage: dict[str, Any], copy: Copy) -> None:
    path = copy.folder / sabotage["file"]
    whole, stamp = path.read_text(encoding="utf-8"), path.stat().st_mtime_ns
    path.write_text(whole.replace(sabotage["find"], sabotage["replace"]), encoding="utf-8")
    # Bytecode is taken for that of a source of the same second and length: each state of the file gets a second of its own.
    os.utime(path, ns=(stamp, stamp + (1 + SABOTAGES.index(sabotage)) * 10**9))
    try:
        result = copy.tested(imports_beside(sabotage["file"]), sabotage["test"])
    finally:
        path.write_text(whole, encoding="utf-8")
        os.utime(path, ns=(stamp, stamp))  # to the nanosecond, or its loops would be compiled again
    summary = result.output.strip().splitlines()[-1] if result.output.strip() else ""
    noticed = result.code == 1 and " failed" in summary and " error" not in summary  # a fixture that broke has noticed nothing
    assert noticed, f"stayed green or did not run:\n{result.output[-4000:]}"


@pytest.mark.long
@pytest.mark.timeout(SECONDS + 60)
@pytest.mark.parametrize("folder", FOLDERS_OF_TESTS)
def test_without_a_sabotage_the_named_tests_are_green(folder: str, copy: Copy) -> None:
    named: dict[Imports, set[str]] = {}
    for sabotage in SABOTAGES:
        if sabotage["test"].partition("::")[0].rpartition("/")[0] == folder:
            named.setdefault(imports_beside(sabotage["file"]), set()).add(sabotage["test"])
    for imports, tests in named.items():
        result = copy.tested(imports, *sorted(tests))
        assert result.code == 0, result.output[-4000:]
