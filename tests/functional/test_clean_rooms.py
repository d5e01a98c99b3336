"""The whole installation as its people have it: the operator's account owns the home and serves it; a steward, two approvers, an auditor
and a stranger have accounts of their own, with the rights that the operator's guide gives them, and none of them can open the home."""

from __future__ import annotations

import json
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pandas as pd
import pytest

from tests.functional.clean_rooms import ACCOUNTS, GROUP, CleanRooms, why_not
from tests.functional.conftest import POLICY, REGIONS, people

pytestmark = [
    pytest.mark.long,
    pytest.mark.timeout(600),  # some twenty commands, each a process of its own
    pytest.mark.skipif(bool(why_not()), reason=why_not() or "none"),
]

KEYS = {"steward": "steward", "alice": "alice", "bob": "bob", "auditor": "carol", "mallory": "mallory"}
OPERATOR_FILE = "runners: [steward]\nfloor: {approvals: 2}\ntargets: {patients: %s}\n"
PEOPLE = ("steward", "alice", "bob", "auditor", "mallory")


@pytest.fixture
def rooms(approver_keys: dict[str, Path]) -> Iterator[CleanRooms]:
    """The steward has the policy and its data to themselves, everybody but the operator has a key, and the auditor is no signer."""
    made = CleanRooms(Path(tempfile.mkdtemp(prefix="headgate-rooms-")))
    made.surroundings = {"HEADGATE_SOCKET": str(made.folder / "run" / "headgate.sock")}
    for name, key in KEYS.items():
        shutil.copy(approver_keys[key], made.own(name) / "key")
    own = made.own("steward")
    policy = POLICY.format(dataset="patients", k=5, delta=0.4, gates="", max_error=5, more="")
    (own / "policy.yaml").write_text(policy.replace("required: 2, signers: signers", "required: 2"))
    (own / "region.csv").write_text(REGIONS)
    pd.DataFrame(people()).to_csv(own / "patients.csv", index=False)
    (made.own("auditor") / "trusted").write_text(signer_lines(approver_keys))
    for name in PEOPLE:
        made.give(name)
    yield made
    shutil.rmtree(made.folder)


def signer_lines(keys: dict[str, Path]) -> str:
    return "".join(f'{name} namespaces="headgate" {keys[name].with_suffix(".pub").read_text()}' for name in ("steward", "alice", "bob"))


@pytest.fixture
def home(approver_keys: dict[str, Path], rooms: CleanRooms) -> Path:
    """As the guide says: made by `headgate init`, then filled in."""
    made = rooms.own("operator") / "home"
    outcome = rooms.run("operator", "init", "--home", made, environment={"HEADGATE_SOCKET": ""})
    assert outcome.code == 0, outcome.err
    (made / "signers").write_text(signer_lines(approver_keys))
    (made / "operator.yaml").write_text(OPERATOR_FILE % (rooms.folder / "public"))
    return made


@pytest.fixture
def serving(rooms: CleanRooms, home: Path) -> Iterator[subprocess.Popen[str]]:
    environment = {"HEADGATE_HOME": str(home), "HEADGATE_SOCKET_GROUP": GROUP, "HEADGATE_PUBLISH_SECONDS": "3600"}
    process = rooms.start("operator", "serve", environment=environment)
    deadline = time.monotonic() + 200
    while not (rooms.folder / "run" / "headgate.sock").exists() and process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.05)
    yield process
    process.kill()
    process.communicate()


def test_each_account_does_its_own_part_and_reaches_nothing_else(rooms: CleanRooms, home: Path, serving: subprocess.Popen[str]) -> None:
    assert serving.poll() is None, serving.communicate()[1]
    stranger = rooms.run("mallory", "releases", member=False)
    assert (stranger.code, "may not use the service" in stranger.err) == (4, True), stranger

    released = rooms.run("steward", "release", "policy.yaml", "--json")
    assert released.code == 0, released.err
    assert f"for the first time, at {rooms.folder / 'run' / 'headgate.sock'}." in released.err
    candidate = released.json["candidate"]
    own = rooms.run("steward", "approve", candidate, "--reason", "mine")
    assert (own.code, "for the first time" in own.err) == (4, False), own

    assert rooms.run("auditor", "approve", candidate, "--reason", "I like it").code == 4  # is not on the list of signers
    shutil.copytree(rooms.own("steward"), rooms.own("mallory") / "copy")
    rooms.give("mallory")
    assert rooms.run("mallory", "release", "copy/policy.yaml").code == 4  # nor is mallory, whoever lent them the data

    assert rooms.run("alice", "show", candidate, "--report", "report.html").code == 0
    assert (rooms.own("alice") / "report.html").stat().st_uid == ACCOUNTS["alice"]
    for name in ("alice", "bob"):
        done = rooms.run(name, "approve", candidate, "--reason", "read it")
        assert done.code == 0, done.err
    published = rooms.run("bob", "publish", candidate, "--json")
    assert published.code == 0, published.err

    for name in PEOPLE:
        assert rooms.reached(name, home) == (set(), set())
        for other in PEOPLE:
            if other != name:
                assert rooms.reached(name, rooms.own(other)) == (set(), set())
        read, written = rooms.reached(name, rooms.folder / "public")
        assert (written, "patients/1/manifest.json" in read) == (set(), True)
        assert rooms.reached(name, rooms.folder / "code")[1] == set()
    assert rooms.reached("operator", rooms.own("steward")) == (set(), set())  # what is released is sent, not fetched

    listed = rooms.run("auditor", "audit", "show", candidate, "--json")
    assert listed.code == 0, listed.err
    viewers = [event["payload"]["viewer"] for event in listed.json["events"] if event["type"] == "viewed"]
    assert viewers == [str(ACCOUNTS["alice"])]
    assert rooms.run("auditor", "audit", "export", "--output", "ledger.jsonl").code == 0
    assert (rooms.own("auditor") / "ledger.jsonl").stat().st_uid == ACCOUNTS["auditor"]
    verified = rooms.run("auditor", "verify", published.json["folder"], "--signers", "trusted", "--json")
    assert (verified.code, verified.json["approved_by"]) == (0, ["alice", "bob"]), verified.err

    serving.send_signal(signal.SIGINT)
    _, err = serving.communicate(timeout=200)
    assert "Traceback" not in err
    assert not (rooms.folder / "run" / "headgate.sock").exists()
    assert list((home / "staging").iterdir()) == []
    manifest = json.loads((rooms.folder / "public" / "patients" / "latest" / "manifest.json").read_text())
    assert manifest["runner"]["principal"] == "steward"
