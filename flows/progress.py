"""How far a long run is, on stderr: for people who wait longer than a moment."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from flows.terminal import console, tell

MOMENT = 2.0  # seconds before anything is shown
WIDTH = 90  # columns of the line
APART = {True: 0.2, False: 5.0}  # seconds between two lines, on a terminal and in a file


Told = Callable[[int, int, tuple[int, int] | None], None]


class Line:
    """What is said while somebody waits: the first time after a moment, then now and again. On a terminal the line is written over."""

    def __init__(self) -> None:
        self._out = console()
        self.live = self._out.is_terminal
        self._began, self._shown = time.monotonic(), -APART[False]

    def seconds_if_due(self) -> float | None:
        """Since the beginning; None while nothing is to be said."""
        now = time.monotonic()
        if now - self._began < MOMENT or now - self._shown < APART[self.live]:
            return None
        self._shown = now
        return now - self._began

    def say(self, text: str) -> None:
        if self.live:
            self._out.file.write(f"\r{text:<{WIDTH}}")
            self._out.file.flush()
        else:
            tell(self._out, text)

    def clear(self) -> None:
        if self.live and self._shown >= 0:
            self._out.file.write(f"\r{'':<{WIDTH}}\r")
            self._out.file.flush()


def so_far(done: int, total: int, what: str = "rows grouped") -> str:
    """Boxes are cut first; then what is left over is placed, and rows move."""
    return f"{done:,} of {total:,} {what}" if done < total else f"{total:,} {what}, finishing"


def time_left(seconds: float, done: float, expected: float) -> str:
    """At the pace so far; before anything is done nobody knows."""
    return f", about {seconds / done * (expected - done):.0f} s left" if done > 0 and seconds > 0 else ""


@contextmanager
def settings_progress() -> Iterator[Told]:
    """Settings done of all, rows grouped of the one that goes on, and about how long the rest will take."""
    line = Line()

    def told(done: int, expected: int, rows: tuple[int, int] | None) -> None:
        seconds = line.seconds_if_due()
        if seconds is None:
            return
        part = rows[0] / rows[1] if rows is not None and rows[1] else 0.0
        grouped = f", {so_far(*rows)}" if rows is not None else ""
        line.say(f"{done} of {expected} settings{grouped}{time_left(seconds, done + min(part, 1.0), expected)}")

    try:
        yield told
    finally:
        line.clear()


class TableProgress:
    """How far a step is with the table that it works on, and how long the rest takes. `shown` writes it where there is a terminal."""

    def __init__(self, shown: Callable[[str], None]) -> None:
        self._line, self._shown = Line(), shown
        self._began, self._last = time.monotonic(), 0

    def working(self, title: str, done: int, total: int, what: str) -> None:
        if done < self._last or self._last == 0:
            self._began = time.monotonic()  # another table
        self._last = done
        if self._line.seconds_if_due() is None:
            return
        said = so_far(done, total, what) + (time_left(time.monotonic() - self._began, done, total) if done < total else "")
        if self._line.live:
            self._shown(said)
        else:
            self._line.say(f"{title}: {said}")
