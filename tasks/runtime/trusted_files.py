"""Files that decide who is trusted: read only if nobody but their owner, the operator or root, could have written them."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

from headgate.core.errors import InputRejected
from tasks.runtime.boundary import reason_of

LARGEST = 16 * 1024 * 1024
MOST_LINKS = 40
OTHERS_WRITE = stat.S_IWGRP | stat.S_IWOTH


def read_trusted(path: Path) -> bytes | None:
    """The bytes of the file; None only if nothing of that name is there. A link is never followed, a dangling one included."""
    reason = ""
    try:
        require_safe_folders(path.parent)
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        try:
            _require_own_file(path, os.fstat(descriptor))
            with os.fdopen(descriptor, "rb", closefd=False) as file:
                content = file.read(LARGEST + 1)
        finally:
            os.close(descriptor)
    except FileNotFoundError:
        return None
    except OSError as problem:
        reason = "it is a link" if path.is_symlink() else reason_of(problem)
    if reason:
        raise InputRejected(f"{path} cannot be read: {reason}.", "Put the file itself there, readable by you and writable by nobody else.")
    if len(content) > LARGEST:
        raise InputRejected(f"{path} is larger than {LARGEST // 2**20} MiB.", "Give the file that was meant.")
    return content


def require_safe_folders(folder: Path, *owners: int) -> None:
    """Whoever can write in a folder on the way can put another file in its place. Every folder up to the root must belong to the operator,
    to root or to one of these `owners`, and be writable by nobody else, unless it is one of root's with the sticky bit, such as /tmp."""
    for place in _on_the_way(folder):
        try:
            status = place.lstat()
        except FileNotFoundError:
            continue
        if status.st_uid not in (0, os.geteuid(), *owners):
            raise InputRejected(
                f"{place} belongs to somebody else, who could change what lies in it.", "Keep the home in a folder of your own."
            )
        sticky = status.st_uid == 0 and status.st_mode & stat.S_ISVTX
        if not stat.S_ISLNK(status.st_mode) and status.st_mode & OTHERS_WRITE and not sticky:
            raise InputRejected(
                f"Others on this machine can write in {place}, so what lies in it proves nothing.",
                f"Check what lies in it, then: chmod go-w '{place}'.",
            )


def _on_the_way(folder: Path) -> Iterator[Path]:
    """Every folder and link that is passed from the root, those between two links included."""
    first, *parts = folder.absolute().parts
    place, to_go, links = Path(first), parts[::-1], 0
    yield place
    while to_go:
        part = to_go.pop()
        if part == "..":
            place = place.parent
            continue
        yield place / part
        if not (place / part).is_symlink():
            place = place / part
            continue
        links += 1
        if links > MOST_LINKS:
            raise InputRejected(f"The links on the way to {folder} lead in a circle.", "Name the folder itself.")
        target = (place / part).readlink()
        place = Path(target.anchor) if target.is_absolute() else place
        to_go += [part for part in reversed(target.parts) if part != target.anchor]


def _require_own_file(path: Path, status: os.stat_result) -> None:
    if not stat.S_ISREG(status.st_mode):
        raise InputRejected(f"{path} is not a regular file.", "Put the file itself there.")
    if status.st_uid not in (0, os.geteuid()):
        raise InputRejected(f"{path} belongs to somebody else, so it proves nothing.", "Check its lines and make it yours: chown.")
    if status.st_mode & OTHERS_WRITE:
        raise InputRejected(
            f"Others on this machine can change {path}, so it proves nothing.", f"Check its lines, then: chmod go-w '{path}'."
        )
