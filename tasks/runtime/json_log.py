"""Logs for machines: one JSON object per line for each step, event and command, where HEADGATE_LOG asks for them.

A line has the fields of `LogLine` and no others, and no field takes a sentence: what is not a plain word or id is left out. So no
message of an exception, no name of somebody's file and no cell can stand in it. The standard library's loggers would take both, and
whoever configures logging in this process, as Prefect does, could send lines elsewhere.
"""

from __future__ import annotations

import json
import os
import re
import sys
import threading
from contextlib import suppress
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path

from headgate.core.errors import InputRejected

VARIABLE = "HEADGATE_LOG"
WORD = re.compile(r"[A-Za-z0-9][\w.,*+-]{0,126}", re.ASCII)
LEVELS = ("info", "warning", "error")
_lock = threading.Lock()


@dataclass(frozen=True)
class LogLine:
    """What happened (`event`), to which release, and how it ended."""

    event: str
    level: str = "info"
    release: str = ""
    dataset: str = ""
    step: str = ""
    table: str = ""
    command: str = ""
    error: str = ""
    outcome: str = ""
    seconds: float | None = None


def is_logging() -> bool:
    return bool(os.environ.get(VARIABLE))


def log(line: LogLine) -> None:
    """Nothing where no log is asked for. A log that cannot be written stops nothing."""
    asked = os.environ.get(VARIABLE, "")
    if not asked:
        return
    text = rendered(line, datetime.now(UTC))
    with suppress(OSError, ValueError, InputRejected), _lock:
        _write(place_of(asked), text)


def rendered(line: LogLine, now: datetime) -> str:
    level = line.level if line.level in LEVELS else "error"
    said: dict[str, str | float] = {"time": now.isoformat(timespec="milliseconds"), "level": level}
    for name, given in asdict(line).items():
        if isinstance(given, float):
            said[name] = round(given, 3)
        elif name != "level" and given and WORD.fullmatch(str(given)):
            said[name] = str(given)
    return json.dumps(said) + "\n"


def place_of(asked: str) -> Path | None:
    """The file of `json:/PATH`; None for stderr."""
    form, _, path = asked.partition(":")
    if form != "json" or (path and not path.startswith("/")):
        raise InputRejected(f"{VARIABLE} is not understood.", "Write json, or json:/PATH of a file that lines are added to.")
    return Path(path) if path else None


def _write(place: Path | None, text: str) -> None:
    """In one piece, so that lines of several processes do not mix. To stderr as it was when the process began: over the socket,
    `sys.stderr` is the caller's."""
    if place is None:
        stream = sys.__stderr__
        if stream is not None:
            stream.write(text)
            stream.flush()
        return
    descriptor = os.open(place, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    try:
        os.write(descriptor, text.encode())
    finally:
        os.close(descriptor)
