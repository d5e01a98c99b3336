"""Requests of somebody who makes their own client: a command is told words, files that were sent, and places of its own request."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from flows.cli import approve, audit, diff, release, show
from flows.service.arguments import prepared
from headgate.core.errors import InputRejected, IntegrityBroken, StoreUnavailable, TransitionRefused
from tasks.service.frames import FileEntry, Frames, Kind
from tasks.service.request import Request
from tasks.signing import given_key as given
from tasks.signing.home_keys import home_fingerprint
from tasks.signing.signatures import bytes_to_sign
from tasks.signing.sshsig import sign_bytes
from tests.unit.flows.schedules.test_scheduled_policies import POLICY

Prepare = Callable[..., tuple[Any, dict[str, Any]]]
WORDS = {"candidate": "ab" * 6, "reason": "read it", "json": True}
RELEASE = {"if_changed": False, "json": False}
POLICY_FILES = (("policy", "policy.yaml", POLICY.format(dataset="people").encode()), ("policy", "people.csv", b"age,job\n"))
OTHER = "SHA256:" + "A" * 43


@pytest.fixture
def ends(monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[Frames, Frames]]:
    monkeypatch.setattr(given, "_caller", None)
    one, other = socket.socketpair()
    with one, other:
        yield Frames(one), Frames(other)


@dataclass
class TheirEnd:
    """The caller's: it signs with `key` and sends the `files`, as it is `asked` to."""

    frames: Frames
    key: Any = None
    files: tuple[bytes, ...] = ()
    asked: list[tuple[Kind, bytes]] = field(default_factory=list)
    said: Callable[[bytes], bytes] = bytes  # what it signs, of what it is asked to sign

    @contextmanager
    def answering(self) -> Iterator[None]:
        thread = threading.Thread(target=self._answer, daemon=True)
        thread.start()
        yield
        self.frames.connection.shutdown(socket.SHUT_RD)
        thread.join(10)

    def _answer(self) -> None:
        with suppress(StoreUnavailable):
            while True:
                self.asked.append(self.frames.receive())
                kind, payload = self.asked[-1]
                if kind is Kind.SIGN:
                    self.frames.send(Kind.SIGNED, sign_bytes(bytes_to_sign(self.said(payload)), self.key))
                else:
                    self.frames.send(Kind.FILES, b"", *self.files)


@pytest.fixture
def theirs(ends: tuple[Frames, Frames]) -> Iterator[TheirEnd]:
    end = TheirEnd(ends[1])
    with end.answering():
        yield end


@pytest.fixture
def prepare(ends: tuple[Frames, Frames], theirs: TheirEnd, world: Any, tmp_path: Path) -> Prepare:
    def told(command: str, values: dict[str, Any], *files: tuple[str, str, bytes], **more: Any) -> tuple[Any, dict[str, Any]]:
        hashed = [(role, name, content, sha256(content).hexdigest()) for role, name, content in files]
        entries = tuple(FileEntry(role=role, name=name, size=len(content), sha256=digest) for role, name, content, digest in hashed)
        theirs.files = tuple(content for *_, content in files)
        return prepared(ends[0], Request(command=command, values=values, files=entries, **more), world.home, tmp_path)

    return told


@pytest.fixture
def steward(theirs: TheirEnd, world: Any) -> dict[str, str]:
    """What a request of the world's runner says, who holds the key that it names."""
    theirs.key = world.keys["runner"]
    return {"key": theirs.key.public, "salt": "ab" * 32}


def test_words_are_told_as_they_are_and_defaults_stay(prepare: Prepare) -> None:
    assert prepare("approve", WORDS) == (approve.approve, {**WORDS, "signature": None, "key": None})
    assert prepare("audit show", {"release": "r", "json": False}) == (audit.show, {"release": "r", "json": False})
    assert prepare("approve", {**WORDS, "reason": None})[1] == {"candidate": "ab" * 6, "json": True, "signature": None, "key": None}


@pytest.mark.parametrize("named", ["/etc", "releases/people/1", "policy.yaml", "shipped:hospital-patients", "deadbee", "..", ""])
def test_what_is_compared_is_named_by_ids_and_no_path_is_opened(prepare: Prepare, named: str) -> None:
    told = {"before": "ab" * 6, "after": "cd" * 32, "json": True}
    assert prepare("diff", told) == (diff.diff, told)
    with pytest.raises(InputRejected, match="opens no path"):
        prepare("diff", {**told, "after": named})


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


