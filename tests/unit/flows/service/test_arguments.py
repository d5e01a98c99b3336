"""Requests of somebody who makes their own client: a command is told words, files that were sent, and places of its own request."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from flows.cli import approve, audit, release, show
from flows.service.arguments import prepared
from headgate.core.errors import InputRejected, IntegrityBroken, StoreUnavailable
from tasks.service.frames import FileEntry, Frames, Kind
from tasks.service.request import Request
from tasks.signing import given_key as given
from tasks.signing.signatures import bytes_to_sign
from tasks.signing.sshsig import sign_bytes
from tests.unit.flows.test_serve import POLICY

Prepare = Callable[..., tuple[Any, dict[str, Any]]]
WORDS = {"candidate": "ab" * 6, "reason": "read it", "json": True}
RELEASE = {"if_changed": False, "json": False}


@pytest.fixture
def ends(monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[Frames, Frames]]:
    monkeypatch.setattr(given, "_caller", None)
    one, other = socket.socketpair()
    with one, other:
        yield Frames(one), Frames(other)


@pytest.fixture
def prepare(ends: tuple[Frames, Frames], tmp_path: Path) -> Prepare:
    def told(command: str, values: dict[str, Any], *files: tuple[str, str, bytes], **more: Any) -> tuple[Any, dict[str, Any]]:
        hashed = [(role, name, content, sha256(content).hexdigest()) for role, name, content in files]
        entries = tuple(FileEntry(role=role, name=name, size=len(content), sha256=digest) for role, name, content, digest in hashed)
        for *_, content in files:
            ends[1].connection.sendall(content)
        return prepared(ends[0], Request(command=command, values=values, files=entries, **more), tmp_path)

    return told


def test_words_are_told_as_they_are_and_defaults_stay(prepare: Prepare) -> None:
    assert prepare("approve", WORDS) == (approve.approve, {**WORDS, "signature": None, "key": None})
    assert prepare("audit show", {"release": "r", "json": False}) == (audit.show, {"release": "r", "json": False})
    assert prepare("approve", {**WORDS, "reason": None})[1] == {"candidate": "ab" * 6, "json": True, "signature": None, "key": None}


def test_a_signature_is_read_from_what_was_sent(prepare: Prepare, tmp_path: Path) -> None:
    told = prepare("approve", WORDS, ("signature", "statement.sig", b"armored"))[1]
    assert told["signature"].read_bytes() == b"armored"
    assert told["signature"].is_relative_to(tmp_path)


def test_a_report_is_written_in_the_requests_own_folder_under_the_name_that_the_caller_gives_it(prepare: Prepare, tmp_path: Path) -> None:
    assert prepare("show", {"candidate": "ab" * 6, "json": False, "report": "r.html"}) == (
        show.show,
        {"candidate": "ab" * 6, "json": False, "report": tmp_path / "outputs" / "r.html"},
    )
    assert prepare("show", {"candidate": "ab" * 6, "json": False})[1]["report"] is None


@pytest.mark.parametrize(
    ("command", "values"),
    [
        ("doctor", {"accept_ledger": True}),
        ("serve", {}),
        ("attack", {"candidate": "ab" * 6}),
        ("audit", {}),
        ("os system", {}),
        ("audit export", {"release": None, "bundle": False, "output": "../../ledger.db"}),
        ("audit export", {"release": None, "bundle": False, "output": "/etc/x"}),
        ("audit export", {"release": None, "bundle": False, "output": ".."}),
        ("audit export", {"release": None, "bundle": False, "output": True}),
        ("approve", {**WORDS, "key": "keys/ledger"}),
        ("approve", {**WORDS, "signature": "/etc/passwd"}),
        ("approve", {**WORDS, "candidate": None}),
        ("approve", {**WORDS, "json": "yes"}),
        ("approve", {**WORDS, "reason": True}),
        ("release", {**RELEASE, "policy": "/etc/passwd"}),
        ("release", {**RELEASE, "verbose": True}),
        ("release", RELEASE),
    ],
)
def test_nothing_else_is_served(prepare: Prepare, command: str, values: dict[str, Any]) -> None:
    with pytest.raises(InputRejected):
        prepare(command, values)


def test_a_file_that_the_command_does_not_take_is_not_taken(prepare: Prepare) -> None:
    with pytest.raises(InputRejected, match="no such option"):
        prepare("show", {"candidate": "ab" * 6, "json": False}, ("policy", "policy.yaml", b"x"))


def test_a_policy_comes_with_all_that_it_names_or_not_at_all(prepare: Prepare, tmp_path: Path) -> None:
    text = POLICY.format(dataset="people").encode()
    with pytest.raises(InputRejected, match=r"names people\.csv, which was not sent"):
        prepare("release", RELEASE, ("policy", "policy.yaml", text))
    with pytest.raises(InputRejected, match="does not lie below"):
        prepare("release", RELEASE, ("policy", "p.yaml", text.replace(b"people.csv", b"/etc/passwd")))


def test_whoever_sends_a_source_of_their_own_need_not_send_the_policys(prepare: Prepare) -> None:
    text = POLICY.format(dataset="people").encode()
    command, told = prepare("release", RELEASE, ("policy", "policy.yaml", text), ("source", "other.csv", b"age,job\n"))
    assert command is release.release
    assert (told["source"].name, told["source"].read_bytes()) == ("other.csv", b"age,job\n")


def test_the_callers_key_stays_at_the_other_end(prepare: Prepare, ends: tuple[Frames, Frames], world: Any) -> None:
    with proving(ends[1], world.keys["ann"]):
        told = prepare("approve", WORDS, key=world.keys["ann"].public, salt="ab" * 32)[1]
    key = given.given_key(told["key"])
    assert (key.fingerprint, key.salt) == (world.keys["ann"].fingerprint, "ab" * 32)  # type: ignore[attr-defined]
    armored = sign_bytes(bytes_to_sign(b"{}"), world.keys["ann"])
    ends[1].send(Kind.SIGNED, armored)
    assert key.ask(b"{}") == armored  # type: ignore[attr-defined]
    assert ends[1].receive() == (Kind.SIGN, b"{}")


@contextmanager
def proving(frames: Frames, key: Any) -> Iterator[None]:
    """The caller's end signs once what it is sent."""

    def sign() -> None:
        with suppress(StoreUnavailable):  # nobody asked
            kind, payload = frames.receive()
            assert kind is Kind.SIGN
            frames.send(Kind.SIGNED, sign_bytes(bytes_to_sign(payload), key))

    thread = threading.Thread(target=sign, daemon=True)
    thread.start()
    yield
    thread.join(10)


def test_whoever_names_a_key_of_somebody_else_is_told_and_given_nothing(prepare: Prepare, ends: tuple[Frames, Frames], world: Any) -> None:
    """Anybody knows public keys: releases were run and recorded in their owners' names, and refusals told who had voted."""
    with proving(ends[1], world.keys["bob"]), pytest.raises(IntegrityBroken, match="another key than they named"):
        prepare("approve", WORDS, key=world.keys["ann"].public, salt="ab" * 32)
    assert given._caller is None


@pytest.mark.parametrize("line", ["keys/ledger", "ssh-ed25519 AAAA", "ssh-dss AAAA", ""])
def test_what_is_no_public_key_is_refused(prepare: Prepare, line: str) -> None:
    with pytest.raises(InputRejected):
        prepare("approve", WORDS, key=line)
