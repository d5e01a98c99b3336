"""Nothing from the current folder runs code or sets anything: every command is run in a folder full of traps, where it also does its work.

Each trap leaves a mark when it is executed; what can only set something is given a value that would be seen.
"""

from __future__ import annotations

import os
import pickle
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
import httpx
import pytest
import typer

from flows.cli import app
from tests.free_port import free_port

SHADOWS = (
    *("sitecustomize", "usercustomize", "numba", "numpy", "pandas", "prefect", "mlflow", "great_expectations", "matplotlib", "pyarrow"),
    *("asyncssh", "flows", "headgate", "tasks", "policies"),
)
LOGGING = """\
version: 1
disable_existing_loggers: false
handlers: {{trap: {{"()": os.mkdir, path: "{mark}"}}}}
loggers: {{prefect: {{level: DEBUG, handlers: [trap]}}}}
root: {{level: DEBUG, handlers: [trap]}}
"""
FILES_OF_LOOPS = """\
import importlib, pkgutil, headgate
for module in pkgutil.walk_packages(headgate.__path__, "headgate."):
    for thing in vars(importlib.import_module(module.name)).values():
        if hasattr(thing, "enable_caching") and hasattr(thing._cache, "_cache_file"):
            print(thing._cache._cache_file._index_path)
"""
SCHEDULED = "person: person\nschedule: {cron: '0 3 1 1 *', timezone: Europe/Rome}\n"


class Evil:
    def __init__(self, mark: str) -> None:
        self.mark = mark

    def __reduce__(self) -> tuple[Any, ...]:
        return os.mkdir, (self.mark,)


@dataclass(frozen=True)
class Ground:
    """A folder full of traps with a table, a policy and a download in it, and what commands are told there."""

    folder: Path
    marks: Path
    given: dict[str, str]

    def sprung(self) -> list[str]:
        return sorted(path.name for path in self.marks.iterdir())

    def everything(self) -> set[Path]:
        return {path for path in self.folder.rglob("*") if not path.relative_to(self.folder).parts[0].startswith("made-")}


def lay_traps(folder: Path, marks: Path) -> None:
    def mark(name: str) -> str:
        return str(marks / name)

    for name in SHADOWS:
        (folder / f"{name}.py").write_text(f"import os\nos.makedirs({mark(name)!r}, exist_ok=True)\n", encoding="utf-8")
    for name in ("toml", "project", "dotenv", "home"):
        place = folder / ".headgate" / "prefect" / "logging.yml" if name == "home" else folder / f"{name}.yml"
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(LOGGING.format(mark=mark(name)), encoding="utf-8")
    (folder / "prefect.toml").write_text(f"[logging]\nconfig_path = '{folder}/toml.yml'\n", encoding="utf-8")
    (folder / "pyproject.toml").write_text(f"[tool.prefect.logging]\nconfig_path = '{folder}/project.yml'\n", encoding="utf-8")
    (folder / ".env").write_text(f"PREFECT_LOGGING_CONFIG_PATH={folder}/dotenv.yml\nMLFLOW_TRACKING_URI={folder}/runs\n", encoding="utf-8")
    (folder / "matplotlibrc").write_text("trapped.key: 1\n", encoding="utf-8")
    (folder / "gx").mkdir()
    (folder / "gx" / "great_expectations.yml").write_text("trapped: [\n", encoding="utf-8")
    (folder / ".numba_config.yaml").write_text(f"cache_dir: {folder}/loops\n", encoding="utf-8")
    found = subprocess.run([sys.executable, "-c", FILES_OF_LOOPS], cwd=folder.parent, env=loops_in(folder), capture_output=True, text=True)
    indexes = [Path(line) for line in found.stdout.split("\n") if line]
    assert len(indexes) > 20, found.stderr
    for index in indexes:
        index.parent.mkdir(parents=True, exist_ok=True)
        index.write_bytes(pickle.dumps(Evil(mark("loops"))))


def loops_in(folder: Path) -> dict[str, str]:
    return {**os.environ, "NUMBA_CACHE_DIR": str(folder / "loops")}


@pytest.fixture(scope="module")
def ground(make_project: Callable[..., Any], tmp_path_factory: pytest.TempPathFactory, prefect_server: str) -> Ground:
    below = tmp_path_factory.mktemp("ground")
    folder, marks = below / "downloads", below / "marks"
    folder.mkdir()
    marks.mkdir()
    return Ground(folder, marks, {})


