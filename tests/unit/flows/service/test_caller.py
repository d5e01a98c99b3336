"""What a service gets from whoever asks: nothing but what they asked for, and for the home that they meant."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from flows.service.caller import Caller
from headgate.core.errors import TransitionRefused
from tasks.service.asked_to_sign import Cosign, Seal
from tasks.service.request import Request
from tasks.signing.signatures import CANDIDATE, REQUEST, bytes_to_sign, payload_of, statement
from tasks.signing.sshsig import verify_bytes

ONE, OTHER = "SHA256:" + "A" * 43, "SHA256:" + "B" * 43
HERE, THERE, POLICY = Path("/run/headgate/headgate.sock"), Path("/home/mallory/s"), "ab" * 32


@pytest.fixture
def config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    return tmp_path / "headgate" / "known_homes"


def asking(world: Any, socket: Path = HERE) -> Caller:
    """A release."""
    key = world.keys["runner"]
    request = Request(command="release", values={"if_changed": False, "json": False}, key=key.public, salt="cd" * 32)
    return Caller(socket, request, (b"policy", b"table"), key, Seal("people", POLICY))


def proof(caller: Caller, home: object = ONE) -> bytes:
    return payload_of(statement({"request": caller.asked.sha256}, REQUEST, {"home": home, "nonce": "ef" * 32}))


def sealed(home: str) -> bytes:
    return payload_of(
        statement({"manifest.json": "12" * 32}, CANDIDATE, {"dataset": "people", "home": home, "policy": POLICY, "release": "r"})
    )


def test_a_request_and_its_candidate_are_signed_for_one_home(world: Any, config: Path, capsys: pytest.CaptureFixture[str]) -> None:
    caller = asking(world)
    for payload in (proof(caller), sealed(ONE)):
        assert verify_bytes(bytes_to_sign(payload), caller.sign(payload), "it").fingerprint == world.keys["runner"].fingerprint
    assert caller.hand_over() == (b"policy", b"table")
    assert caller.hand_over() == ()
    assert len(caller.signed) == 1
    said = capsys.readouterr().err
    assert f"You ask the home {ONE} for the first time, at {HERE}." in said
    assert str(config) in said
    asking(world).sign(proof(caller))
    assert capsys.readouterr().err == ""


def test_a_request_that_is_passed_on_to_another_home_is_not_signed(world: Any, config: Path) -> None:
    """Proof and seal named no home: whoever was asked passed the request on, with its files, to one where the caller may run releases."""
    asking(world).sign(proof(asking(world)))
    passed_on = asking(world)
    with pytest.raises(TransitionRefused, match=f"speaks for the home {OTHER}, and for {ONE}"):
        passed_on.sign(proof(passed_on, OTHER))
    with pytest.raises(TransitionRefused, match="before it said for which home"):
        passed_on.hand_over()
    elsewhere = asking(world, THERE)  # a socket that somebody named to them, of whoever passes on to the home they know
    with pytest.raises(TransitionRefused, match=f"which you know at {HERE}"):
        elsewhere.sign(proof(elsewhere))


def test_a_candidate_is_not_sealed_for_another_home(world: Any, config: Path) -> None:
    caller = asking(world)
    caller.sign(proof(caller))
    for home in (OTHER, ""):
        with pytest.raises(TransitionRefused, match="another home"):
            caller.sign(sealed(home))
    with pytest.raises(TransitionRefused, match="for one home, and then for another"):
        caller.sign(proof(caller, OTHER))
    assert caller.signed == []


@pytest.mark.parametrize("home", ["", "SHA256:short", None, 7, ["x"]])
def test_a_proof_that_names_no_home_is_not_signed(world: Any, config: Path, home: object) -> None:
    caller = asking(world)
    with pytest.raises(TransitionRefused):
        caller.sign(proof(caller, home))
    nothing = payload_of(statement({"request": caller.asked.sha256}, REQUEST, {"nonce": "ef" * 32}))
    with pytest.raises(TransitionRefused):
        caller.sign(nothing)
    assert not config.exists()


def test_nothing_is_given_before_the_home_is_known(world: Any, config: Path) -> None:
    caller = asking(world)
    with pytest.raises(TransitionRefused, match="asked for the files before"):
        caller.hand_over()
    with pytest.raises(TransitionRefused, match="asked for a signature before"):
        caller.sign(sealed(ONE))


def test_files_of_a_command_without_a_key_are_given(world: Any) -> None:
    assert Caller(HERE, Request(command="audit verify", values={"json": False}), (b"head",)).hand_over() == (b"head",)


def test_no_more_is_signed_than_a_command_needs(world: Any, config: Path) -> None:
    caller = asking(world)
    caller.wish = Cosign()
    caller.sign(proof(caller))
    head = {"seq": 7, "hash": "ab" * 32, "at": "2026-01-01T00:00:00+00:00", "release": "r"}
    payload = payload_of(statement({"head": "ab" * 32}, "urn:headgate:cosigned-head:1", head))
    assert json.loads(payload)["predicate"] == head
    for _ in range(5):
        caller.sign(payload)
    with pytest.raises(TransitionRefused, match="more signatures than a command needs"):
        caller.sign(payload)
