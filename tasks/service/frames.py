"""What passes over the socket: frames of a kind, a length and that many bytes; and files, whose bytes follow the frame that lists them."""

from __future__ import annotations

import select
import socket
import struct
import threading
from collections.abc import Iterator
from contextlib import suppress
from enum import Enum
from typing import Annotated

from pydantic import Field

from headgate.core.errors import StoreUnavailable
from policies.words.frozen import Frozen

HEAD = 5  # bytes: the kind and the length
LONGEST = 1 << 20
SILENT_SECONDS = 60  # for whoever should send or take something now


class Kind(bytes, Enum):
    REQUEST = b"R"  # to the service: what is asked
    FILES = b"F"  # to the caller: the files of the request may come now; to the service: they follow
    OUT = b"O"  # to the caller: stdout
    ERR = b"E"  # to the caller: stderr
    SIGN = b"S"  # to the caller: a payload that their key should sign
    SIGNED = b"A"  # to the service: the signature
    END = b"X"  # to the caller: the exit code; files follow


class FileEntry(Frozen):
    """A file that follows, now or when it may. `role`: the option or argument that it belongs to. `sha256`: of what is sent to the service;
    whoever proves that they ask proves with it which files they send."""

    role: str
    name: str
    size: Annotated[int, Field(ge=0)]
    sha256: Annotated[str, Field(pattern="^([0-9a-f]{64})?$")] = ""


class Frames:
    """One end of a connection. Threads may send at once; one of them reads."""

    def __init__(self, connection: socket.socket) -> None:
        self.connection, self._sending = connection, threading.Lock()
        connection.settimeout(None)
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, struct.pack("ll", SILENT_SECONDS, 0))

    def send(self, kind: Kind, payload: bytes, *contents: bytes) -> None:
        try:
            with self._sending:
                self.connection.sendall(kind.value + len(payload).to_bytes(4, "big") + payload)
                for content in contents:
                    self.connection.sendall(content)
        except OSError:
            self.end()  # half a frame may have gone: nothing after it would be understood
            raise _ended() from None

    def end(self) -> None:
        with suppress(OSError):
            self.connection.shutdown(socket.SHUT_RDWR)

    def receive(self, longest: int = LONGEST, seconds: float | None = SILENT_SECONDS) -> tuple[Kind, bytes]:
        """The next frame. `seconds`: how long it may take to begin."""
        head = b"".join(self.chunks(HEAD, seconds))
        size = int.from_bytes(head[1:], "big")
        if head[:1] not in {kind.value for kind in Kind} or size > longest:
            raise _ended()
        return Kind(head[:1]), b"".join(self.chunks(size))

    def chunks(self, size: int, seconds: float | None = SILENT_SECONDS) -> Iterator[bytes]:
        """So many bytes, as they come."""
        while size:
            try:
                poll = select.poll()
                poll.register(self.connection, select.POLLIN)
                content = self.connection.recv(min(size, LONGEST)) if poll.poll(None if seconds is None else seconds * 1000) else b""
            except OSError:
                raise _ended() from None
            if not content:
                raise _ended()
            size -= len(content)
            yield content


def _ended() -> StoreUnavailable:
    cure = "See with `headgate releases` what came of it, then run the command again."
    return StoreUnavailable("The connection to the service ended.", cure)
