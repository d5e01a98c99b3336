"""Each one-line sabotage, applied to a copy of the project, turns a named test red.

A test that stays green when the rule it guards is broken guards nothing. `sabotages.toml` lists what to break and which test must
notice. Compiled loops run as plain Python here, so that no cached machine code can hide a change.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from queue import SimpleQueue
from typing import Any

import pytest

AT_ONCE = min(4, os.cpu_count() or 1)
Result = subprocess.CompletedProcess[str]
ROOT = Path(__file__).resolve().parents[2]
SABOTAGES = tomllib.loads((Path(__file__).parent / "sabotages.toml").read_text(encoding="utf-8"))["sabotage"]
PARTS = ("headgate", "policies", "tasks", "flows", "tests", "deployments", "benchmarks", "docs", "pyproject.toml", "README.md")
# Machine words wrap silently where they are compiled; as numpy scalars they warn, and warnings are errors.
WRAPPING = ("-W", "ignore:overflow encountered:RuntimeWarning")


@pytest.fixture(scope="module")
def copies(tmp_path_factory: pytest.TempPathFactory) -> SimpleQueue[Path]:
    """As many as can be worked on at once; who takes one puts it back as it was."""
    free: SimpleQueue[Path] = SimpleQueue()
    for _ in range(AT_ONCE):
        folder = tmp_path_factory.mktemp("sabotaged")
        for part in PARTS:
            source = ROOT / part
            if source.is_dir():
                shutil.copytree(source, folder / part, ignore=shutil.ignore_patterns("__pycache__", "results"))
            else:
                shutil.copy2(source, folder / part)
        free.put(folder)
    return free


@pytest.fixture(scope="module")
def results(request: pytest.FixtureRequest, copies: SimpleQueue[Path]) -> Iterator[dict[str, Future[Result]]]:
    """Of all sabotages that were asked for, in their order."""
    parameters = (getattr(item, "callspec", None) for item in request.session.items)
    chosen = [one.params["sabotage"] for one in parameters if one is not None and "sabotage" in one.params]
    with ThreadPoolExecutor(AT_ONCE) as pool:
        yield {sabotage["name"]: pool.submit(sabotaged, sabotage, copies) for sabotage in chosen}
        pool.shutdown(cancel_futures=True)


def sabotaged(sabotage: dict[str, Any], copies: SimpleQueue[Path]) -> Result:
    copy = copies.get()
    path = copy / sabotage["file"]
    whole = path.read_text(encoding="utf-8")
    path.write_text(whole.replace(sabotage["find"], sabotage["replace"]), encoding="utf-8")
    try:
        return run_tests(copy, sabotage["test"], compiled=bool(sabotage.get("compiled", False)))
    finally:
        path.write_text(whole, encoding="utf-8")
        copies.put(copy)


def run_tests(folder: Path, *tests: str, compiled: bool = False, seconds: int = 280) -> Result:
    environment = {**os.environ, "PYTHONPATH": str(folder), "PYTHONDONTWRITEBYTECODE": "1"}
    if not compiled:
        environment["NUMBA_DISABLE_JIT"] = "1"
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-x", "-p", "no:randomly", *WRAPPING, *tests],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=seconds,
    )


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
@pytest.mark.parametrize("sabotage", SABOTAGES, ids=lambda sabotage: sabotage["name"])
def test_a_sabotage_turns_its_named_test_red(sabotage: dict[str, Any], results: dict[str, Future[Result]]) -> None:
    result = results[sabotage["name"]].result()
    summary = result.stdout.strip().splitlines()[-1] if result.stdout.strip() else ""
    found = result.returncode == 1 and " failed" in summary and " error" not in summary  # a fixture that broke has noticed nothing
    assert found, f"stayed green or did not run:\n{result.stdout[-3000:]}{result.stderr[-1000:]}"


@pytest.mark.long
@pytest.mark.timeout(900)
def test_without_a_sabotage_the_named_tests_are_green(copies: SimpleQueue[Path]) -> None:
    """In as many runs as there are copies; those that need compiled loops are green elsewhere."""
    tests = sorted({sabotage["test"] for sabotage in SABOTAGES if not sabotage.get("compiled", False)})
    folders = [copies.get() for _ in range(AT_ONCE)]
    with ThreadPoolExecutor(AT_ONCE) as pool:
        for result in pool.map(lambda i: run_tests(folders[i], *tests[i::AT_ONCE], seconds=850), range(AT_ONCE)):
            assert result.returncode == 0, result.stdout[-3000:]
