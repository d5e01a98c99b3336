"""Series published to folders: `<root>/<target>/<number>`, and `latest` as a link."""

from __future__ import annotations

import os
import re
import secrets
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from headgate.core.errors import PublicationFailed, StoreUnavailable
from tasks.runtime.boundary import reason_of
from tasks.stores.files import Stored, add_file, place_folder, read_folder, remove_folder, replace_file, sync_folder, write_file
from tasks.stores.release_store import NOT_OURS, WITHDRAWN, latest_file, named_in

LATEST = "latest"
LATEST_FILE = "latest.json"
UNFINISHED = ".publishing-"
EVERY_VERSION = "head.json"  # is in every version, and tells it from other folders whose name is a number
NUMBER = "[1-9][0-9]{0,8}"


def open_store(address: str) -> FolderStore:
    return FolderStore(Path(address).expanduser().absolute())


@dataclass(frozen=True)
class FolderStore:
    root: Path

    def series(self, target: str) -> FolderSeries:
        return FolderSeries(self.root, target)

    def targets(self) -> frozenset[str]:
        """Links lead elsewhere, and what is hidden is not published."""
        versions = [path.parent for path in self.root.glob(f"**/{EVERY_VERSION}")] if self.root.is_dir() else []
        return frozenset(
            version.parent.relative_to(self.root).as_posix()
            for version in versions
            if re.fullmatch(NUMBER, version.name) and not version.is_symlink() and not version.parent.name.startswith(".")
        )


@dataclass(frozen=True)
class FolderDraft:
    folder: Path
    target: Path

    def write(self, path: str, content: bytes) -> None:
        write_file(self.folder, path, content)

    def read(self) -> Mapping[str, Stored]:
        return read_folder(self.folder)

    def place(self) -> bool:
        """Readers may be anybody: what is published is for them, whatever the umask."""
        for folder, _, _ in os.walk(self.folder):
            os.chmod(folder, 0o755)
        if place_folder(self.folder, self.target):
            return True
        return self.target.is_dir() and not self.target.is_symlink() and _contents(self.folder) == _contents(self.target)


def _contents(folder: Path) -> dict[str, str]:
    return {path: file.sha256 for path, file in read_folder(folder).items()}


@dataclass(frozen=True)
class FolderSeries:
    root: Path
    target: str

    @property
    def folder(self) -> Path:
        return self.root / self.target

    def address(self, number: int | None = None) -> str:
        return str(self.folder if number is None else self.version(number))

    def version(self, number: int) -> Path:
        return self.folder / str(number)

    def prepare(self) -> None:
        """Refused if the folder cannot be written or is reached through a link out of the store."""
        try:
            self._make_folders()
            inside = self.folder.resolve().is_relative_to(self.root.resolve())
            writable = os.access(self.folder, os.W_OK | os.X_OK)
            if inside and writable:
                self._clear_left_over()
        except OSError as problem:
            raise StoreUnavailable(
                f"The store {self.folder} cannot be used ({reason_of(problem)}).", "Set HEADGATE_STORE to a folder that can be written."
            ) from None
        if not inside:
            raise StoreUnavailable(f"{self.folder} leads out of the store through a link.", "Remove the link, or change publish.to.")
        if not writable:
            raise StoreUnavailable(f"The store {self.folder} cannot be written.", "Correct its permissions, or set HEADGATE_STORE.")

    def _make_folders(self) -> None:
        """Those that are lacking, for readers to enter; what is there keeps its permissions."""
        lacking = [folder for folder in (self.folder, *self.folder.parents) if not folder.exists()]
        self.folder.mkdir(parents=True, exist_ok=True)
        for folder in lacking:
            folder.chmod(0o755)

    def _clear_left_over(self) -> None:
        """A process killed while it moved `latest`, or withdrew, leaves the new file under its hidden name."""
        for name in os.listdir(self.folder):
            if name.startswith((f".{LATEST}", f".{WITHDRAWN}")):
                (self.folder / name).unlink()

    def numbers(self) -> tuple[int, ...]:
        return self.versions()

    def versions(self) -> tuple[int, ...]:
        """Folders of somebody else's that have a number for a name are none."""
        names = os.listdir(self.folder) if self.folder.is_dir() else []
        numbers = sorted(int(name) for name in names if re.fullmatch(NUMBER, name))
        return tuple(number for number in numbers if (self.version(number) / EVERY_VERSION).is_file())

    @contextmanager
    def begin(self, number: int, candidate: str) -> Iterator[FolderDraft]:
        """A hidden folder on the file system that the version will stay on."""
        self.clear(number, candidate)
        made = self.folder / f"{UNFINISHED}{number}-{candidate}-{secrets.token_hex(6)}"
        made.mkdir()
        try:
            yield FolderDraft(made, self.version(number))
        finally:
            remove_folder(made)

    def clear(self, number: int, candidate: str) -> None:
        for name in os.listdir(self.folder):
            if name.startswith(f"{UNFINISHED}{number}-{candidate}-"):
                remove_folder(self.folder / name)

    def read(self, number: int) -> Mapping[str, Stored]:
        return read_folder(self.version(number))

    def mark_withdrawn(self, number: int, envelope: bytes) -> None:
        add_file(self.folder, self.version(number) / WITHDRAWN, envelope)

    def latest(self) -> int | None:
        """Some readers follow the link, others the file: where both are there, one of them was not left so."""
        named = {self._linked(), self._filed()} - {None}
        return named.pop() if len(named) == 1 else NOT_OURS if named else None

    def _linked(self) -> int | None:
        link = self.folder / LATEST
        if not os.path.lexists(link):
            return None
        target = os.readlink(link) if link.is_symlink() else ""
        return int(target) if re.fullmatch(NUMBER, target) else NOT_OURS

    def _filed(self) -> int | None:
        try:
            return named_in((self.folder / LATEST_FILE).read_bytes())
        except FileNotFoundError:
            return None
        except OSError:
            return NOT_OURS

    def point_latest(self, number: int | None) -> None:
        """Points `latest` at a version, by a link, or by a file if links do not work."""
        if self.latest() == number:
            return
        link = self.folder / LATEST
        if link.exists() and not link.is_symlink():
            raise PublicationFailed(f"{link} is not a link that headgate made.", "Move it away, then publish again.")
        if number is None:
            link.unlink(missing_ok=True)
            (self.folder / LATEST_FILE).unlink(missing_ok=True)
            sync_folder(self.folder)
            return
        beside = self.folder / f".{LATEST}-{secrets.token_hex(6)}"
        try:
            os.symlink(str(number), beside, target_is_directory=True)
        except (OSError, NotImplementedError):
            if link.is_symlink():  # links work here, but not now
                raise
            replace_file(self.folder / LATEST_FILE, latest_file(number))
            return
        try:
            os.replace(beside, link)
        finally:
            beside.unlink(missing_ok=True)
        (self.folder / LATEST_FILE).unlink(missing_ok=True)
        sync_folder(self.folder)
