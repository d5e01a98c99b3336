"""From a point of no return on, work is finished whatever Ctrl-C and SIGTERM say: stopping there would leave something public, and say that
nothing is."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from types import FrameType

HELD = (signal.SIGINT, signal.SIGTERM)


class HeldSignals:
    """Those that came meanwhile are obeyed at the end of the block, as Ctrl-C."""

    def __init__(self) -> None:
        self._before = ExitStack()
        self._noted: list[int] = []

    def hold(self) -> None:
        """From here to the end of the block. Only the main thread is ever interrupted, so in another there is nothing to hold."""
        if threading.current_thread() is threading.main_thread():
            for number in HELD:
                self._before.callback(signal.signal, number, signal.signal(number, self._note))

    def release(self) -> None:
        self._before.close()
        if self._noted:
            raise KeyboardInterrupt

    def _note(self, number: int, frame: FrameType | None) -> None:
        self._noted.append(number)


@contextmanager
def held_signals() -> Iterator[HeldSignals]:
    held = HeldSignals()
    try:
        yield held
    finally:
        held.release()
