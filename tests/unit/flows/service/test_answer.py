"""Commands over a real socket, each answered by a process of its own, which is the only one to open the home."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from tasks.ledger.history import read_history
from tasks.service.frames import Frames, Kind
from tasks.service.request import Ended, Request

pytestmark = pytest.mark.slow


def asked(path: Path, request: Request) -> socket.socket:
    """The connection of somebody with a client of their own making."""
    connection = socket.socket(socket.AF_UNIX)
    connection.connect(str(path))
    Frames(connection).send(Kind.REQUEST, request.model_dump_json().encode())
    return connection


def approval(world: Any, candidate: str) -> Request:
    values = {"candidate": candidate, "reason": "read", "json": False}
    return Request(command="approve", values=values, key=world.keys["ann"].public, salt="ab" * 32)


def test_people_look_and_sign_at_the_socket_as_they_would_at_the_home(
    run: Any, world: Any, service: Path, key_file: Any, tmp_path: Path
) -> None:
    candidate, report = world.seal(), tmp_path / "report.html"
    shown = run("show", candidate.id[:8], "--report", report)
    assert (shown.code, shown.err) == (0, "")
    assert "approvals 0 of 2 (none yet)" in shown.out
    assert report.read_bytes() == (candidate.folder / "report.html").read_bytes()
    signed = run("approve", candidate.id[:8], "--key", key_file("ann"), "--reason", " read it ")
    assert (signed.code, signed.err) == (0, "")
    assert signed.out.splitlines()[0] == f"ann: approved {candidate.id[:12]}."
    again = run("approve", candidate.id, "--key", key_file("ann-second"), "--reason", "read it", "--json")
    assert (again.code, again.error["code"]) == (4, 4)
    events = read_history(world.ledger).events("release-1")[8:]
    assert [event.event for event in events] == ["viewed", "approved"]


LOOKS = """
import os, socket, sys
os.chdir(sys.argv[1])
os.setgroups([0]); os.setgid(1); os.setuid(1)
connection = socket.socket(socket.AF_UNIX)
connection.connect("s")
connection.sendall(sys.stdin.buffer.read())
while connection.recv(1000): pass
"""


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can act as another account")
def test_who_looked_is_the_account_at_the_other_end(world: Any, service: Path) -> None:
    candidate = world.seal()
    text = Request(command="show", values={"candidate": candidate.id, "json": False}).model_dump_json().encode()
    frame = Kind.REQUEST.value + len(text).to_bytes(4, "big") + text
    subprocess.run([sys.executable, "-c", LOOKS, service.parent], input=frame, check=True, env={"USER": "root"}, timeout=60)
    viewed = read_history(world.ledger).events("release-1")[-1]
    assert (viewed.event, viewed.viewer) == ("viewed", "daemon")


def test_a_caller_who_is_gone_leaves_nothing_and_ends_their_command(world: Any, service: Path) -> None:
    """It would wait two minutes for a signature that never comes."""
    candidate = world.seal()
    with asked(service, approval(world, candidate.id)) as connection:
        while Frames(connection).receive()[0] is not Kind.SIGN:
            pass
    deadline = time.monotonic() + 30
    while list(world.home.staging.iterdir()) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert list(world.home.staging.iterdir()) == []
    assert read_history(world.ledger).find(candidate.id).standing() == 0


def test_whoever_wants_it_to_end_hears_how_it_ended(world: Any, service: Path) -> None:
    """As Ctrl-C does it: the caller says nothing more, and goes on listening."""
    candidate = world.seal()
    with asked(service, approval(world, candidate.id)) as connection:
        frames = Frames(connection)
        while frames.receive()[0] is not Kind.SIGN:
            pass
        connection.shutdown(socket.SHUT_WR)
        said = [frames.receive()]
        while said[-1][0] is not Kind.END:
            said.append(frames.receive())
    assert Ended.model_validate_json(said[-1][1]).code in (6, 130)  # for want of a signature, or interrupted before that was seen
    assert any(kind is Kind.ERR for kind, _ in said)
    assert read_history(world.ledger).find(candidate.id).standing() == 0
