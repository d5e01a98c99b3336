"""Real connections and real processes, which answer with the little that is asked of them here."""

from __future__ import annotations

import grp
import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tasks.service import request_listener
from tasks.service.frames import Frames, Kind
from tasks.service.request import Ended
from tasks.service.request_listener import RequestListener, answered_by, answering, clear_requests
from tasks.service.socket_place import bound_socket

GROUP = (grp.getgrgid(os.getegid()).gr_name, os.getegid())
ECHO = """
import os, socket, sys
connection = socket.socket(fileno=int(sys.argv[1]))
open(sys.argv[2] + "/left", "w").close()
connection.sendall(connection.recv(100) or b"nothing")
while connection.recv(100):
    pass
"""
Start = Callable[..., Path]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """A service that answers at a socket with processes that run a script."""
    with ExitStack() as stack:

        def started(script: str = ECHO, group: tuple[str, int] = GROUP) -> Path:
            folder = tmp_path / "run"
            folder.mkdir()
            folder.chmod(0o755)  # whatever the umask
            (tmp_path / "staging").mkdir(mode=0o700)
            bound = stack.enter_context(bound_socket(folder / "s", GROUP))
            command = [sys.executable, "-I", "-c", script]
            worker = lambda descriptor, place: [*command, str(descriptor), str(place)]  # noqa: E731
            stack.enter_context(answering(RequestListener(bound, group, tmp_path / "staging", worker, dict(os.environ))))
            return folder / "s"

        yield started


def called(path: Path) -> socket.socket:
    connection = socket.socket(socket.AF_UNIX)
    connection.settimeout(30)
    connection.connect(str(path))
    return connection


def folders(path: Path) -> list[Path]:
    return list((path.parent.parent / "staging").iterdir())


def waited_for(holds: Callable[[], bool]) -> bool:
    deadline = time.monotonic() + 20
    while not holds() and time.monotonic() < deadline:
        time.sleep(0.02)
    return holds()


def test_each_caller_has_a_process_and_a_folder_which_are_gone_when_they_are(start: Start) -> None:
    path = start()
    with called(path) as one, called(path) as other:
        one.sendall(b"one")
        assert one.recv(100) == b"one"
        other.sendall(b"other")
        assert other.recv(100) == b"other"
        assert len(folders(path)) == 2
    assert waited_for(lambda: folders(path) == [])


def test_a_caller_who_says_nothing_keeps_nobody_waiting(start: Start) -> None:
    path = start()
    with called(path), called(path), called(path) as talks:
        talks.sendall(b"hello")
        assert talks.recv(100) == b"hello"


def test_one_account_has_so_many_connections_and_no_more(start: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(request_listener, "MOST_PER_ACCOUNT", 2)
    path = start()
    with called(path) as one, called(path) as two:
        for connection in (one, two):
            connection.sendall(b"x")
            assert connection.recv(1) == b"x"
        with called(path) as third:
            kind, said = Frames(third).receive()
        assert (kind, Ended.model_validate_json(said).code) == (Kind.END, 6)
    assert waited_for(lambda: folders(path) == [])
    with called(path) as again:
        again.sendall(b"x")
        assert again.recv(1) == b"x"


@pytest.mark.slow
def test_a_request_that_does_not_end_with_the_service_is_killed(start: Start, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(request_listener, "MERCY_SECONDS", 0.3)
    stubborn = (
        "import signal, sys, socket, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); "
        "socket.socket(fileno=int(sys.argv[1])).sendall(b'here'); time.sleep(60)"
    )
    with bound_socket_of(tmp_path) as bound:
        worker = lambda descriptor, place: [sys.executable, "-I", "-c", stubborn, str(descriptor), str(place)]  # noqa: E731
        listener = RequestListener(bound, GROUP, tmp_path, worker, dict(os.environ))
        with answering(listener), called(tmp_path / "run" / "s") as connection:
            assert connection.recv(4) == b"here"
            (process,) = listener._running
        assert process.returncode == -9
        assert list(tmp_path.glob("request-*")) == []


def bound_socket_of(folder: Path) -> object:
    (folder / "run").mkdir(mode=0o755)
    return bound_socket(folder / "run" / "s", GROUP)


NOT_A_MEMBER = """
import os, socket, sys
os.chdir(sys.argv[1])
os.setgroups([60001]); os.setgid(60001); os.setuid(60001)
connection = socket.socket(socket.AF_UNIX)
connection.connect("s")
os.write(1, connection.recv(1000))
"""


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can act as another account")
def test_whoever_is_not_in_the_group_is_refused_though_the_file_would_let_them(start: Start) -> None:
    """As if somebody had loosened the mode of the socket."""
    path = start(group=("no-member", 60_999))
    path.chmod(0o666)
    with called(path) as mine:  # root's
        mine.sendall(b"x")
        assert mine.recv(1) == b"x"
    answered = subprocess.run([sys.executable, "-c", NOT_A_MEMBER, str(path.parent)], capture_output=True, timeout=30)
    said = answered.stdout
    assert not answered.stderr, answered.stderr
    assert said[:1] == Kind.END.value
    ended = Ended.model_validate_json(said[5:])
    assert (ended.code, ended.message) == (4, "Your account is not in the group no-member.")


def test_folders_of_a_service_that_is_gone_are_cleared_and_no_others(tmp_path: Path) -> None:
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    names = [f"request-{gone.pid}-aa", f"request-{os.getpid()}-bb", "request-notes", "0011223344556677"]
    for name in names:
        (tmp_path / name).mkdir()
    clear_requests(tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(names[1:])


def test_a_worker_is_run_without_the_folder_it_stands_in() -> None:
    assert answered_by("some.module")(7, Path("/x")) == [sys.executable, "-P", "-m", "some.module", "7", "/x"]
