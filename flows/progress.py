"""How far a search of settings is, on stderr: for people who wait longer than a moment."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from flows.terminal import console, tell

MOMENT = 2.0  # seconds before anything is shown
APART = {True: 0.2, False: 5.0}  # seconds between two lines, on a terminal and in a file


@contextmanager
def settings_progress() -> Iterator[Callable[[int, int], None]]:
    """Settings done of all, and about how long the rest will take at the pace so far. On a terminal the line is written over."""
    out = console()
    began, shown = time.monotonic(), -1.0
    live = out.is_terminal

    def told(done: int, expected: int) -> None:
        nonlocal shown
        now = time.monotonic()
        if now - began < MOMENT or now - shown < APART[live]:
            return
        shown = now
        left = (now - began) / max(done, 1) * (expected - done)
        line = f"{done} of {expected} settings, about {left:.0f} s left"
        if live:
            out.file.write(f"\r{line:<60}")
            out.file.flush()
        else:
            tell(out, line)

    try:
        yield told
    finally:
        if live and shown >= 0:
            out.file.write(f"\r{'':<60}\r")
            out.file.flush()
