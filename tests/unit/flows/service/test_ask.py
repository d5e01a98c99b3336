"""The command as people type it, against services of every kind."""

from __future__ import annotations

import hashlib
import json
import socket
import threading
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from headgate.core.errors import IntegrityBroken
from tasks.approval.statements import decision_statement
from tasks.ledger.history import read_history
from tasks.service.frames import FileEntry, Frames, Kind
from tasks.service.request import LONGEST_REQUEST, Ended, Request
from tasks.signing.signatures import COSIGNED, REQUEST, bytes_to_sign, payload_of, sign_statement, statement
from tasks.signing.sshsig import verify_bytes
from tests.unit.flows.service.conftest import knows

Acts = Callable[[Frames, Request], None]
HOME = "SHA256:" + "A" * 43


def proof(request: Request, home: str = HOME) -> bytes:
    return payload_of(statement({"request": request.sha256}, REQUEST, {"home": home, "nonce": "ab" * 32}))


def end(frames: Frames, code: int = 0, *files: tuple[str, bytes]) -> None:
    entries = tuple(FileEntry(role="output", name=name, size=len(content)) for name, content in files)
    frames.send(Kind.END, Ended(code=code, files=entries).model_dump_json().encode(), *(content for _, content in files))


@pytest.fixture
def lying(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[Acts], list[Request]]]:
    """A service that does what a test says with each request, and what was asked of it."""
    folder, asked, threads = tmp_path / "run", list[Request](), list[threading.Thread]()
    folder.mkdir(mode=0o755)
    knows(tmp_path, HOME, folder / "s")
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(str(folder / "s"))
    listener.listen()
    monkeypatch.setenv("HEADGATE_SOCKET", str(folder / "s"))

    def serve(act: Acts) -> list[Request]:
        def once() -> None:
            connection, _ = listener.accept()
            with connection:
                frames = Frames(connection)
                asked.append(Request.model_validate_json(frames.receive(LONGEST_REQUEST)[1]))
                if asked[-1].key is not None:
                    frames.send(Kind.SIGN, proof(asked[-1]))
                    assert frames.receive()[0] is Kind.SIGNED
                act(frames, asked[-1])

        threads.append(threading.Thread(target=once, daemon=True))
        threads[-1].start()
        return asked

    with listener:
        yield serve
        for thread in threads:
            thread.join(10)


def digest(request: Request, reason: str) -> str:
    return hashlib.sha256(f"{request.salt}\n{reason}".encode()).hexdigest()


def payload(world: Any, candidate: Any, action: str, reason_sha256: str) -> bytes:
    release = read_history(world.ledger).find(candidate.id)
    return payload_of(decision_statement(release, action, "ann", reason_sha256, datetime.now(UTC).isoformat()))


def test_the_key_and_the_files_stay_here_and_the_words_are_sent(run: Any, world: Any, lying: Any, key_file: Any, tmp_path: Path) -> None:
    candidate, signed = world.seal(), list[tuple[Kind, bytes]]()

    def act(frames: Frames, request: Request) -> None:
        frames.send(Kind.SIGN, payload(world, candidate, "approve", digest(request, "read it")))
        signed.append(frames.receive())
        frames.send(Kind.OUT, b"approved\n")
        end(frames)

    asked = lying(act)
    done = run("approve", candidate.id[:12], "--key", key_file("ann"), "--reason", " read it ", "--json")
    assert (done.code, done.out, done.err) == (0, "approved\n", "")
    assert asked[0].values == {"candidate": candidate.id[:12], "reason": " read it ", "json": True}
    assert (asked[0].key, asked[0].files) == (world.keys["ann"].public, ())
    secret = key_file("ann").read_text().splitlines()[1]
    assert secret not in asked[0].model_dump_json()
    assert signed[0][0] is Kind.SIGNED


@pytest.mark.parametrize(
    ("action", "other", "reason"),
    [("reject", False, "read it"), ("approve", True, "read it"), ("approve", False, "paid for"), ("withdraw", False, "read it")],
)
def test_a_service_that_lies_gets_nothing_else_signed(
    run: Any, world: Any, lying: Any, key_file: Any, action: str, other: bool, reason: str
) -> None:
    """Another action, another candidate, another reason; and the connection ends without a signature."""
    candidate, another = world.seal(), world.seal(title="another")
    answers, answered = list[bytes](), threading.Event()

    def act(frames: Frames, request: Request) -> None:
        frames.send(Kind.SIGN, payload(world, another if other else candidate, action, digest(request, reason)))
        answers.append(frames.connection.recv(1000))
        answered.set()

    lying(act)
    done = run("approve", candidate.id[:12], "--key", key_file("ann"), "--reason", "read it")
    assert answered.wait(60)
    assert done.code == 4
    assert "the service asked for a signature on something else than you asked for" in done.err
    assert answers == [b""]


