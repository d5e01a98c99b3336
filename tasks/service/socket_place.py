"""Where the socket of a home lies, who may reach it, and that nobody else can put another in its place.

The home is private, so the socket lies elsewhere: HEADGATE_SOCKET names it, for `serve` and for everybody who asks.
"""

from __future__ import annotations

import fcntl
import grp
import os
import socket
import stat
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from headgate.core.errors import InputRejected, StoreUnavailable
from tasks.runtime.boundary import reason_of
from tasks.runtime.trusted_files import require_safe_folders

SOCKET, GROUP = "HEADGATE_SOCKET", "HEADGATE_SOCKET_GROUP"
USUAL_GROUP = "headgate"
MODE = 0o660
WAITING = 64  # connections that are not yet accepted
LONGEST_PATH = 100  # bytes; the system takes 107
OTHERS_WRITE = stat.S_IWGRP | stat.S_IWOTH


def socket_path(environment: Mapping[str, str] | None = None) -> Path | None:
    """None where no socket is used."""
    text = (os.environ if environment is None else environment).get(SOCKET, "").strip()
    if not text:
        return None
    if not os.path.isabs(text) or len(os.fsencode(text)) > LONGEST_PATH:
        raise InputRejected(
            f"{SOCKET} is not an absolute path of at most {LONGEST_PATH} bytes.",
            "Name the socket in full, such as /run/headgate/headgate.sock.",
        )
    return Path(text)


def socket_group(environment: Mapping[str, str] | None = None) -> tuple[str, int]:
    """Its name and its number."""
    name = (os.environ if environment is None else environment).get(GROUP, "").strip() or USUAL_GROUP
    try:
        return name, grp.getgrnam(name).gr_gid
    except KeyError:
        raise InputRejected(
            f"The group {name} does not exist, so nobody could be let in.",
            f"Make it: groupadd --system {name}; or name another in {GROUP}.",
        ) from None


def require_safe_place(path: Path, *owners: int) -> None:
    """The socket's own folder may be written by nobody but its owner, sticky or not: where the service does not run, anybody who can write
    there could listen in its place."""
    folder, problem = path.parent, ""
    try:
        require_safe_folders(folder, *owners)
        if folder.stat().st_mode & OTHERS_WRITE:
            problem = f"Others on this machine can write in {folder}, so they could listen there instead."
    except InputRejected as refusal:
        problem = refusal.message
    except OSError as refused:
        problem = f"The folder {folder} cannot be used ({reason_of(refused)})."
    if problem:
        raise InputRejected(problem, "Give the socket a folder of its own that belongs to the service account, with mode 0755.")


@dataclass(frozen=True)
class Place:
    """What lies at the path. `listened`: somebody answers there."""

    path: Path
    listened: bool
    mode: int | None = None
    group: str = ""


def look_at(path: Path) -> Place:
    try:
        status = path.lstat()
    except OSError:
        return Place(path, False)
    try:
        group = grp.getgrgid(status.st_gid).gr_name
    except KeyError:
        group = str(status.st_gid)
    return Place(path, _answers(path), stat.S_IMODE(status.st_mode), group)


def _answers(path: Path) -> bool:
    with socket.socket(socket.AF_UNIX) as probe:
        try:
            probe.connect(str(path))
        except OSError:
            return False
    return True


@contextmanager
def bound_socket(path: Path, group: tuple[str, int]) -> Iterator[socket.socket]:
    """Listening; the file goes when the block ends. A socket that a killed service has left is replaced, and nothing else is."""
    require_safe_place(path)
    with socket.socket(socket.AF_UNIX) as listener:
        try:
            with _alone_in(path.parent):
                _clear(path)
                made = _bind(listener, path, group)
        except OSError as problem:
            raise StoreUnavailable(
                f"The socket {path} cannot be made ({reason_of(problem)}).", "Let the service account own its folder, and be in the group."
            ) from None
        try:
            yield listener
        finally:
            with _alone_in(path.parent):
                if path.exists() and _identity(path) == made:
                    path.unlink()


def _bind(listener: socket.socket, path: Path, group: tuple[str, int]) -> tuple[int, int]:
    """Nobody can connect before it listens, and by then its mode and group are as they should be."""
    before = os.umask(0o177)
    try:
        listener.bind(str(path))
    finally:
        os.umask(before)
    try:
        os.chown(path, -1, group[1])
        path.chmod(MODE)
    except PermissionError:
        path.unlink()
        raise InputRejected(
            f"This account is not in the group {group[0]}, so it cannot give its socket to it.",
            f"usermod --append --groups {group[0]} ACCOUNT, and log in again; or name another group in {GROUP}.",
        ) from None
    listener.listen(WAITING)
    return _identity(path)


def _clear(path: Path) -> None:
    if not path.is_symlink() and not path.exists():
        return
    if not stat.S_ISSOCK(path.lstat().st_mode):
        raise InputRejected(f"{path} exists and is not a socket.", f"Remove it, or name another path in {SOCKET}.")
    if _answers(path):
        raise StoreUnavailable(f"Somebody serves at {path} already.", "Stop that `headgate serve` first, or name another path.")
    path.unlink()


def _identity(path: Path) -> tuple[int, int]:
    status = path.lstat()
    return status.st_dev, status.st_ino


@contextmanager
def _alone_in(folder: Path) -> Iterator[None]:
    """Two services that start at once do not remove each other's socket."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)
