"""The process that answers one request: `python -m flows.service.answer DESCRIPTOR FOLDER`, started by the service for each connection.

It runs the ordinary command. What the command writes goes to the caller; the account that looks is the caller's; whoever signs is asked at
the other end; and no path comes from there.
"""

from __future__ import annotations

import io
import os
import select
import signal
import socket
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from flows.service.arguments import prepared
from flows.terminal.current_folder import step_aside
from flows.terminal.exit_codes import attempt

if TYPE_CHECKING:
    from tasks.service.frames import Frames, Kind
    from tasks.service.request import Request

MERCY_SECONDS = 20.0  # to end as Ctrl-C would


class FrameStream(io.RawIOBase):
    """What is written goes to the caller; once they are gone, nowhere."""

    def __init__(self, frames: Frames, kind: Kind) -> None:
        self._frames, self._kind = frames, kind

    def writable(self) -> bool:
        return True

    def write(self, content: Any) -> int:
        from headgate.core.errors import StoreUnavailable
        from tasks.service.frames import LONGEST

        written = bytes(content[:LONGEST])
        with suppress(StoreUnavailable):
            self._frames.send(self._kind, written)
        return len(written)


def answer(frames: Frames, folder: Path) -> None:
    """Reads the request, runs its command, and tells how it ended."""
    from tasks.runtime.acting_account import act_for
    from tasks.runtime.home import Home
    from tasks.service.frames import FileEntry, Kind
    from tasks.service.peer import peer_of
    from tasks.service.request import Ended, receive_request

    act_for(peer_of(frames.connection).uid)
    sys.stdout = io.TextIOWrapper(io.BufferedWriter(FrameStream(frames, Kind.OUT)), encoding="utf-8")
    sys.stderr = io.TextIOWrapper(io.BufferedWriter(FrameStream(frames, Kind.ERR)), encoding="utf-8", line_buffering=True)
    outputs = folder / "outputs"
    outputs.mkdir(mode=0o700)
    os.chdir(outputs)  # where files lie that are not named otherwise
    step_aside()
    asked: list[Request] = []

    def act() -> None:
        home = Home.reopen()  # and with it, what the operator says may be read at most
        asked.append(receive_request(frames))
        command, arguments = prepared(frames, asked[0], home, folder)
        threading.Thread(target=_end_with_caller, args=(frames.connection,), name="caller", daemon=True).start()
        command(**arguments)

    def as_json() -> bool:
        return bool(asked and asked[0].values.get("json"))

    signal.signal(signal.SIGTERM, signal.SIG_IGN)  # once it has ended, that is told, whatever happens
    try:
        code = attempt(act, as_json)
    except KeyboardInterrupt:  # while people were told what had stopped it
        code = attempt(_interrupted, as_json)
    sys.stdout.flush()
    sys.stderr.flush()
    made = [path for path in sorted(outputs.iterdir()) if path.is_file()] if code == 0 else []
    contents = [path.read_bytes() for path in made]
    entries = tuple(FileEntry(role="output", name=path.name, size=len(content)) for path, content in zip(made, contents, strict=True))
    frames.send(Kind.END, Ended(code=code, files=entries).model_dump_json().encode(), *contents)


def _interrupted() -> None:
    raise KeyboardInterrupt


def _end_with_caller(connection: socket.socket) -> None:
    """Whoever asked has gone, or wants it to end: as Ctrl-C would."""
    poll = select.poll()
    poll.register(connection, select.POLLRDHUP)
    poll.poll()
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(MERCY_SECONDS)
    os.kill(os.getpid(), signal.SIGKILL)


def main() -> None:
    from headgate.core.errors import StoreUnavailable
    from tasks.runtime.parent_watch import end_with_server
    from tasks.service.frames import Frames

    end_with_server()
    with socket.socket(fileno=int(sys.argv[1])) as connection:
        try:
            answer(Frames(connection), Path(sys.argv[2]))
        except StoreUnavailable:  # nobody is there to be told
            sys.exit(6)


if __name__ == "__main__":
    main()
