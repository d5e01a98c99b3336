"""What the faults happen in: homes as people leave them, copied for each fault, and the command line run in warm processes."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import sqlite3
import subprocess
import sys
import time
from collections.abc import Collection, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from queue import Queue

import numpy as np

from headgate.series.kept_version import KeptVersion
from tasks.runtime.home import Home
from tasks.runtime.prefect_server import PrefectServer
from tasks.runtime.quiet import quieten
from tasks.series.side_store import keep as keep_groups
from tasks.signing.keys import make_key
from tests.faults.shim import Control, build_shim
from tests.functional.conftest import REGIONS, Outcome, Project, people

ROOT = Path(__file__).resolve().parents[2]
SECONDS = 180.0
REASON = ("--reason", "read and agreed")


@dataclass(frozen=True)
class Case:
    """A command, the home in which it is run, and the state to which it brings a release."""

    name: str
    home: Path
    command: tuple[str, ...]
    state: str
    candidate: str = ""
    again: frozenset[int] = frozenset({0})  # exit codes when all was done before
    purged: bool = False  # it changes no state, but what is kept of the release


@dataclass
class Bench:
    """One warm process, and a folder in which a copy of a home is broken."""

    folder: Path
    shim: Path
    environment: dict[str, str]
    control: Control = field(init=False)
    process: subprocess.Popen[str] = field(init=False)
    runs: int = 0

    def __post_init__(self) -> None:
        self.folder.mkdir()
        (self.folder / "tmp").mkdir(mode=0o700)
        self.control = Control(self.folder / "control", create=True)
        self.process = subprocess.Popen(
            [sys.executable, "-P", "-m", "tests.faults.warm"],
            env={**self.environment, "LD_PRELOAD": str(self.shim), "FAULTS_CONTROL": str(self.control.path), "PYTHONPATH": str(ROOT)},
            cwd=self.folder,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    @property
    def home(self) -> Path:
        return self.folder / "home"

    def copy(self, home: Path) -> Path:
        cleared(self.home)
        subprocess.run(["cp", "-a", "--reflink=auto", str(home), str(self.home)], check=True)
        return self.home

    def run(self, *command: str | Path, armed: bool = False, seconds: float = SECONDS, **environment: str) -> Outcome:
        self.send([command], armed, seconds, environment)
        return self.answers()[0]

    def look(self, *commands: Sequence[str | Path]) -> list[Outcome]:
        """Commands that only look, one after the other in one process."""
        self.send([*commands, ("--help",)], False, SECONDS, {})
        return self.answers()[:-1]

    def send(self, commands: Sequence[Sequence[str | Path]], armed: bool, seconds: float, environment: dict[str, str]) -> None:
        self.runs += 1
        request = {
            "commands": [[str(word) for word in command] for command in commands],
            "environment": {"HEADGATE_HOME": str(self.home), "TMPDIR": str(self.folder / "tmp"), "HOME": str(self.folder), **environment},
            "folder": str(self.folder),
            "output": str(self.folder / "said"),
            "seconds": seconds,
            "armed": armed,
        }
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(request) + "\n")
        self.process.stdin.flush()

    def answers(self) -> list[Outcome]:
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        if not line:
            raise RuntimeError("The warm process has ended.")
        return [Outcome(code, self._said(number, "out"), self._said(number, "err")) for number, code in enumerate(json.loads(line)[0])]

    def _said(self, number: int, end: str) -> str:
        path = self.folder / f"said.{number}.{end}"
        return path.read_text(encoding="utf-8", errors="replace") if path.exists() else ""

    def close(self) -> None:
        assert self.process.stdin is not None
        self.process.stdin.close()
        self.process.kill()
        self.process.wait()


@dataclass
class Workshop:
    folder: Path
    cases: dict[str, Case]
    policy: Path
    signers: Path
    benches: Queue[Bench]
    verified: set[str] = field(default_factory=set)

    @contextmanager
    def bench(self) -> Iterator[Bench]:
        bench = self.benches.get()
        try:
            yield bench
        finally:
            self.benches.put(bench)


@contextmanager
def workshop(folder: Path, workers: int) -> Iterator[Workshop]:
    """One Prefect server for all: what it writes is no part of what is tested."""
    os.environ["PREFECT_HOME"] = str(folder / "prefect")
    os.environ.pop("HEADGATE_HOME", None)
    quieten(Home(folder / "prefect"))
    shim = build_shim(folder)
    server = PrefectServer.start()
    benches: list[Bench] = []
    try:
        environment = {**os.environ, **server.environment(), "PYTHONWARNINGS": "ignore"}
        benches += [Bench(folder / f"bench-{number}", shim, environment) for number in range(workers)]
        yield _furnished(folder, benches)
    finally:
        for bench in benches:
            bench.close()
        server.stop()


def _furnished(folder: Path, benches: list[Bench]) -> Workshop:
    """A home with one published version, and a second candidate in each state that a command starts from."""
    steward = folder / "policies"
    steward.mkdir()
    names = ("alice", "bob", "carol", "mallory", "steward")
    for name in names:
        make_key(folder / name)
    bench = benches[0]
    keys = {name: folder / name for name in names}
    project = Project(steward, bench.home, lambda home, *words: bench.run(*words), folder, keys)
    (steward / "region.csv").write_text(REGIONS, encoding="utf-8")
    (steward / "signers").write_text(project.lines("alice", "bob", "carol"), encoding="utf-8")
    project.open_home(bare=True)
    project.write_source(people(60))
    project.write_policy(gates=", series: {unmeasured: these are invented people without an identifier}")
    homes = folder / "homes"
    homes.mkdir()

    def keep(name: str) -> Path:
        return Path(shutil.copytree(bench.home, homes / name, symlinks=True))

    def done(*command: str | Path) -> Outcome:
        outcome = bench.run(*command)
        if outcome.code:
            raise RuntimeError(f"{command[0]} could not be run at all: {outcome.err}")
        return outcome

    new, release = keep("new"), ("release", str(project.policy), "--key", str(keys["steward"]), "--json")
    for approver in ("alice", "bob") if (first := str(done(*release).json["candidate"])) else ():
        done("approve", first, "--key", keys[approver], *REASON)
    done("publish", first)
    project.write_source(people(60, seed=2))
    second = str(done(*release).json["candidate"])
    done("approve", second, "--key", keys["alice"], *REASON)
    to_approve = keep("to-approve")
    approve = ("approve", second, "--key", str(keys["bob"]), *REASON)
    done(*approve)
    to_publish = keep("to-publish")
    done("publish", second)
    to_withdraw = keep("to-withdraw")
    withdraw = ("withdraw", second, "--key", str(keys["alice"]), *REASON)
    to_purge = keep("to-purge")
    keep_groups(Home(to_purge), "patients", second, KeptVersion(np.array([b"a" * 16], dtype="S16"), ()))
    purge = ("purge", second, "--key", str(keys["steward"]), *REASON)
    cases = (
        Case("approve", to_approve, approve, "approved", second, again=frozenset({4})),
        Case("publish", to_publish, ("publish", second), "published", second),
        Case("withdraw", to_withdraw, withdraw, "withdrawn", second),
        Case("purge", to_purge, purge, "published", second, again=frozenset({0, 4}), purged=True),
        Case("release", new, release, "awaiting_approval"),
    )
    waiting: Queue[Bench] = Queue()
    for each in benches:
        waiting.put(each)
    signers = folder / "trusted-signers"
    signers.write_text(project.lines("steward", "alice", "bob", "carol"), encoding="utf-8")
    return Workshop(folder, {case.name: case for case in cases}, project.policy, signers, waiting)


@dataclass(frozen=True)
class Seen:
    """What the commands that look say of a home."""

    states: dict[str, str]
    audit: Outcome
    problems: tuple[str, ...]
    purged: frozenset[str] = frozenset()

    def done(self, case: Case) -> bool:
        if case.purged and case.candidate not in self.purged:
            return False
        return self.states.get(case.candidate) == case.state if case.candidate else case.state in self.states.values()


def look(shop: Workshop, bench: Bench) -> Seen:
    """The states of all candidates (or releases without one), the audit, and every version that can be seen, which must be whole."""
    series = [path for path in (bench.home / "releases").glob("*") if not path.name.startswith(".")]
    versions = [version for folder in series for version in folder.iterdir() if version.name.isdigit()]
    unknown = {version: digest for version in versions if (digest := digest_of(version)) not in shop.verified}
    listed, audit, *verified = bench.look(
        ("releases", "--json"), ("audit", "verify"), *(("verify", version, "--signers", shop.signers) for version in unknown)
    )
    rows = [] if listed.code else listed.json["releases"]
    states = {row["candidate"] or row["release"]: row["state"] for row in rows}
    problems = [f"releases ended with {listed.code}: {listed.err[-300:]}"] if listed.code else []
    problems += [f"audit verify ended with {audit.code}: {audit.err[-500:]}"] if audit.code else []
    for (version, digest), outcome in zip(unknown.items(), verified, strict=True):
        if outcome.code == 0:
            shop.verified.add(digest)
        else:
            problems.append(f"version {version.name} does not verify ({outcome.code}): {outcome.out[-300:]} {outcome.err[-300:]}")
    latest = [folder / "latest" for folder in series]
    problems += [f"{link} leads nowhere" for link in latest if link.is_symlink() and not link.exists()]
    return Seen(states, audit, tuple(problems), frozenset(row["candidate"] for row in rows if row["purged"]))


def digest_of(version: Path) -> str:
    said = hashlib.sha256()
    for path in sorted(version.rglob("*")):
        content = b"" if path.is_dir() else path.read_bytes()
        said.update(f"{path.relative_to(version)}\0{len(content)}\0".encode() + content)
    return said.hexdigest()


def problems_after(shop: Workshop, bench: Bench, case: Case, failed: Outcome, ended: bool, codes: Collection[int] = (0, 6)) -> list[str]:
    """What is wrong with a home in which a command was cut short or failed, and with what comes of the same command again. `ended`: it had
    the chance to say something."""
    problems = [f"said: {line}" for line in failed.err.splitlines() + failed.out.splitlines() if _never_said(line)]
    if ended and failed.code not in codes:
        problems.append(f"ended with {failed.code}: {failed.err[-500:]}")
    problems += left_behind(bench)
    seen = look(shop, bench)
    problems += [f"after the fault: {problem}" for problem in seen.problems]
    done = seen.done(case)
    if ended and failed.code == 0 and not done:
        problems.append(f"ended with 0 and was not done: {seen.states}")
    if done and "othing was published" in failed.err and case.name == "publish":
        problems.append(f"published, and said that it was not: {failed.err}")
    again = bench.run(*case.command)
    if again.code not in (case.again if done and case.candidate else {0}):
        problems.append(f"the same command again ended with {again.code}: {again.err[-500:]}")
    return problems + problems_once_completed(shop, bench, case)


def problems_once_completed(shop: Workshop, bench: Bench, case: Case) -> list[str]:
    """Nothing is unfinished, no lock is held, and nothing of before lies about."""
    seen = look(shop, bench)
    problems = [f"once completed: {problem}" for problem in seen.problems]
    if not seen.done(case):
        problems.append(f"the same command again did not complete: {seen.states}")
    if "unfinished" in seen.audit.out:
        problems.append(f"once completed: {seen.audit.out[-300:]}")
    problems += [f"left in the store: {path.name}" for path in bench.home.glob("releases/*/.*")]
    with closing(sqlite3.connect(bench.home / "ledger.db")) as ledger:
        locks = ledger.execute("SELECT count(*) FROM locks").fetchone()[0]
    return problems + ([f"{locks} locks are held"] if locks else [])


def _never_said(line: str) -> bool:
    return any(words in line for words in ("Traceback", "defect of headgate", "Exception ignored", "Error:", "SystemError"))


def left_behind(bench: Bench) -> list[str]:
    """Processes that are still there, and files that others could read."""
    problems = [f"readable by others: {path.relative_to(bench.folder)}" for path in _open_to_others(bench)]
    deadline = time.monotonic() + 20
    while (left := processes_of(bench)) and time.monotonic() < deadline:
        time.sleep(0.2)
    return problems + [f"process {number} is left" for number in left]


def _open_to_others(bench: Bench) -> list[Path]:
    """A home that nobody else can enter hides whatever is in it; a folder for temporary files does not."""
    found = [bench.home] if bench.home.stat().st_mode & 0o077 else []
    for below, folders, files in os.walk(bench.folder / "tmp"):
        paths = [Path(below, name) for name in (*folders, *files)]
        found += [path for path in paths if not path.is_symlink() and path.lstat().st_mode & 0o077]
    return found


def cleared(home: Path) -> None:
    """Nothing is there, whatever was."""
    shutil.rmtree(home, ignore_errors=True)


def processes_of(bench: Bench) -> list[int]:
    """Those that were started with this home, whatever group they are in."""
    mark, found = f"HEADGATE_HOME={bench.home}".encode(), []
    for entry in os.listdir("/proc"):
        try:
            if entry.isdigit() and mark in Path("/proc", entry, "environ").read_bytes().split(b"\0"):
                found.append(int(entry))
        except OSError:
            continue
    return found


def spread(numbers: Sequence[int], count: int) -> list[int]:
    """At most `count` of them, evenly."""
    if len(numbers) <= count:
        return list(numbers)
    return [numbers[place * len(numbers) // count] for place in range(count)]
