"""The folder that holds the backups of one home: outside of it, private, and used by one command at a time."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from headgate.core.errors import InputRejected, IntegrityBroken, StoreUnavailable
from headgate.core.units import counted
from tasks.backup.opened_backup import FOLDER, OBJECTS
from tasks.runtime.home import PRIVATE, Home


def require_elsewhere(home: Home, target: Path) -> None:
    if not target.is_absolute():
        raise InputRejected("The target is a relative path.", "Give an absolute one.")
    here, there = home.root.resolve(), target.resolve()
    if there.is_relative_to(here) or here.is_relative_to(there):
        raise InputRejected("The target lies in the home, or the home in it.", "Choose a folder on another disk.")


def prepare(target: Path) -> None:
    """Private, whatever the umask; a folder with other things in it is nobody's backup."""
    os.umask(PRIVATE)
    target.mkdir(mode=0o700, parents=True, exist_ok=True)
    known = {FOLDER, OBJECTS}
    if foreign := {path.name for path in target.iterdir()} - known - {"lost+found"}:
        what = counted(len(foreign), "other file or folder", "other files or folders")
        raise InputRejected(f"{target} holds {what}.", "Choose an empty folder, or the target of earlier backups.")
    for folder in (target, target / FOLDER, target / OBJECTS):
        folder.mkdir(mode=0o700, exist_ok=True)
        status = folder.lstat()
        if folder != target and folder.is_symlink():
            raise IntegrityBroken(f"{folder} is a link.", "Put the folder itself there.")
        if status.st_uid != os.geteuid():
            raise InputRejected(f"{folder} belongs to somebody else.", "Choose a folder of your own.")
        if status.st_mode & PRIVATE:
            folder.chmod(0o700)


@contextmanager
def only_user(target: Path) -> Iterator[None]:
    """Of two commands on one target the second is refused."""
    descriptor = os.open(target, os.O_RDONLY | os.O_CLOEXEC)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise StoreUnavailable(f"Another command uses {target}.", "Wait for it to end.") from None
        yield
    finally:
        os.close(descriptor)
