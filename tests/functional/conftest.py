"""A steward's folder with a small table made on the spot, and the command line run on it as a person would run it.

Most journeys run the command in this process, against one real Prefect server per test process; `spawned` runs it as a process of its
own, where that is what is tested. What releasing or publishing the folder as it was made comes to is made once per test process, and
copied for everybody who starts from there; so are the databases of MLflow and of Prefect without a run in them, which take six seconds of
a processor to make. A home that is opened `bare` has nothing that an operator did not put there.
"""

from __future__ import annotations

import csv
import fcntl
import json
import os
import random
import resource
import shutil
import signal
import sqlite3
import subprocess
import sys
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psutil
import pytest

from tests.functional.canaries import CANARY, places_with

POLICY = """\
schema: 1
dataset: {dataset}
title: Patients of a test
source: {{kind: csv, path: patients.csv}}
attributes:
  person:    {{role: identifier}}
  insurance: {{role: identifier}}
  age:       {{role: quasi, kind: integer, domain: [0, 110]}}
  sex:       {{role: quasi, kind: category}}
  region:    {{role: quasi, kind: category, hierarchy: region.csv}}
  diagnosis: {{role: sensitive, kind: set, separator: "|", values: [flu, asthma, diabetes, none], nonsensitive: [none]}}
  income:    {{role: sensitive, kind: number, domain: [0, 200000], unique: accepted}}
  education: {{role: sensitive, kind: ordinal, levels: [primary, secondary, tertiary]}}
  note:      {{role: dropped}}
projection: {{method: codip*, association_loss: 1, join_threat: 0.9}}
anonymize: {{method: xcolor, k: {k}, epsilon: 0.05, delta: {delta}}}
gates: {{linkability: 0.9, closeness: 0.9, reidentification: {{max: 0.25}}{gates}}}
utility: {{queries: 100, dimensions: 2, sensitive_dimensions: 1, max_error: {max_error}}}
approval: {{required: 2, signers: signers}}
publish: {{to: {dataset}, formats: [csv, parquet]}}
{more}"""

RUNS, FLOWS = "mlflow.db", "prefect.db"
REGIONS = "north-a;north;*\nnorth-b;north;*\nsouth-a;south;*\nsouth-b;south;*\n"


@dataclass
class Outcome:
    code: int
    out: str
    err: str

    @property
    def json(self) -> dict[str, Any]:
        return dict(json.loads(self.out))