def test_a_policy_comes_with_all_that_it_names_or_not_at_all(prepare: Prepare, steward: dict[str, str]) -> None:
    text = POLICY.format(dataset="people").encode()
    with pytest.raises(InputRejected, match=r"names people\.csv, which was not sent"):
        prepare("release", RELEASE, ("policy", "policy.yaml", text), **steward)
    with pytest.raises(InputRejected, match="does not lie below"):
        prepare("release", RELEASE, ("policy", "p.yaml", text.replace(b"people.csv", b"/etc/passwd")), **steward)


def test_whoever_sends_a_source_of_their_own_need_not_send_the_policys(prepare: Prepare, steward: dict[str, str]) -> None:
    text = POLICY.format(dataset="people").encode()
    command, told = prepare("release", RELEASE, ("policy", "policy.yaml", text), ("source", "other.csv", b"age,job\n"), **steward)
    assert command is release.release
    assert (told["source"].name, told["source"].read_bytes()) == ("other.csv", b"age,job\n")


def test_the_callers_key_stays_at_the_other_end(prepare: Prepare, theirs: TheirEnd, world: Any) -> None:
    theirs.key = world.keys["ann"]
    told = prepare("approve", WORDS, key=theirs.key.public, salt="ab" * 32)[1]
    key = given.given_key(told["key"])
    assert (key.fingerprint, key.salt) == (theirs.key.fingerprint, "ab" * 32)  # type: ignore[attr-defined]
    assert key.ask(b"{}") == sign_bytes(bytes_to_sign(b"{}"), theirs.key)  # type: ignore[attr-defined]


def test_whoever_names_a_key_of_somebody_else_is_told_and_given_nothing(prepare: Prepare, theirs: TheirEnd, world: Any) -> None:
    """Anybody knows public keys: releases were run and recorded in their owners' names, and refusals told who had voted."""
    theirs.key = world.keys["bob"]
    with pytest.raises(IntegrityBroken, match="another key than they named"):
        prepare("approve", WORDS, key=world.keys["ann"].public, salt="ab" * 32)
    assert given._caller is None


def test_a_proof_that_was_made_for_another_home_proves_nothing(prepare: Prepare, theirs: TheirEnd, world: Any, steward: Any) -> None:
    """It named no home: who was asked could take the request, with its files, to any home where the caller may run releases."""
    own = home_fingerprint(world.home.keys)
    theirs.said = lambda payload: payload.replace(own.encode(), OTHER.encode())
    with pytest.raises(IntegrityBroken, match="signature of the caller does not hold"):
        prepare("release", RELEASE, *POLICY_FILES, **steward)
    assert json.loads(theirs.asked[0][1])["predicate"]["home"] == own
    assert given._caller is None


@pytest.mark.parametrize(
    ("named", "held"),
    [(None, None), ("runner", "bob"), ("ann", "ann"), ("stranger", "stranger")],
    ids=["none", "not theirs", "", "unlisted"],
)
def test_nothing_large_is_taken_from_whoever_may_not_run_releases(
    prepare: Prepare, theirs: TheirEnd, world: Any, tmp_path: Path, named: str | None, held: str | None
) -> None:
    """Everybody in the group could fill the service's memory: files were received before the key was even proven."""
    (world.home.root / "operator.yaml").write_text("runners: [runner]\n")
    theirs.key = world.keys.get(held)
    with pytest.raises((InputRejected, IntegrityBroken, TransitionRefused)):
        prepare("release", RELEASE, *POLICY_FILES, **({} if named is None else {"key": world.keys[named].public}))
    assert Kind.FILES not in [kind for kind, _ in theirs.asked]
    assert not (tmp_path / "files").exists()


def test_what_nobody_needs_a_key_for_is_small_in_all(prepare: Prepare, theirs: TheirEnd) -> None:
    """Each had a bound, and there could be hundreds."""
    heads = [("cosigned", f"{number}.json", b"x" * 300_000) for number in range(4)]
    with pytest.raises(InputRejected, match="more than 1,048,576 bytes"):
        prepare("audit verify", {"json": False}, *heads)
    assert theirs.asked == []


@pytest.mark.parametrize("line", ["keys/ledger", "ssh-ed25519 AAAA", "ssh-dss AAAA", ""])
def test_what_is_no_public_key_is_refused(prepare: Prepare, line: str) -> None:
    with pytest.raises(InputRejected):
        prepare("approve", WORDS, key=line)
