"""Files that a caller sends with a request: what they could read themselves, as bytes. The service opens no path that they name.

The bytes stay in memory, since microdata is written to no disk of the service's. What reads them finds them in a folder of links, which
mean nothing once the process has ended.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable
from pathlib import Path, PurePosixPath

from headgate.core.errors import InputRejected, StoreUnavailable
from tasks.runtime.boundary import reason_of
from tasks.runtime.input_limits import BYTES
from tasks.service.frames import FileEntry, Frames, Kind

POLICY = "policy"  # the role of a policy's file, which comes first, and of the files that it names
SOURCE = "source"  # the role of a table that takes the place of the policy's
LARGE = frozenset(
    {POLICY, SOURCE}
)  # of what a release reads; all other files are small together, since they come from anybody in the group
MOST_SMALL = 2**20
TRUSTED = "signers"  # the role of a list of signers, and of the revoked keys beside it, which are read only where no link is on the way
DEEPEST = 20  # folders in each other: each level costs whoever clears them up
INSIDE = "Keep what the policy names in its own folder or below it."


def receive_files(frames: Frames, entries: Iterable[FileEntry], folder: Path) -> dict[str, list[Path]]:
    """The paths at which they can be read here, by their roles. None is sent before it is asked for here."""
    entries, found = tuple(entries), dict[str, list[Path]]()
    if not entries:
        return found
    BYTES.check(sum(entry.size for entry in entries), "What was sent")
    small = [entry for entry in entries if entry.role not in LARGE]
    if sum(entry.size for entry in small) > MOST_SMALL:
        raise InputRejected(f"The files of {small[-1].role} have more than {MOST_SMALL:,} bytes.", "Give the files that were meant.")
    frames.send(Kind.FILES, b"")
    if frames.receive(0)[0] is not Kind.FILES:
        raise InputRejected("The files of the request did not follow.", "Use the version of headgate that the service has.")
    for entry in entries:
        there = found.setdefault(entry.role, [])
        place = folder / entry.role if entry.role in (POLICY, TRUSTED) else folder / entry.role / str(len(there))
        there.append(_kept(frames, entry, place / inner_path(entry.name)))
    return found


def _kept(frames: Frames, entry: FileEntry, path: Path) -> Path:
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        if entry.role == TRUSTED:
            descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        else:
            descriptor = os.memfd_create("handed")  # open until this process ends
            path.symlink_to(f"/proc/self/fd/{descriptor}")
        with os.fdopen(descriptor, "wb", closefd=entry.role == TRUSTED) as file:
            digest = hashlib.sha256()
            for chunk in frames.chunks(entry.size):
                file.write(chunk)
                digest.update(chunk)
    except OSError as problem:
        raise StoreUnavailable(f"{path.name} could not be taken ({reason_of(problem)}).", "Give each file a name of its own.") from None
    if digest.hexdigest() != entry.sha256:
        raise InputRejected(f"{path.name} is not the file that was meant to be sent.", "Run the command again.")
    return path


def inner_path(name: str) -> str:
    """As it lies below a folder; InputRejected where it would lie anywhere else."""
    path = PurePosixPath(name)
    if path.is_absolute() or ".." in path.parts or not 1 <= len(path.parts) <= DEEPEST or "\x00" in name:
        raise InputRejected(f"{name[:80]} does not lie below the folder of the policy.", INSIDE)
    return str(path)