@dataclass
class Project:
    """A folder with data, policy, approvers' keys and a home of its own."""

    folder: Path
    home: Path
    run_here: Callable[..., Outcome]
    finished: Path
    keys: dict[str, Path] = field(default_factory=dict)
    as_made: dict[str, bytes] = field(default_factory=dict)

    @property
    def policy(self) -> Path:
        return self.folder / "policy.yaml"

    @property
    def surroundings(self) -> dict[str, str]:
        """Whose home and whose key it is, where a command names neither."""
        return {"HEADGATE_HOME": str(self.home), "HEADGATE_KEY": str(self.keys["steward"])}

    @property
    def source(self) -> Path:
        return self.folder / "patients.csv"

    def lines(self, *names: str) -> str:
        """What a list of signers says of them."""
        return "".join(f'{name} namespaces="headgate" {self.keys[name].with_suffix(".pub").read_text()}' for name in names)

    def open_home(self, bare: bool = False) -> None:
        """As an operator does it, before anybody runs anything."""
        self.home.mkdir(mode=0o700, parents=True)
        if not bare:
            shutil.copy2(self.finished / RUNS, self.home)
            self._moved_from(self.finished)
            (self.home / "prefect").mkdir(mode=0o700)
            shutil.copy2(self.finished / FLOWS, self.home / "prefect")
        (self.home / "signers").write_text(self.lines("steward", "alice", "bob", "carol"), encoding="utf-8")
        (self.home / "operator.yaml").write_text("policy_signers: true\n", encoding="utf-8")

    def write_policy(self, **changes: Any) -> Path:
        chosen = {"dataset": "patients", "k": 5, "delta": 0.4, "gates": "", "max_error": 5, "more": "", **changes}
        self.policy.write_text(POLICY.format(**chosen), encoding="utf-8")
        return self.policy

    def write_source(self, rows: list[dict[str, str]]) -> Path:
        with self.source.open("w", newline="", encoding="utf-8") as stream:
            writer = csv.DictWriter(stream, fieldnames=list(rows[0]))
            writer.writeheader()
            writer.writerows(rows)
        return self.source

    def run(self, *arguments: str | Path) -> Outcome:
        return self.run_here(self.home, *arguments)

    def in_background(
        self, *arguments: str | Path, environment: dict[str, str] | None = None, cwd: Path | None = None
    ) -> subprocess.Popen[str]:
        """A command that goes on while the test does."""
        return subprocess.Popen(
            [str(Path(sys.executable).with_name("headgate")), *map(str, arguments)],
            env={**self.surroundings, **(os.environ if environment is None else environment), "HEADGATE_HOME": str(self.home)},
            cwd=cwd or self.folder,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def spawned(self, *arguments: str | Path, environment: dict[str, str] | None = None, cwd: Path | None = None) -> Outcome:
        result = subprocess.run(
            [str(Path(sys.executable).with_name("headgate")), *map(str, arguments)],
            env={**os.environ, **self.surroundings, **(environment or {})},
            cwd=cwd or self.folder,
            capture_output=True,
            text=True,
            timeout=240,
        )
        return Outcome(result.returncode, result.stdout, result.stderr)

    def contents(self) -> dict[str, bytes]:
        return {path.name: path.read_bytes() for path in self.folder.iterdir() if path.is_file()}

    def once(self, name: str, act: Callable[[], dict[str, Any]]) -> dict[str, Any]:
        """The first run in the folder as it was made; its home is kept, and copied for the projects that ask for the same."""
        if (self.home / "ledger.db").exists() or self.contents() != self.as_made:
            return act()
        kept = self.finished / name
        if not kept.exists():
            document = act()
            kept.mkdir()
            shutil.copytree(self.home, kept / "home", symlinks=True)
            (kept / "document.json").write_text(json.dumps([str(self.home), document]), encoding="utf-8")
            return document
        text = (kept / "document.json").read_text(encoding="utf-8")
        first_home = json.loads(text)[0]
        shutil.rmtree(self.home)
        shutil.copytree(kept / "home", self.home, symlinks=True)
        self._moved_from(first_home)
        return dict(json.loads(text.replace(first_home, str(self.home)))[1])

    def _moved_from(self, first: Path | str) -> None:
        """MLflow's runs name the folders of their files."""
        with sqlite3.connect(self.home / RUNS) as runs:
            for table, column in (("experiments", "artifact_location"), ("runs", "artifact_uri")):
                runs.execute(f"UPDATE {table} SET {column} = replace({column}, ?, ?)", (str(first), str(self.home)))
        runs.close()

    def released(self) -> dict[str, Any]:
        return self.once("released", self._release)

    def _release(self) -> dict[str, Any]:
        outcome = self.run("release", self.policy, "--json")
        assert outcome.code == 0, outcome.err
        return outcome.json

    def approved(self) -> str:
        candidate = str(self.released()["candidate"])
        for approver in ("alice", "bob"):
            outcome = self.run("approve", candidate, "--key", self.keys[approver], "--reason", "read and agreed", "--json")
            assert outcome.code == 0, outcome.err
        return candidate

    def published(self) -> tuple[str, Path]:
        document = self.once("published", self._publish)
        return document["candidate"], Path(document["folder"])

    def _publish(self) -> dict[str, Any]:
        candidate = self.approved()
        outcome = self.run("publish", candidate, "--json")
        assert outcome.code == 0, outcome.err
        return {"candidate": candidate, "folder": outcome.json["folder"]}


def interrupted(process: subprocess.Popen[str]) -> tuple[float, str]:
    """How many seconds of the processor a command takes to end after Ctrl-C, however busy the machine is, and what it says."""
    before, own = resource.getrusage(resource.RUSAGE_CHILDREN), psutil.Process(process.pid).cpu_times()
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=120)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime - own.user - own.system, err


def people(count: int = 300, seed: int = 1) -> list[dict[str, str]]:
    draw = random.Random(seed)
    rows = []
    for number in range(count):
        education = draw.choice(["primary", "secondary", "tertiary"])
        ill = [name for name in ("flu", "asthma", "diabetes") if draw.random() < 0.3]
        rows.append(
            {
                "person": f"person-{number:05d}",
                "insurance": f"ins/{draw.randrange(10**12):012d}",
                "age": str(draw.randrange(18, 95)),
                "sex": draw.choice(["f", "m"]),
                "region": draw.choice(["north-a", "north-b", "south-a", "south-b"]),
                "diagnosis": "|".join(ill) or "none",
                "income": str(draw.randrange(8_000, 150_000, 10) + 5_000 * ["primary", "secondary", "tertiary"].index(education)),
                "education": education,
                "note": f"free text {number}",
            }
        )
    return rows


