"""Files as they come over a connection."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable
from contextlib import suppress
from hashlib import sha256
from pathlib import Path

import pytest

from headgate.core.errors import StoreUnavailable
from tasks.service.frames import FileEntry, Frames, Kind
from tasks.service.handed_files import receive_files

Handed = Callable[..., dict[str, list[Path]]]


def hand_over(frames: Frames, *contents: bytes) -> None:
    """As a caller does, once they are wanted."""
    with suppress(StoreUnavailable):
        assert frames.receive() == (Kind.FILES, b"")
        frames.send(Kind.FILES, b"", *contents)


@pytest.fixture
def handed(tmp_path: Path) -> Handed:
    def hand(*files: tuple[str, str, bytes], folder: str = "files") -> dict[str, list[Path]]:
        entries = [FileEntry(role=role, name=name, size=len(content), sha256=sha256(content).hexdigest()) for role, name, content in files]
        one, other = socket.socketpair()
        with one, other:
            sending = threading.Thread(target=hand_over, args=[Frames(one), *(content for *_, content in files)])
            sending.start()
            try:
                return receive_files(Frames(other), entries, tmp_path / folder)
            finally:
                one.shutdown(socket.SHUT_RD)  # where the files were never wanted
                sending.join()

    return hand