def test_a_command_that_needs_no_signature_signs_nothing(
    run: Any, world: Any, lying: Any, monkeypatch: pytest.MonkeyPatch, key_file: Any
) -> None:
    candidate = world.seal()
    monkeypatch.setenv("HEADGATE_KEY", str(key_file("ann")))
    lying(lambda frames, request: frames.send(Kind.SIGN, payload(world, candidate, "approve", "ab" * 32)))
    done = run("show", candidate.id)
    assert (done.code, "where none is needed" in done.err) == (4, True)


def test_a_cosigned_head_that_the_auditor_did_not_sign_is_not_kept(run: Any, world: Any, lying: Any, key_file: Any, tmp_path: Path) -> None:
    def head(seq: int) -> Any:
        said = {"seq": seq, "hash": "ab" * 32, "at": "2026-01-01T00:00:00+00:00", "release": "r"}
        return statement({"head": "ab" * 32}, COSIGNED, said)

    def act(frames: Frames, request: Request) -> None:
        frames.send(Kind.SIGN, payload_of(head(7)))
        armored = frames.receive()[1]
        assert verify_bytes(bytes_to_sign(payload_of(head(7))), armored, "it").fingerprint == world.keys["bob"].fingerprint
        end(frames, 0, ("cosigned-head.dsse.json", sign_statement(head(3), world.keys["bob"])))

    lying(act)
    done = run("audit", "cosign", "--key", key_file("bob"), "-o", tmp_path / "head.json")
    assert done.code == IntegrityBroken.code
    assert not (tmp_path / "head.json").exists()


def test_a_file_that_was_not_asked_for_is_not_written(run: Any, lying: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("Makefile", "../x", "evidence-0/../../x.tar.gz"):
        lying(lambda frames, request, name=name: end(frames, 0, (name, b"content")))
        assert run("audit", "export", "0011223344556677", "--bundle").code == 2
    lying(lambda frames, request: end(frames, 0, ("report.html", b"content")))
    assert run("releases").code == 2
    assert [path.name for path in tmp_path.iterdir() if path.is_file()] == []


def test_what_the_command_gives_is_written_where_the_person_says(run: Any, lying: Any, tmp_path: Path) -> None:
    asked = lying(lambda frames, request: end(frames, 0, ("anything", b"content")))
    assert run("audit", "export", "-o", tmp_path / "ledger.jsonl").code == 0
    assert (tmp_path / "ledger.jsonl").read_bytes() == b"content"
    assert asked[0].values["output"] == "ledger.jsonl"


def test_a_refusal_of_the_service_keeps_its_code_its_sentence_and_its_cure(run: Any, lying: Any) -> None:
    refused = Ended(code=4, message="Your account is not in the group headgate.", cure="Ask the operator.")
    lying(lambda frames, request: frames.send(Kind.END, refused.model_dump_json().encode()))
    done = run("releases", "--json")
    assert (done.code, done.error["message"], done.error["cure"]) == (4, refused.message, refused.cure)


def test_a_command_that_fails_there_fails_here(run: Any, lying: Any) -> None:
    lying(lambda frames, request: (frames.send(Kind.ERR, b"Refused\n"), end(frames, 3)))
    done = run("publish", "ab" * 6)
    assert (done.code, done.out, done.err) == (3, "", "Refused\n")


def test_what_is_not_served_is_said_before_anybody_is_asked(run: Any, lying: Any, tmp_path: Path) -> None:
    for arguments in (("attack", "ab" * 6), ("explore", "p.yaml"), ("publish", "ab" * 6, "--verbose")):
        done = run(*arguments)
        assert (done.code, "is not served over the socket" in done.err) == (2, True)


def test_commands_that_open_no_home_run_here(run: Any, lying: Any, tmp_path: Path) -> None:
    assert run("verify", tmp_path).code != 6
    assert run("init", tmp_path / "absent.csv").code == 2


def test_where_nobody_serves_this_is_said_with_its_cure(run: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HEADGATE_SOCKET", str(tmp_path / "s"))
    done = run("releases", "--json")
    assert (done.code, "Nobody serves at" in done.error["message"]) == (6, True)
    monkeypatch.setenv("HEADGATE_SOCKET", "s")
    assert run("releases").code == 2
    assert json.loads(done.out)
