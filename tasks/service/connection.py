"""The caller's end: connecting to a socket that is the service's own, and the conversation until the command has ended."""

from __future__ import annotations

import signal
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from types import FrameType

from pydantic import ValidationError

from headgate.core.errors import HeadgateError, Refusal, StoreUnavailable, TransitionRefused
from tasks.runtime.boundary import reason_of
from tasks.runtime.input_limits import BYTES
from tasks.service.frames import Frames, Kind
from tasks.service.peer import peer_of
from tasks.service.request import Ended
from tasks.service.socket_place import SOCKET, require_safe_place


@contextmanager
def connected(path: Path) -> Iterator[Frames]:
    with socket.socket(socket.AF_UNIX) as connection:
        _connect(connection, path)
        require_safe_place(path, peer_of(connection).uid)
        yield Frames(connection)


def _connect(connection: socket.socket, path: Path) -> None:
    problem: HeadgateError
    try:
        connection.connect(str(path))
    except PermissionError:
        problem = TransitionRefused(
            [Refusal("group", f"Your account may not use the service at {path}")],
            "Ask the operator to add it to the group, then log in again.",
        )
    except OSError as refused:
        cure = f"Ask the operator to start `headgate serve`; or unset {SOCKET} to open a home of your own."
        problem = StoreUnavailable(f"Nobody serves at {path} ({reason_of(refused)}).", cure)
    else:
        return
    raise problem


def converse(
    frames: Frames, show: Callable[[Kind, bytes], None], sign: Callable[[bytes], bytes], hand_over: Callable[[], tuple[bytes, ...]]
) -> tuple[Ended, list[bytes]]:
    """How the command ended, and the files that it gives. `sign` and `hand_over`, which gives the files that were announced, raise where
    something else is wanted than was asked for."""
    with stopping_at_once(frames.connection) as stopping:
        while True:
            kind, payload = frames.receive(seconds=None)
            if kind in (Kind.OUT, Kind.ERR):
                show(kind, payload)
            elif kind is Kind.SIGN:
                frames.send(Kind.SIGNED, sign(payload))
            elif kind is Kind.FILES:
                with stopping.with_nothing_to_hear(), suppress(StoreUnavailable):  # a service that takes no more says why
                    frames.send(Kind.FILES, b"", *hand_over())
            elif kind is Kind.END:
                return _ended(frames, payload)
            else:
                raise StoreUnavailable("The service says something that this version does not understand.", "Use its version of headgate.")


def _ended(frames: Frames, payload: bytes) -> tuple[Ended, list[bytes]]:
    try:
        ended = Ended.model_validate_json(payload)
    except (ValidationError, ValueError, RecursionError):
        raise StoreUnavailable("The service did not say how it ended.", "See with `headgate releases` what came of it.") from None
    BYTES.check(sum(file.size for file in ended.files), "What the service sends")
    return ended, [b"".join(frames.chunks(file.size)) for file in ended.files]


@dataclass
class Stopping:
    """What Ctrl-C does: the first time the other end is told, after that, or while there is `nothing` to hear of, this process ends."""

    connection: socket.socket
    nothing: bool = False

    def stop(self, number: int, frame: FrameType | None) -> None:
        if self.nothing:
            raise KeyboardInterrupt
        self.nothing = True
        with suppress(OSError):
            self.connection.shutdown(socket.SHUT_WR)

    @contextmanager
    def with_nothing_to_hear(self) -> Iterator[None]:
        """While files are sent, no command has begun."""
        before, self.nothing = self.nothing, True
        yield
        self.nothing = before


@contextmanager
def stopping_at_once(connection: socket.socket) -> Iterator[Stopping]:
    """Ctrl-C and SIGTERM end the command at the other end as they would here, and what came of it is still heard; a second one ends this
    process."""
    stopping = Stopping(connection)
    if threading.current_thread() is not threading.main_thread():
        yield stopping
        return
    before = {number: signal.signal(number, stopping.stop) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield stopping
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
