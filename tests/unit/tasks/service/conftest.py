"""Files as they come over a connection."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Iterator
from hashlib import sha256
from pathlib import Path

import pytest

from tasks.service.frames import FileEntry, Frames
from tasks.service.handed_files import receive_files

Handed = Callable[..., dict[str, list[Path]]]


@pytest.fixture
def handed(tmp_path: Path) -> Iterator[Handed]:
    one, other = socket.socketpair()

    def hand(*files: tuple[str, str, bytes], folder: str = "files") -> dict[str, list[Path]]:
        entries = [FileEntry(role=role, name=name, size=len(content), sha256=sha256(content).hexdigest()) for role, name, content in files]
        sending = threading.Thread(target=lambda: [one.sendall(content) for *_, content in files])
        sending.start()
        try:
            return receive_files(Frames(other), entries, tmp_path / folder)
        finally:
            sending.join()

    with one, other:
        yield hand
