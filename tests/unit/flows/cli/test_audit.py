"""`headgate audit …` on whole and on changed ledgers."""

from __future__ import annotations

import json
import os
import re
import shutil
import sqlite3
import tempfile
from pathlib import Path
from typing import Any

import pytest

from flows.terminal import current_folder
from tasks.signing.home_keys import machine_key
from tests.unit.tasks.verification.test_audit import tamper


def test_every_event_of_a_release_is_listed_with_short_digests(run: Any, world: Any) -> None:
    candidate = world.seal()
    world.approve(candidate, "ann")
    shown = run("audit", "show", "release-1")
    heading, *lines = shown.out.splitlines()
    assert (shown.code, shown.err) == (0, "")
    assert heading == "people release release-1: awaiting approval"
    assert [line.split()[0] for line in lines] == [str(entry.seq) for entry in world.ledger.entries()]
    assert [line.split()[3] for line in lines] == [entry.type for entry in world.ledger.entries()]
    assert f"{candidate.id[:12]}…" in shown.out
    assert not re.search(r"\b[0-9a-f]{64}\b", shown.out)


def test_the_document_of_a_release_has_every_digest_whole(run: Any, world: Any) -> None:
    candidate = world.seal()
    world.approve(candidate, "ann")
    document = run("audit", "show", candidate.id[:8], "--json").json
    assert (document["release"], document["dataset"], document["state"]) == ("release-1", "people", "awaiting_approval")
    keys = ["seq", "at", "actor", "type", "hash", "payload"]
    assert [list(event) for event in document["events"]] == [*[keys] * (len(world.ledger.entries()) - 1), [*keys, "reason"]]
    assert document["events"][-1]["reason"] == "read the report"
    assert [event["hash"] for event in document["events"]] == [entry.hash for entry in world.ledger.entries()]
    assert document["events"][-1]["actor"] == "ann"
    assert document["events"][-1]["payload"]["candidate"] == candidate.id


def test_a_hidden_vote_is_listed_without_who_when_and_why(run: Any, world: Any) -> None:
    candidate = world.seal(blind=True, roles_required=world.hold_roles(law=("ann", "bob")))
    world.approve(candidate, "ann")
    shown = run("audit", "show", "release-1").out
    assert "roles law 1 ann, bob" in shown
    assert re.search(r"^ +\d+ +approved +who and why is shown once it is decided$", shown, re.MULTILINE)
    event = run("audit", "show", "release-1", "--json").json["events"][-1]
    assert (event["type"], event["at"], event["actor"], event["payload"]) == ("approved", None, None, None)
    assert "read the report" not in shown + str(event) + run("audit", "export").out


def test_a_whole_ledger_verifies_and_says_how_much_was_checked(run: Any, world: Any) -> None:
    world.published()
    verified = run("audit", "verify")
    events, head = len(world.ledger.entries()), world.ledger.entries()[-1].hash
    assert (verified.code, verified.err) == (0, "")
    assert verified.out.splitlines() == [
        f"{events} events of 1 release: the chain is whole. 1 published version checked against it.",
        f"head {head}",
    ]
    whole = {
        "events": events,
        "releases": 1,
        "versions": 1,
        "head": head,
        "cosigned": [],
        "published": [],
        "unfinished": [],
        "weaknesses": [],
        "lacking": [],
        "faults": [],
    }
    assert run("audit", "verify", "--json").json == whole


def test_a_changed_event_is_broken_integrity(run: Any, world: Any) -> None:
    world.published()
    tamper(world.home.ledger, "UPDATE events SET actor = 'cyd' WHERE type = 'approved' AND actor = 'bob'")
    for arguments in (("verify",), ("list",), ("show", "release-1")):
        broken = run("audit", *arguments, "--json")
        assert broken.error["code"] == 5
        assert list(broken.json) == ["error"]
        assert "Traceback" not in broken.err
    assert run("audit", "export").code == 5


def test_the_ledger_is_exported_as_lines_to_stdout_or_into_a_file(run: Any, world: Any, tmp_path: Path) -> None:
    world.seal()
    exported = run("audit", "export")
    assert (exported.code, exported.err) == (0, "")
    assert [json.loads(line)["hash"] for line in exported.out.splitlines()] == [entry.hash for entry in world.ledger.entries()]
    written = run("audit", "export", "-o", tmp_path / "ledger.jsonl")
    assert (written.code, written.out) == (0, "")
    assert (tmp_path / "ledger.jsonl").read_text() == exported.out


