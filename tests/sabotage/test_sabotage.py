"""Each one-line sabotage, applied to a copy of the project, turns a named test red.

A test that stays green when the rule it guards is broken guards nothing. `sabotages.toml` lists what to break and which test must
notice. Compiled loops run as plain Python here, so that no cached machine code can hide a change.
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
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
SABOTAGES = tomllib.loads((Path(__file__).parent / "sabotages.toml").read_text(encoding="utf-8"))["sabotage"]
PARTS = (
    "headgate",
    "policies",
    "tasks",
    "flows",
    "tests",
    "tools",
    "deployments",
    "benchmarks",
    "docs",
    "pyproject.toml",
    "Makefile",
    "README.md",
)
NOT_COPIED = shutil.ignore_patterns("results", "*.nbi", "*.nbc")
# Machine words wrap silently where they are compiled; as numpy scalars they warn, and warnings are errors. That hypothesis is imported
# already is meant.
IGNORED = ("ignore:overflow encountered:RuntimeWarning", "ignore::pytest.PytestAssertRewriteWarning")
ARGUMENTS = ("-x", "-p", "no:xdist", *(word for warning in IGNORED for word in ("-W", warning)))
SECONDS = 600  # loops run as plain Python, and two sabotages run at once
# Those that need compiled loops are green elsewhere.
TESTS = sorted({sabotage["test"] for sabotage in SABOTAGES if not sabotage.get("compiled", False)})


@dataclass(frozen=True)
class Result:
    code: int
    output: str


@dataclass(frozen=True)
class Copy:
    """A copy of the project whose tests run in forks of one process, or in a process of their own where loops have to be compiled."""

    folder: Path
    forking: subprocess.Popen[str]

    def tested(self, *tests: str) -> Result:
        output = self.folder / "output"
        request = {"folder": str(self.folder), "arguments": [*ARGUMENTS, *tests], "output": str(output), "seconds": SECONDS}
        assert self.forking.stdin is not None
        assert self.forking.stdout is not None
        self.forking.stdin.write(json.dumps(request) + "\n")
        self.forking.stdin.flush()
        code = int(self.forking.stdout.readline())
        return Result(code, output.read_text(encoding="utf-8", errors="replace"))

    def tested_compiled(self, test: str, cache: Path) -> Result:
        environment = {**os.environ, "PYTHONPATH": str(self.folder), "NUMBA_CACHE_DIR": str(cache)}
        command = [sys.executable, "-m", "pytest", *ARGUMENTS, test]
        done = subprocess.run(command, cwd=self.folder, env=environment, capture_output=True, text=True, timeout=SECONDS)
        return Result(done.returncode, done.stdout + done.stderr)


@pytest.fixture(scope="session")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Copy]:
    folder = tmp_path_factory.mktemp("sabotaged")
    for part in PARTS:
        source = ROOT / part
        if source.is_dir():
            shutil.copytree(source, folder / part, ignore=NOT_COPIED)
        else:
            shutil.copy2(source, folder / part)
    forking = subprocess.Popen(
        [sys.executable, "-P", str(folder / "tests/sabotage/forking.py")],
        cwd=folder,
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    with forking:
        yield Copy(folder, forking)
        assert forking.stdin is not None
        forking.stdin.close()


def test_there_are_enough_sabotages_and_each_has_a_name_of_its_own() -> None:
    assert len(SABOTAGES) >= 180
    assert len({sabotage["name"] for sabotage in SABOTAGES}) == len(SABOTAGES)


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
def test_a_sabotage_turns_its_named_test_red(sabotage: dict[str, Any], copy: Copy, tmp_path: Path) -> None:
    path = copy.folder / sabotage["file"]
    whole, stamp = path.read_text(encoding="utf-8"), path.stat().st_mtime
    path.write_text(whole.replace(sabotage["find"], sabotage["replace"]), encoding="utf-8")
    # Bytecode is taken for that of a source of the same second and length: each state of the file gets a second of its own.
    os.utime(path, (stamp, stamp + 1 + SABOTAGES.index(sabotage)))
    try:
        compiled = sabotage.get("compiled", False)
        result = copy.tested_compiled(sabotage["test"], tmp_path) if compiled else copy.tested(sabotage["test"])
    finally:
        path.write_text(whole, encoding="utf-8")
        os.utime(path, (stamp, stamp))
    summary = result.output.strip().splitlines()[-1] if result.output.strip() else ""
    noticed = result.code == 1 and " failed" in summary and " error" not in summary  # a fixture that broke has noticed nothing
    assert noticed, f"stayed green or did not run:\n{result.output[-4000:]}"


@pytest.mark.long
@pytest.mark.timeout(SECONDS + 60)
@pytest.mark.parametrize("file", sorted({test.partition("::")[0] for test in TESTS}))
def test_without_a_sabotage_the_named_tests_are_green(file: str, copy: Copy) -> None:
    result = copy.tested(*(test for test in TESTS if test.partition("::")[0] == file))
    assert result.code == 0, result.output[-4000:]
