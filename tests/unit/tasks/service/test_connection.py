"""The caller's end, against services that are not what they should be."""

from __future__ import annotations

import os
import signal
import socket
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from headgate.core.errors import InputRejected, StoreUnavailable
from tasks.service.connection import connected, converse
from tasks.service.frames import FileEntry, Frames, Kind
from tasks.service.request import Ended

CONTENTS = (b"policy", b"table")
Served = Callable[[Callable[[Frames], None]], Path]


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    """A socket behind which somebody says what a test wants."""
    folder = tmp_path / "run"
    folder.mkdir(mode=0o755)
    listener, threads = socket.socket(socket.AF_UNIX), list[threading.Thread]()
    listener.bind(str(folder / "s"))
    listener.listen()

    def serve(act: Callable[[Frames], None]) -> Path:
        def once() -> None:
            connection, _ = listener.accept()
            with connection:
                act(Frames(connection))

        threads.append(threading.Thread(target=once))
        threads[-1].start()
        return folder / "s"

    with listener:
        yield serve
        for thread in threads:
            thread.join(10)


def ending(code: int = 0, *contents: bytes) -> tuple[bytes, ...]:
    files = tuple(FileEntry(role="output", name="made", size=len(content)) for content in contents)
    return (Ended(code=code, files=files).model_dump_json().encode(), *contents)


def talked(path: Path) -> tuple[Ended, list[bytes], list[tuple[Kind, bytes]]]:
    shown = list[tuple[Kind, bytes]]()
    with connected(path) as frames:
        ended, files = converse(
            frames, lambda kind, content: shown.append((kind, content)), lambda payload: b"signed " + payload, lambda: CONTENTS
        )
    return ended, files, shown


def test_what_the_service_says_is_shown_and_what_it_asks_is_answered(served: Served) -> None:
    answers: list[tuple[Kind, bytes]] = []

    def act(frames: Frames) -> None:
        frames.send(Kind.OUT, b"figures")
        frames.send(Kind.SIGN, b"payload")
        answers.append(frames.receive())
        frames.send(Kind.ERR, b"warning")
        frames.send(Kind.END, *ending(3, b"file"))

    ended, files, shown = talked(served(act))
    assert (ended.code, files) == (3, [b"file"])
    assert shown == [(Kind.OUT, b"figures"), (Kind.ERR, b"warning")]
    assert answers == [(Kind.SIGNED, b"signed payload")]


def test_the_files_follow_when_they_are_wanted(served: Served) -> None:
    heard: list[bytes] = []

    def act(frames: Frames) -> None:
        frames.send(Kind.FILES, b"")
        assert frames.receive() == (Kind.FILES, b"")
        heard.extend(b"".join(frames.chunks(len(content))) for content in CONTENTS)
        frames.send(Kind.END, *ending())

    assert talked(served(act))[0].code == 0
    assert heard == list(CONTENTS)


@pytest.mark.parametrize("said", [(Kind.END, b"{}"), (Kind.REQUEST, b"{}"), (Kind.OUT, b"and gone"), (Kind.END, b'{"code":0,"more":1}')])
def test_a_service_that_breaks_off_or_talks_nonsense_is_no_success(served: Served, said: tuple[Kind, bytes]) -> None:
    with pytest.raises(StoreUnavailable):
        talked(served(lambda frames: frames.send(*said)))


def test_where_nobody_serves_this_is_said(tmp_path: Path) -> None:
    with pytest.raises(StoreUnavailable, match="Nobody serves at") as refused, connected(tmp_path / "s"):
        pass
    assert "headgate serve" in refused.value.cure


def test_a_socket_where_anybody_could_listen_is_not_spoken_to(served: Served) -> None:
    heard: list[bytes] = []
    path = served(lambda frames: heard.append(frames.connection.recv(1)))
    path.parent.chmod(0o1777)
    with pytest.raises(InputRejected, match="Others on this machine can write"):
        talked(path)
    path.parent.chmod(0o755)


def conversing(frames: Frames) -> None:
    """Whoever answers is past the beginning, where Ctrl-C is what it always is."""
    frames.send(Kind.SIGN, b"")
    frames.receive()


def test_ctrl_c_ends_the_command_at_the_other_end_and_hears_what_came_of_it(served: Served) -> None:
    def act(frames: Frames) -> None:
        conversing(frames)
        os.kill(os.getpid(), signal.SIGINT)
        assert frames.connection.recv(1) == b""  # the caller will say nothing more
        frames.send(Kind.END, *ending(130))

    assert talked(served(act))[0].code == 130


def test_ctrl_c_while_files_are_sent_ends_at_once_since_no_command_has_begun(served: Served) -> None:
    gone = threading.Event()

    def act(frames: Frames) -> None:
        frames.send(Kind.FILES, b"")
        frames.receive()
        os.kill(os.getpid(), signal.SIGINT)
        gone.wait(10)

    path = served(act)
    with connected(path) as frames, pytest.raises(KeyboardInterrupt):
        converse(frames, lambda kind, content: None, bytes, lambda: (b"x" * 2**24,))
    gone.set()


def test_a_second_ctrl_c_waits_for_nobody(served: Served) -> None:
    done = threading.Event()

    def act(frames: Frames) -> None:
        conversing(frames)
        os.kill(os.getpid(), signal.SIGINT)
        assert frames.connection.recv(1) == b""
        time.sleep(0.05)
        os.kill(os.getpid(), signal.SIGINT)
        done.wait(10)

    path = served(act)
    with pytest.raises(KeyboardInterrupt):
        talked(path)
    done.set()
