"""A process of its own that remembers the ledger's head for one that opens no private key: `python -m tasks.ledger.head_keeper HOME`.

It is told nothing but to look. It reads the ledger by itself, signs the head that it finds there if that follows the one before, and says
whether it did.
"""

from __future__ import annotations

import subprocess
import sys
import threading
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

from headgate.core.errors import HeadgateError, StoreUnavailable
from tasks.ledger.event_log import Ledger
from tasks.ledger.open_ledger import read_ledger
from tasks.runtime.home import Home

DONE, NOT_DONE = b"done\n", b"not done\n"


@dataclass
class HeadKeeper:
    """The other end. The process is started when it is needed first, and again if it has ended; it ends with this one."""

    home: Home
    _process: subprocess.Popen[bytes] | None = None
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def remember(self) -> None:
        """The head that the ledger has now; StoreUnavailable if it could not be remembered."""
        with self._lock:
            answer = self._ask() or self._ask()
        if answer != DONE:
            raise StoreUnavailable(
                "The head of the ledger could not be remembered.", "Run `headgate audit verify` where the home lies: it says why."
            )

    def close(self) -> None:
        with self._lock:
            self._end()

    def _end(self) -> None:
        if self._process is not None:
            with self._process as process, suppress(OSError):
                process.communicate(timeout=30)
            self._process = None

    def _ask(self) -> bytes:
        """Empty where the process has ended."""
        process = self._process
        if process is not None and process.poll() is not None:
            self._end()
            process = None
        if process is None:
            command = [sys.executable, "-m", __name__, str(self.home.root)]
            process = self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd="/")
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            process.stdin.write(b"look\n")
            process.stdin.flush()
        except OSError:
            return b""
        return process.stdout.readline()


def keyless_ledger(home: Home, keeper: HeadKeeper) -> Ledger:
    """The ledger of this home for a process that appends to it and holds no private key."""
    ledger = read_ledger(home)
    assert ledger.memory is not None
    return replace(ledger, memory=replace(ledger.memory, elsewhere=keeper.remember))


def look(home: Home) -> bytes:
    ledger = read_ledger(home)
    try:
        assert ledger.memory is not None
        if ledger.memory.file.exists():
            ledger.require_remembered()
        with ledger.store.reading() as stored:
            ledger.memory.begin(stored, ledger.clock())
            last = stored.last()
        ledger.memory.remember(last, ledger.clock())
    except HeadgateError:
        return NOT_DONE
    return DONE


def main(root: str) -> None:
    home = Home(Path(root))
    for _ in sys.stdin.buffer:
        sys.stdout.buffer.write(look(home))
        sys.stdout.buffer.flush()


if __name__ == "__main__":
    main(sys.argv[1])