@pytest.fixture(scope="session")
def quiet_environment(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Prefect reads its settings when it is imported, so its home is set once, for the session."""
    home = tmp_path_factory.mktemp("prefect")
    before = dict(os.environ)
    os.environ["PREFECT_HOME"] = str(home)
    yield home
    os.environ.clear()
    os.environ.update(before)


@pytest.fixture(scope="session")
def flows_database(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What Prefect's server makes where there is no database yet. The first process of a test run that needs it lets one do it."""
    shared = tmp_path_factory.getbasetemp()
    if hasattr(request.config, "workerinput"):  # one process of several
        shared = shared.parent
    made = shared / FLOWS
    with (shared / "prefect.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not made.exists():
            _make_flows_database(tmp_path_factory.mktemp("first"), made)
    return made


def _make_flows_database(home: Path, made: Path) -> None:
    from tasks.runtime.home import Home
    from tasks.runtime.prefect_server import PrefectServer
    from tasks.runtime.quiet import quieten

    before = dict(os.environ)
    os.environ["PREFECT_HOME"] = str(home / "prefect")
    try:
        quieten(Home(home))
        server = PrefectServer.start()
        server.url()
        server.stop()
    finally:
        os.environ.clear()
        os.environ.update(before)
    with sqlite3.connect(home / "prefect" / FLOWS) as database:
        database.execute("VACUUM INTO ?", (str(made.with_suffix(".making")),))
    database.close()
    made.with_suffix(".making").chmod(0o600)
    made.with_suffix(".making").rename(made)


@pytest.fixture(scope="session")
def prefect_server(quiet_environment: Path, flows_database: Path) -> Iterator[str]:
    """One real Prefect server for all journeys in this process. When it has stopped and written everything down, nothing that a test has
    planted is in its database or its log."""
    from tasks.expectations.running import import_great_expectations
    from tasks.reporting.mlflow_runs import import_mlflow
    from tasks.runtime.home import Home
    from tasks.runtime.prefect_server import PrefectServer
    from tasks.runtime.quiet import quieten

    quieten(Home(quiet_environment))
    shutil.copy2(flows_database, quiet_environment)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what other packages say of each other while they are imported
        import_great_expectations()
        import_mlflow()
    server = PrefectServer.start()
    reached = server.environment()
    os.environ.update(reached)
    yield reached["PREFECT_API_URL"]
    for name in reached:
        os.environ.pop(name, None)
    server.stop()
    assert places_with(CANARY, [quiet_environment], []) == []


@pytest.fixture(scope="session")
def approver_keys(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    from tasks.signing.keys import make_key

    folder = tmp_path_factory.mktemp("keys")
    names = ("alice", "bob", "carol", "mallory", "steward")
    for name in names:
        make_key(folder / name)
    return {name: folder / name for name in names}


def running_here(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Callable[..., Outcome]:
    """Commands in this process."""
    from flows.cli import app
    from flows.terminal.exit_codes import run_application

    def run(home: Path, *arguments: str | Path) -> Outcome:
        monkeypatch.setenv("HEADGATE_HOME", str(home))
        capfd.readouterr()
        code = run_application(app, [str(argument) for argument in arguments])
        seen = capfd.readouterr()
        return Outcome(code, seen.out, seen.err)

    return run


@pytest.fixture
def run_here(
    prefect_server: str, approver_keys: dict[str, Path], monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> Callable[..., Outcome]:
    monkeypatch.setenv("HEADGATE_KEY", str(approver_keys["steward"]))
    return running_here(monkeypatch, capfd)


@pytest.fixture(scope="session")
def make_project(approver_keys: dict[str, Path], flows_database: Path, tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Project]:
    """alice, bob and carol may sign, mallory may not; the steward runs releases wherever no other key is named. The operator has allowed
    policies with signers of their own."""
    from tasks.reporting.mlflow_runs import find_release

    finished = tmp_path_factory.mktemp("finished")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what other packages say of each other while they are imported
        find_release("none", finished)
    shutil.copy2(flows_database, finished)

    def make(below: Path, run_here: Callable[..., Outcome], bare: bool = False) -> Project:
        folder = below / "steward's folder"
        folder.mkdir()
        made = Project(folder, below / "home", run_here, finished, dict(approver_keys))
        (folder / "region.csv").write_text(REGIONS, encoding="utf-8")
        (folder / "signers").write_text(made.lines("alice", "bob", "carol"), encoding="utf-8")
        made.open_home(bare)
        made.write_source(people())
        made.write_policy()
        made.as_made = made.contents()
        return made

    return make


@pytest.fixture
def project(tmp_path: Path, run_here: Callable[..., Outcome], make_project: Callable[..., Project]) -> Project:
    return make_project(tmp_path, run_here)
