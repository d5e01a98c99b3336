"""For all tests: whoever runs them in the background has made Ctrl-C mean nothing to them and to all that they start."""

from __future__ import annotations

import gc
import signal


def pytest_configure() -> None:
    gc.disable()  # while everything is imported and collected, of which next to nothing is garbage
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection_finish() -> None:
    """What was imported and collected stays, and need not be looked through for garbage again and again."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 20)  # as the command line does: servers' packages are imported by tests too
    gc.enable()
