"""Folders whose every file is accounted for: listed without following a link, read once, hashed, and written to stay."""

from __future__ import annotations

import errno
import hashlib
import os
import re
import secrets
import shutil
import stat
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cached_property
from io import BufferedReader
from itertools import islice
from pathlib import Path

from headgate.core.errors import IntegrityBroken, StoreUnavailable
from headgate.core.units import counted
from policies.sealed.manifest import FileEntry
from tasks.runtime.boundary import reason_of
from tasks.runtime.input_limits import BYTES, LIST_BYTES

PART = re.compile(r"[A-Za-z0-9_=+@,()\[\]-][A-Za-z0-9_.=+@,()\[\] -]{0,199}")
MOST_NAMES = 100_000  # of files and folders below one folder
KEPT_BYTES = 2**24  # a larger file is read again where its bytes are needed
PIECE = 2**20
AGAIN = "Make or fetch the folder again; do not use this one."


@dataclass(frozen=True)
class Stored:
    """A file as it was read: its bytes and nothing that could change after."""

    path: str
    content: bytes

    @cached_property
    def sha256(self) -> str:
        return hashlib.sha256(self.content).hexdigest()


class LargeStored(Stored):
    """A file that is too large to be kept beside others: of what was read, its hash stays. Its bytes are read again for whoever asks, and
    must have that hash, so that nobody is ever given others than those that were hashed."""

    def __init__(self, path: str, sha256: str, read_again: Callable[[], bytes]) -> None:
        self.__dict__.update(path=path, sha256=sha256, _read_again=read_again)

    @property
    def content(self) -> bytes:
        again: bytes = self.__dict__["_read_again"]()
        if hashlib.sha256(again).hexdigest() != self.sha256:
            raise IntegrityBroken(f"{_shown(self.path)} was changed while it was read.", AGAIN)
        return again


def stored_again(path: str, read: Callable[[], bytes]) -> Stored:
    """Of a store that gives whole files: what is large is asked for again."""
    stored = Stored(path, read())
    return stored if len(stored.content) <= KEPT_BYTES else LargeStored(path, stored.sha256, read)


def plain_path(path: str) -> bool:
    """Relative, inside, in one spelling: letters, digits and a few signs; no leading dot, no .., no backslash, no control character."""
    parts = path.split("/")
    return len(parts) <= 4 and all(PART.fullmatch(part) and not part.endswith((".", " ")) for part in parts)


def list_files(folder: Path) -> tuple[str, ...]:
    """Every file below, by relative path. A link, a device, a socket or an unsafe name is refused, whatever it is; so are too many."""
    paths: list[str] = []
    pending, names = [""], 0
    while pending:
        below = pending.pop()
        try:
            with os.scandir(folder / below) as entries:
                members = sorted(islice(entries, MOST_NAMES + 1 - names), key=lambda entry: entry.name)
        except OSError as problem:
            raise _unusable(folder, problem) from None
        names += len(members)
        if below and not members:
            raise IntegrityBroken(f"{folder.name} holds an empty folder ({_shown(below)}).", AGAIN)
        if names > MOST_NAMES:
            raise IntegrityBroken(f"{folder.name} holds more than {MOST_NAMES:,} files and folders.", AGAIN)
        for member in members:
            path = f"{below}{member.name}"
            if member.is_symlink() or not (member.is_file(follow_symlinks=False) or member.is_dir(follow_symlinks=False)):
                raise IntegrityBroken(f"{folder.name} holds a link or a special file ({_shown(path)}).", AGAIN)
            if not plain_path(path):
                raise IntegrityBroken(f"{folder.name} holds a file with an unsafe name ({_shown(path)}).", AGAIN)
            if member.is_dir(follow_symlinks=False):
                pending.append(f"{path}/")
            else:
                paths.append(path)
    return tuple(sorted(paths))


def read_file(folder: Path, path: str, size: int | None = None) -> Stored:
    """The bytes of one file, which must be a regular file inside, and of this `size` where one is given. None is read that is too large."""
    with _opened(folder, path, size) as (file, present):
        content = file.read(present + 1)
        if len(content) != present:
            raise _other_size(folder, path)
        return Stored(path, content)


def look_at_file(folder: Path, path: str, size: int | None = None) -> Stored:
    """The same, but of a large file the bytes are not kept."""
    with _opened(folder, path, size) as (file, present):
        if present <= KEPT_BYTES:
            content = file.read(present + 1)
            if len(content) == present:
                return Stored(path, content)
            raise _other_size(folder, path)
        digest, read = hashlib.sha256(), 0
        while piece := file.read(PIECE):
            digest.update(piece)
            read += len(piece)
            if read > present:
                break
        if read != present:
            raise _other_size(folder, path)
        return LargeStored(path, digest.hexdigest(), lambda: read_file(folder, path, present).content)


def checked_pieces(folder: Path, entry: FileEntry) -> Iterator[bytes]:
    """The bytes of a file a piece at a time, of which the first comes once all were hashed: from one opening, so that nobody puts another
    in its place meanwhile."""
    with _opened(folder, entry.path, entry.bytes) as (file, _):
        if hashlib.file_digest(file, "sha256").hexdigest() != entry.sha256:
            raise IntegrityBroken(f"{_shown(entry.path)} in {folder.name} is not what was sealed: its hash differs.", AGAIN)
        file.seek(0)
        while piece := file.read(PIECE):
            yield piece


