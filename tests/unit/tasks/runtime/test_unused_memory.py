"""What is no longer used goes back to the system."""

from __future__ import annotations

import ctypes
from pathlib import Path

import numpy as np
import pytest

from tasks.runtime.unused_memory import give_back

PIECES, BYTES = 2_000, 2**16  # small enough to be kept for later, together 125 MiB


def resident() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096


@pytest.mark.skipif(not hasattr(ctypes.CDLL(None), "malloc_trim") or not Path("/proc/self/statm").exists(), reason="not glibc on Linux")
def test_memory_that_is_free_again_does_not_stay_with_the_process() -> None:
    pieces = [np.ones(BYTES, dtype=np.uint8) for _ in range(PIECES)]
    last = pieces[-1]  # the end of the heap is in use: without being told to, nothing before it goes back
    del pieces
    held = resident()
    give_back()
    assert resident() < held - PIECES * BYTES // 2
    assert last.all()
