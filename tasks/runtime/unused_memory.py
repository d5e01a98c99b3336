"""Memory that nothing uses any more, and that whoever hands it out keeps for later: what one step took at its height would stay beside what
the next one takes."""

from __future__ import annotations

import ctypes

import pyarrow as pa


def give_back() -> None:
    """To the system, where it can be done."""
    pa.default_memory_pool().release_unused()
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)  # of glibc alone
    if trim is not None:
        trim(0)
