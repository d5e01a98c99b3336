"""A published series in a folder of the store: numbered versions that are written once, and `latest`."""

from __future__ import annotations

import json
import os
import re
import secrets
import shutil
from dataclasses import dataclass
from pathlib import Path

from headgate.core.errors import PublicationFailed, StoreUnavailable
from tasks.runtime.boundary import reason_of
from tasks.stores.files import replace_file, sync_folder

LATEST = "latest"
LATEST_FILE = "latest.json"
UNFINISHED = ".publishing-"
WITHDRAWN = ".withdrawn.dsse.json"  # after the version's number


@dataclass(frozen=True)
class Series:
    """`<store>/<to>`."""

    store: Path
    to: str

    @property
    def folder(self) -> Path:
        return self.store / self.to

    def version(self, number: int) -> Path:
        return self.folder / str(number)

    def withdrawal(self, number: int) -> Path:
        """The signed withdrawal of a version: beside it, since a version is written once."""
        return self.folder / f"{number}{WITHDRAWN}"

    def open(self) -> None:
        """Makes the folder; refused if it cannot be written or is reached through a link out of the store."""
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            inside = self.folder.resolve().is_relative_to(self.store.resolve())
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
            raise StoreUnavailable(f"The store {self.folder} cannot be written.", "Correct its rights, or set HEADGATE_STORE.")

    def _clear_left_over(self) -> None:
        """A process killed while it moved `latest` leaves the new one under its hidden name."""
        for name in os.listdir(self.folder):
            if name.startswith(f".{LATEST}"):
                (self.folder / name).unlink()

    def numbers(self) -> tuple[int, ...]:
        """Versions that have been there, withdrawn ones too: a number is never used twice."""
        found = [re.fullmatch(rf"([1-9][0-9]{{0,8}})({re.escape(WITHDRAWN)})?", name) for name in os.listdir(self.folder)]
        return tuple(sorted({int(match[1]) for match in found if match}))

    def unfinished(self, number: int) -> Path:
        """A new hidden folder in which a version is put together, on the file system it will stay on."""
        made = self.folder / f"{UNFINISHED}{number}-{secrets.token_hex(6)}"
        made.mkdir()
        return made

    def clear_unfinished(self, number: int) -> None:
        """What runs that were killed have left of this version."""
        for name in os.listdir(self.folder):
            if name.startswith(f"{UNFINISHED}{number}-"):
                shutil.rmtree(self.folder / name)

    def latest(self) -> int | None:
        """The version that `latest` names."""
        link = self.folder / LATEST
        if link.is_symlink():
            target = os.readlink(link)
            return int(target) if re.fullmatch("[1-9][0-9]{0,8}", target) else None
        try:
            said = json.loads((self.folder / LATEST_FILE).read_bytes())
            return int(said["version"])
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def point_latest(self, number: int | None) -> None:
        """Moves `latest` in one step; removes it when no version is left. A file stands in where links don't work."""
        if self.latest() == number:
            return
        link = self.folder / LATEST
        if link.exists() and not link.is_symlink():
            raise PublicationFailed(f"{link} is no link of headgate's.", "Move it away, then publish again.")
        if number is None:
            link.unlink(missing_ok=True)
            (self.folder / LATEST_FILE).unlink(missing_ok=True)
            sync_folder(self.folder)
            return
        beside = self.folder / f".{LATEST}-{secrets.token_hex(6)}"
        try:
            os.symlink(str(number), beside, target_is_directory=True)
        except (OSError, NotImplementedError):
            replace_file(self.folder / LATEST_FILE, json.dumps({"version": number, "path": str(number)}).encode() + b"\n")
            return
        try:
            os.replace(beside, link)
        finally:
            beside.unlink(missing_ok=True)
        (self.folder / LATEST_FILE).unlink(missing_ok=True)
        sync_folder(self.folder)