def test_a_release_that_nobody_knows_is_bad_input(run: Any, world: Any) -> None:
    world.seal()
    assert run("audit", "show", "no-such-release", "--json").error["code"] == 2


def test_a_ledger_that_cannot_be_opened_is_told_as_that(run: Any, world: Any) -> None:
    world.seal()
    sqlite3.connect(world.home.ledger).close()
    world.home.ledger.write_bytes(b"this is not a database" * 100)
    assert run("audit", "verify", "--json").error["code"] in (5, 6)


def test_the_evidence_of_one_release_is_an_archive(run: Any, world: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    world.published()
    made = run("audit", "export", "release-1", "--bundle", "--to", tmp_path / "it.tar.gz")
    assert (made.code, made.err, made.out) == (0, "", f"Evidence: {tmp_path / 'it.tar.gz'}\n")
    assert (tmp_path / "it.tar.gz").read_bytes()[:2] == b"\x1f\x8b"
    monkeypatch.setattr(current_folder, "_left", tmp_path)
    made = run("audit", "export", "release-1", "--bundle")
    assert made.out == "Evidence: evidence-release-1.tar.gz\n"
    assert (tmp_path / "evidence-release-1.tar.gz").is_file()
    for arguments in (("release-1",), ("--bundle",)):
        refused = run("audit", "export", *arguments)
        assert (refused.code, "RELEASE --bundle" in refused.err) == (2, True)
    assert run("audit", "export", "no-such-release", "--bundle").code == 2


def test_an_auditor_cosigns_and_the_head_is_found_on_the_chain_later(
    run: Any, world: Any, key_file: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    world.seal()
    file, signers = tmp_path / "cosigned.json", tmp_path / "auditors"
    signers.write_text(world.line("stranger", "auditor@court.example") + "\n")
    signed = run("audit", "cosign", "--key", key_file("stranger"), "--output", file)
    assert (signed.code, "Cosigned at event 8 with SHA256:" in signed.out) == (0, True)
    world.seal()
    verified = run("audit", "verify", "--cosigned", file, "--signers", signers)
    assert (verified.code, "cosigned at event 8 by auditor@court.example (SHA256:" in verified.out) == (0, True)
    (cosigned,) = run("audit", "verify", "--cosigned", file, "--json").json["cosigned"]
    assert cosigned == {"event": 8, "fingerprint": world.keys["stranger"].fingerprint, "principal": ""}
    assert run("audit", "cosign", "--output", file).code == 2
    monkeypatch.setattr(current_folder, "_left", tmp_path)
    assert run("audit", "cosign", "--key", key_file("stranger")).out.endswith(": cosigned-head.dsse.json\n")
    assert (tmp_path / "cosigned-head.dsse.json").is_file()


def test_a_cosigned_head_is_never_replaced_nor_signed_by_the_home_itself(run: Any, world: Any, key_file: Any, tmp_path: Path) -> None:
    world.seal()
    file = tmp_path / "cosigned.json"
    for name in ("ledger", "runner"):
        machine_key(world.home.keys)
        refused = run("audit", "cosign", "--key", world.home.keys / name, "--output", file)
        assert (refused.code, "one of the home's own" in refused.err, file.exists()) == (2, True, False)
    assert run("audit", "cosign", "--key", key_file("stranger"), "--output", file).code == 0
    before = file.read_bytes()
    world.seal()
    refused = run("audit", "cosign", "--key", key_file("stranger"), "--output", file)
    assert (refused.code, "exists already" in refused.err, file.read_bytes()) == (2, True, before)
    assert "a key that nobody vouches for: give your own list with --signers" in run("audit", "verify", "--cosigned", file).out.replace(
        "\n", " "
    )


def test_a_published_folder_that_was_kept_is_compared_with_the_chain(run: Any, world: Any, tmp_path: Path) -> None:
    """Home and store, both put back to before a version, are content with one another."""
    world.published()
    before = shutil.copytree(world.home.root, tmp_path / "before", symlinks=True)
    kept = shutil.copytree(world.published().folder, tmp_path / "kept")
    verified = run("audit", "verify", "--head", kept)
    assert (verified.code, "which lies on the chain" in verified.out.replace("\n", " ")) == (0, True)
    assert [folder["folder"] for folder in run("audit", "verify", "--head", kept, "--json").json["published"]] == [str(kept)]
    shutil.rmtree(world.home.root)
    before.rename(world.home.root)
    assert run("audit", "verify").code == 0
    rolled_back = run("audit", "verify", "--head", kept)
    assert (rolled_back.code, "was published after event" in rolled_back.err.replace("\n", " ")) == (5, True)
    assert run("audit", "verify", "--head", tmp_path / "nothing").code in (2, 5)


def test_each_fault_is_a_line_with_a_cure_for_its_kind(run: Any, world: Any) -> None:
    first, second = world.published(), world.published()
    shutil.rmtree(first.folder)
    (second.folder / "report.html").chmod(0o644)
    (second.folder / "report.html").write_text("another")
    told = run("audit", "verify", "--json").error
    assert len(told["message"].splitlines()) == 2
    assert f"missing from {first.folder.parent}." in told["message"]
    assert "Mount the store" in told["cure"]
    assert "Restore the ledger" not in told["cure"]


def test_a_fork_is_named_with_who_cosigned(run: Any, world: Any, key_file: Any, tmp_path: Path) -> None:
    """The whole home put back: only what the auditor took away tells."""
    kept = shutil.copytree(world.home.root, tmp_path / "kept")
    world.seal()
    run("audit", "cosign", "--key", key_file("stranger"), "--output", tmp_path / "cosigned.json")
    shutil.rmtree(world.home.root)
    shutil.copytree(kept, world.home.root)
    assert run("audit", "verify").code == 0
    cut = run("audit", "verify", "--cosigned", tmp_path / "cosigned.json", "--json")
    assert (cut.code, "cosigned it at event 8" in cut.error["message"]) == (5, True)
    world.began = 4
    world.seal()
    fork = run("audit", "verify", "--cosigned", tmp_path / "cosigned.json", "--json")
    assert (fork.code, "The ledger is a fork: its event 8" in fork.error["message"]) == (5, True)


@pytest.mark.slow
@pytest.mark.skipif(os.geteuid() != 0, reason="only root becomes somebody else")
def test_somebody_who_may_only_read_the_home_audits_it_and_changes_nothing(run: Any, world: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    published, waiting = world.published().release.candidate, world.seal().id
    commands = (
        ("audit", "list"), ("audit", "show", "release-1"), ("audit", "verify"), ("audit", "export"), ("releases", "--json"),
        ("show", published), ("show", waiting, "--json"),
    )  # fmt: skip
    said = ("statement", waiting, "--as", "ann", "--reason", "read")
    for command in (*commands, said):
        assert run(*command).code == 0  # whatever is imported is imported now: the other account may not read it
    with tempfile.TemporaryDirectory() as folder:
        copy = shutil.copytree(world.home.root, Path(folder) / "home", symlinks=True)
        os.chmod(folder, 0o755)
        for place in (copy, *copy.rglob("*")):
            private = place.parent.name == "keys" and place.suffix != ".pub"
            place.is_symlink() or place.chmod(0o600 if private else 0o755 if place.is_dir() else 0o644)
        before = state_of(copy)
        loops = Path(folder) / "loops"
        loops.mkdir(mode=0o700)
        os.chown(loops, 65534, 65534)
        monkeypatch.setenv("HEADGATE_HOME", str(copy))
        monkeypatch.setenv("NUMBA_CACHE_DIR", str(loops))
        for command in commands:
            assert code_as_nobody(run, command) == 0, command
        assert code_as_nobody(run, said) == 6
        assert state_of(copy) == before


def state_of(folder: Path) -> dict[str, Any]:
    return {
        str(place): (place.lstat().st_mode, place.lstat().st_mtime_ns, place.read_bytes() if place.is_file() else b"")
        for place in (folder, *sorted(folder.rglob("*")))
    }


def code_as_nobody(run: Any, command: tuple[str, ...]) -> int:
    child = os.fork()
    if child == 0:
        code = 99
        try:
            os.setgid(65534)
            os.setuid(65534)
            code = run(*command).code
        finally:
            os._exit(code)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def test_a_ledger_is_exported_over_an_exported_ledger_and_over_nothing_else(run: Any, world: Any, tmp_path: Path) -> None:
    world.seal()
    notes, exported = tmp_path / "notes.txt", tmp_path / "ledger.jsonl"
    notes.write_text("mine\n", encoding="utf-8")
    refused = run("audit", "export", "-o", notes)
    assert (refused.code, notes.read_text(encoding="utf-8")) == (2, "mine\n")
    assert "exists and is not an exported ledger" in " ".join(refused.err.split())
    assert run("audit", "export", "-o", exported).code == 0
    before = exported.read_text(encoding="utf-8")
    world.seal()
    assert run("audit", "export", "-o", exported).code == 0
    assert exported.read_text(encoding="utf-8").startswith(before)
