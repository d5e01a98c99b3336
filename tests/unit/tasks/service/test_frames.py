"""Both ends of a real connection."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator

import pytest

from headgate.core.errors import StoreUnavailable
from tasks.service.frames import LONGEST, Frames, Kind


@pytest.fixture
def ends() -> Iterator[tuple[Frames, Frames]]:
    one, other = socket.socketpair()
    with one, other:
        yield Frames(one), Frames(other)


def test_what_is_sent_arrives_as_it_is_and_in_order(ends: tuple[Frames, Frames]) -> None:
    one, other = ends
    one.send(Kind.OUT, b"")
    one.send(Kind.ERR, b"\x00text")
    assert [other.receive(), other.receive()] == [(Kind.OUT, b""), (Kind.ERR, b"\x00text")]


def test_files_follow_their_frame_however_large(ends: tuple[Frames, Frames]) -> None:
    one, other = ends
    content = bytes(range(256)) * (3 * LONGEST // 256)
    sending = threading.Thread(target=one.send, args=(Kind.END, b"{}", content, b"after"))
    sending.start()
    assert other.receive() == (Kind.END, b"{}")
    assert b"".join(other.chunks(len(content))) == content
    assert b"".join(other.chunks(5)) == b"after"
    sending.join()


@pytest.mark.parametrize("sent", [b"Z\x00\x00\x00\x00", b"O\xff\xff\xff\xff", b"O\x00\x00\x00\x05half", b"", b"O\x00"])
def test_what_is_no_frame_or_too_long_or_cut_off_ends_the_connection(ends: tuple[Frames, Frames], sent: bytes) -> None:
    one, other = ends
    one.connection.sendall(sent)
    one.connection.shutdown(socket.SHUT_WR)
    with pytest.raises(StoreUnavailable, match="ended"):
        other.receive()


def test_whoever_says_nothing_is_not_waited_for(ends: tuple[Frames, Frames]) -> None:
    began = time.monotonic()
    with pytest.raises(StoreUnavailable):
        ends[0].receive(seconds=0.05)
    assert time.monotonic() - began < 5


@pytest.mark.slow
def test_whoever_takes_nothing_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    from tasks.service import frames

    monkeypatch.setattr(frames, "SILENT_SECONDS", 1)
    one, other = socket.socketpair()
    with one, other, pytest.raises(StoreUnavailable):
        Frames(one).send(Kind.OUT, b"", bytes(8 * LONGEST))


def test_frames_of_several_threads_do_not_mix(ends: tuple[Frames, Frames]) -> None:
    one, other = ends
    threads = [threading.Thread(target=one.send, args=(Kind.OUT, bytes([number]) * 100_000)) for number in range(8)]
    for thread in threads:
        thread.start()
    received = sorted(other.receive()[1] for _ in threads)
    assert received == [bytes([number]) * 100_000 for number in range(8)]
    for thread in threads:
        thread.join()