@contextmanager
def _opened(folder: Path, path: str, size: int | None) -> Iterator[tuple[BufferedReader, int]]:
    """The file, and how large it is."""
    if not plain_path(path):
        raise IntegrityBroken(f"A path leads out of the folder or has an unsafe name ({_shown(path)}).", AGAIN)
    for parent in list(Path(path).parents)[:-1]:
        if (folder / parent).is_symlink():
            raise IntegrityBroken(f"{_shown(path)} is reached through a link.", AGAIN)
    try:
        descriptor = os.open(folder / path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        with os.fdopen(descriptor, "rb") as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise IntegrityBroken(f"{_shown(path)} is not a regular file.", AGAIN)
            limit = LIST_BYTES if path.endswith(".json") else BYTES
            present = os.fstat(file.fileno()).st_size
            limit.check(present, f"{_shown(path)} in {folder.name}")
            if size not in (None, present):
                raise _other_size(folder, path)
            yield file, present
    except FileNotFoundError:
        raise IntegrityBroken(f"{_shown(path)} is missing from {folder.name}.", AGAIN) from None
    except OSError as problem:
        if problem.errno in (errno.ELOOP, errno.EISDIR):
            raise IntegrityBroken(f"{_shown(path)} is not a regular file.", AGAIN) from None
        raise _unusable(folder, problem) from None


def _other_size(folder: Path, path: str) -> IntegrityBroken:
    return IntegrityBroken(f"The size of {_shown(path)} in {folder.name} is not the one that was sealed.", AGAIN)


def read_folder(folder: Path) -> dict[str, Stored]:
    """Every file below, by its path."""
    return {path: look_at_file(folder, path) for path in list_files(folder)}


def file_entry(folder: Path, path: str) -> FileEntry:
    with _opened(folder, path, None) as (file, _):
        digest = hashlib.file_digest(file, "sha256")
        return FileEntry(path=path, sha256=digest.hexdigest(), bytes=file.tell())


def check_files(folder: Path, listed: Iterable[FileEntry], beside: Iterable[str] = ()) -> None:
    """Exactly the listed files and those `beside` them, each with the bytes it is listed with."""
    entries = {entry.path: entry for entry in listed}
    expected = set(entries) | set(beside)
    present = set(list_files(folder))
    if present - expected:
        extra = counted(len(present - expected), "file")
        raise IntegrityBroken(f"{folder.name} holds {extra} too many, such as {_shown(min(present - expected))}.", AGAIN)
    if expected - present:
        lacking = counted(len(expected - present), "file")
        raise IntegrityBroken(f"{folder.name} lacks {lacking}, such as {_shown(min(expected - present))}.", AGAIN)
    for path, entry in entries.items():
        if file_entry(folder, path) != entry:
            raise IntegrityBroken(f"{_shown(path)} in {folder.name} is not what was sealed: its hash differs.", AGAIN)


def write_file(folder: Path, path: str, content: bytes) -> None:
    """On disk before it returns. Never over an existing file."""
    target = folder / path
    target.parent.mkdir(parents=True, exist_ok=True)
    with open(target, "xb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    target.chmod(0o444)


def sync_folders(folder: Path) -> None:
    """The names too must be on disk."""
    for place, _, _ in os.walk(folder):
        sync_folder(Path(place))


def sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def place_folder(made: Path, target: Path) -> bool:
    """Gives a finished folder its name, once: False if the name is taken. The one moment at which it becomes visible."""
    sync_folders(made)
    if target.exists() or target.is_symlink():
        return False
    try:
        os.rename(made, target)
    except OSError as problem:
        if problem.errno in (errno.EEXIST, errno.ENOTEMPTY, errno.ENOTDIR):
            return False
        raise
    sync_folder(target.parent)
    return True


def replace_file(target: Path, content: bytes) -> None:
    """The old content or the new, never something between."""
    beside = target.with_name(f".{target.name}.{secrets.token_hex(6)}")
    try:
        with open(beside, "xb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(beside, target)
    finally:
        beside.unlink(missing_ok=True)
    sync_folder(target.parent)


def add_file(beside: Path, target: Path, content: bytes) -> None:
    """A file that appears whole, once, in a folder that nothing else is written to. What is there already stays."""
    made = beside / f".{target.name}-{secrets.token_hex(6)}"
    write_file(beside, made.name, content)
    try:
        with suppress(FileExistsError):
            os.link(made, target)
    finally:
        made.unlink()
    sync_folder(target.parent)


def remove_folder(folder: Path) -> None:
    """What was never given its name."""
    if folder.exists():
        shutil.rmtree(folder)


def _shown(path: str) -> str:
    """A stranger's file name may hold anything: only a plain one is repeated."""
    return path if plain_path(path) else "its name is not shown"


def _unusable(folder: Path, problem: OSError) -> StoreUnavailable:
    return StoreUnavailable(f"{folder} cannot be read ({reason_of(problem)}).", "Check the path and its permissions.")
