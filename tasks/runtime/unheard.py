"""What code of somebody else prints and warns of could hold data, so nobody hears it: print, the streams themselves, warnings and loggers
without a handler of their own write to `sys.stdout` and `sys.stderr` when they are used. Other threads are heard all the while."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

_unheard: ContextVar[bool] = ContextVar("unheard", default=False)


class _Stream:
    """A stream that drops what is written where nobody should hear it."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        return len(text) if _unheard.get() else self._stream.write(text)

    def writelines(self, lines: Any) -> None:
        for line in lines:
            self.write(line)

    @property
    def buffer(self) -> Any:
        return _Stream(self._stream.buffer)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


@contextmanager
def unheard() -> Iterator[None]:
    for name in ("stdout", "stderr"):
        if not isinstance(getattr(sys, name), _Stream):
            setattr(sys, name, _Stream(getattr(sys, name)))
    before = _unheard.set(True)
    try:
        yield
    finally:
        _unheard.reset(before)
