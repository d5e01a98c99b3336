"""One home, served to three other accounts of the machine, none of which can open it: a release, two approvals and a publication."""

from __future__ import annotations

import grp
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.functional.conftest import Outcome

ACCOUNTS = {"steward": 60_001, "alice": 60_002, "bob": 60_003, "mallory": 60_004}
GROUP = "games"  # any that this machine has
# As somebody else: what is imported afterwards may lie where only the owner of these tests can read.
AS_ACCOUNT = """
import os, sys, warnings
warnings.simplefilter("ignore")
import asyncssh, importlib, pkgutil, rfc8785, securesystemslib.dsse, securesystemslib.signer, rich.console, rich.traceback
import codecs, encodings.idna, inspect, shlex, signal
[codecs.lookup(name) for name in ("utf-8-sig", "latin-1", "cp1252", "ascii", "hex", "unicode_escape", "utf-16-le", "utf-16-be", "utf-32")]
import flows.cli, flows.service, tasks.service, tasks.reading.source_csv, tasks.reading.source_parquet
for room in (flows.service, tasks.service):
    for module in pkgutil.iter_modules(room.__path__, room.__name__ + "."):
        importlib.import_module(module.name)
import flows.service.wishes, flows.terminal.output, tasks.reporting.check_report, tasks.runtime.loops_cache
from pathlib import Path
from tasks.reading.references import load_policy
[load_policy(path) for path in Path.cwd().glob("policy.yaml")]
uid, group = int(sys.argv[1]), int(sys.argv[2])
os.setgroups([group] if group else []); os.setgid(uid); os.setuid(uid)
os.umask(0o022)
flows.cli.main(sys.argv[3:])
"""


def account_group() -> int:
    try:
        return grp.getgrnam(GROUP).gr_gid
    except KeyError:
        return 0


pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(os.geteuid() != 0, reason="only root can act as other accounts"),
    pytest.mark.skipif(account_group() == 0, reason=f"this machine has no group {GROUP}"),
]


class People:
    """Each with a folder of their own, which is all that they can write."""

    def __init__(self, folder: Path, socket: Path) -> None:
        self.folder, self.socket = folder, socket

    def own(self, name: str) -> Path:
        return self.folder / name

    def run(self, name: str, *arguments: str | Path, member: bool = True) -> Outcome:
        environment = {"PATH": os.environ["PATH"], "HOME": str(self.own(name)), "HEADGATE_SOCKET": str(self.socket)}
        environment |= {"HEADGATE_KEY": str(self.own(name) / "key"), "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
        command = [sys.executable, "-c", AS_ACCOUNT, str(ACCOUNTS[name]), str(account_group() if member else 0), *map(str, arguments)]
        done = subprocess.run(command, env=environment, cwd=self.own(name), capture_output=True, text=True, timeout=200)
        return Outcome(done.returncode, done.stdout, done.stderr)


@pytest.fixture
def people(project: Any) -> Iterator[People]:
    """The steward has the policy and its data to themselves; everybody has their key."""
    folder = Path(tempfile.mkdtemp(prefix="headgate-people-"))
    folder.chmod(0o755)
    (folder / "run").mkdir()
    (folder / "run").chmod(0o755)
    made = People(folder, folder / "run" / "headgate.sock")
    for name, uid in ACCOUNTS.items():
        made.own(name).mkdir()
        shutil.copy(project.keys[name], made.own(name) / "key")
        if name == "steward":
            for path, content in project.contents().items():
                (made.own(name) / path).write_bytes(content)
        for path in (made.own(name), *made.own(name).iterdir()):
            os.chown(path, uid, uid)
            path.chmod(0o700 if path.is_dir() else 0o600)
    yield made
    shutil.rmtree(folder)


@pytest.fixture
def serving(project: Any, people: People) -> Iterator[subprocess.Popen[str]]:
    environment = dict(os.environ)  # and so with the Prefect server of these tests
    environment |= {"HEADGATE_HOME": str(project.home), "HEADGATE_SOCKET": str(people.socket), "HEADGATE_SOCKET_GROUP": GROUP}
    environment |= {"HEADGATE_PUBLISH_SECONDS": "3600", "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    process = subprocess.Popen(
        [sys.executable, "-m", "flows.cli", "serve"],
        env=environment,
        cwd=people.folder / "run",
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    deadline = time.monotonic() + 200
    while not people.socket.exists() and process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.05)
    yield process
    process.kill()
    process.communicate()


def test_people_who_cannot_open_the_home_release_approve_and_publish(project: Any, people: People, serving: subprocess.Popen[str]) -> None:
    assert project.home.stat().st_mode & 0o777 == 0o700
    stranger = people.run("mallory", "releases", member=False)
    assert (stranger.code, "may not use the service" in stranger.err) == (4, True), stranger
    released = people.run("steward", "release", "policy.yaml", "--json")
    assert released.code == 0, released.err
    assert f"for the first time, at {people.socket}." in released.err
    candidate = released.json["candidate"]
    own = people.run("steward", "approve", candidate, "--reason", "mine")
    assert (own.code, "for the first time" in own.err) == (4, False), own
    assert people.run("alice", "show", candidate, "--report", "report.html").code == 0
    assert (people.own("alice") / "report.html").stat().st_uid == ACCOUNTS["alice"]
    for name in ("alice", "bob"):
        done = people.run(name, "approve", candidate, "--reason", "read it")
        assert done.code == 0, done.err
    published = people.run("bob", "publish", candidate, "--json")
    assert published.code == 0, published.err
    serving.send_signal(signal.SIGINT)
    _, err = serving.communicate(timeout=200)
    assert "Traceback" not in err
    assert not people.socket.exists()
    assert list((project.home / "staging").iterdir()) == []
    manifest = json.loads((project.home / "releases" / "patients" / "latest" / "manifest.json").read_text())
    assert manifest["runner"]["principal"] == "steward"
    events = project.run("audit", "show", candidate, "--json").json["events"]
    viewers = [event["payload"]["viewer"] for event in events if event["type"] == "viewed"]
    assert viewers == [str(ACCOUNTS["alice"])]
    assert project.run("verify", published.json["folder"]).code == 0
