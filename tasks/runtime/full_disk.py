"""Whether a server broke because its disk is full, which it does not say itself: nobody looks for that where only an answer is missing."""

from __future__ import annotations

import os
import shutil

ROOM = 2**20  # bytes: with less Prefect's database takes nothing more
CURE = "Free space, then run the command again."


def prefect_has_no_room() -> bool:
    """On the disk of Prefect's home, where the server keeps its database unless it was given another."""
    try:
        return shutil.disk_usage(os.environ.get("PREFECT_HOME") or "").free < ROOM
    except OSError:
        return False