@pytest.fixture
def trapped(ground: Ground, project: Any) -> Ground:
    """The project's own folder is where the traps lie; a published version was downloaded into it."""
    if not (ground.folder / "gx").exists():
        _, published = project.published()
        shutil.copytree(published, ground.folder / "download")
        shutil.rmtree(project.home)
        project.open_home()
        lay_traps(ground.folder, ground.marks)
    for path in project.folder.iterdir():
        shutil.copy2(path, ground.folder / path.name)
    for made in ground.folder.glob("made-*"):  # by a command before: a cosigned head is never written over
        shutil.rmtree(made) if made.is_dir() else made.unlink()
    candidate = project.approved()
    policy = (ground.folder / "policy.yaml").read_text(encoding="utf-8")
    (ground.folder / "scheduled.yaml").write_text(policy + SCHEDULED, encoding="utf-8")
    ground.given.update(
        policy="policy.yaml", policies="scheduled.yaml", table="patients.csv", folder="download", candidate=candidate, release=candidate,
        key=str(project.keys["carol"]), reason="as agreed",
        before="download", after="download",
        principal="carol", action="approve", measure="count", quasi="age,sex", sensitive="income", source="patients.csv",
        report="made-report.html", output="made-output", signers=str(project.home / "signers"), home=str(project.home.parent / "demo"),
        target="made-target", recipient=f"{project.keys['carol']}.pub", to=str(project.home.parent / "restored"), file="made-prefect.yaml",
    )  # fmt: skip
    return ground


def commands() -> dict[tuple[str, ...], click.Command]:
    def below(command: Any, name: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], Any]]:
        if hasattr(command, "commands"):
            for word, inner in command.commands.items():
                yield from below(inner, (*name, word))
        else:
            yield name, command

    return dict(below(typer.main.get_command(app), ()))


def arguments(name: tuple[str, ...], given: dict[str, str], project: Any) -> list[str]:
    """Everything that this test has a value for. A command may take more; what it requires must be known here."""
    words = list(name)
    for parameter in commands()[name].params:
        value = given.get(str(parameter.name))
        if name in (("release",), ("serve",), ("explore",)) and parameter.name == "key":
            value = str(project.keys["steward"])
        if name == ("check",) and parameter.name == "policy":
            continue  # it says what is refused of a column, and --lines has to be given as well
        if name in (("read",), ("estimate",)) and parameter.name in ("table", "output"):
            continue  # a published table has a name of its own, and its file a form
        if name == ("audit", "export") and parameter.name == "release":
            continue  # with one it exports evidence, and --bundle has to be given as well
        assert value or not parameter.required, f"Say what `headgate {' '.join(name)}` is given as {parameter.name}."
        if value:
            words += [value] if parameter.param_type_name == "argument" else [parameter.opts[0], value]
    return words


OFTEN = {("verify",), ("check",), ("show",), ("approve",), ("audit", "verify")}  # the others are tried in the long tests


@pytest.mark.parametrize(
    "name", [pytest.param(name, id=" ".join(name), marks=pytest.mark.slow if name in OFTEN else pytest.mark.long) for name in commands()]
)
def test_nothing_in_the_current_folder_is_taken_for_code_or_settings(name: tuple[str, ...], trapped: Ground, project: Any) -> None:
    before, words = trapped.everything(), arguments(name, trapped.given, project)
    surroundings = {"PREFECT_API_URL": "", "PREFECT_HOME": "", "HEADGATE_PUBLISH_SECONDS": "1"}
    if name == ("notify",):
        surroundings["TOLD"] = "json://localhost:9"
        (project.home / "operator.yaml").write_text("notify: [{to: env:TOLD}]\n", encoding="utf-8")
    if name == ("restore",):
        project.spawned(*arguments(("backup",), trapped.given, project), cwd=trapped.folder)
    if name == ("serve",):
        out = served(project, words, trapped.folder, surroundings)
    elif name == ("console",):
        out = looked_at(project, words, trapped.folder, surroundings)
    else:
        outcome = project.spawned(*words, cwd=trapped.folder, environment=surroundings)
        assert outcome.code in (0, 3, 4), outcome.err
        out = outcome.out + outcome.err
    assert trapped.sprung() == []
    assert "trapped" not in out
    assert trapped.everything() == before


def served(project: Any, words: list[str], folder: Path, surroundings: dict[str, str]) -> str:
    """Until a run that it started has published what was approved."""
    process = project.in_background(*words, environment={**os.environ, **surroundings}, cwd=folder)
    ends = time.monotonic() + 240
    while time.monotonic() < ends and not list(project.home.glob("releases/*/latest")) and process.poll() is None:
        time.sleep(0.5)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=200)
    assert list(project.home.glob("releases/*/latest")), err
    return str(out + err)


def looked_at(project: Any, words: list[str], folder: Path, surroundings: dict[str, str]) -> str:
    """Until it has shown a page."""
    port = str(free_port())
    process = project.in_background(*words, "--port", port, environment={**os.environ, **surroundings}, cwd=folder)
    page, ends = "", time.monotonic() + 120
    while "</html>" not in page and time.monotonic() < ends and process.poll() is None:
        with suppress(httpx.HTTPError):
            page = httpx.get(f"http://localhost:{port}/sign-in", timeout=10).text
        time.sleep(0.2)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert "</html>" in page, err
    return str(out + err)
