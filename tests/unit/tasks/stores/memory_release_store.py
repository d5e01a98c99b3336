"""A release store in dictionaries: all that the Protocols ask of a place, and nothing more."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from tasks.stores.files import Stored
from tasks.stores.release_store import WITHDRAWN


class MemoryDraft:
    def __init__(self, versions: dict[int, dict[str, bytes]], number: int) -> None:
        self.versions, self.number, self.files = versions, number, dict[str, bytes]()

    def write(self, path: str, content: bytes) -> None:
        if path in self.files:
            raise FileExistsError(path)
        self.files[path] = content

    def read(self) -> Mapping[str, Stored]:
        return {path: Stored(path, content) for path, content in self.files.items()}

    def place(self) -> bool:
        return self.versions.setdefault(self.number, self.files) == self.files


class MemorySeries:
    def __init__(self, target: str) -> None:
        self.target = target
        self.kept: dict[int, dict[str, bytes]] = {}
        self.named: int | None = None

    def address(self, number: int | None = None) -> str:
        return f"memory://{self.target}" + ("" if number is None else f"/{number}")

    def prepare(self) -> None:
        """Always ready."""

    def numbers(self) -> tuple[int, ...]:
        return self.versions()

    def versions(self) -> tuple[int, ...]:
        return tuple(sorted(self.kept))

    @contextmanager
    def begin(self, number: int, candidate: str) -> Iterator[MemoryDraft]:
        yield MemoryDraft(self.kept, number)

    def clear(self, number: int, candidate: str) -> None:
        """Nothing is ever left."""

    def read(self, number: int) -> Mapping[str, Stored]:
        return {path: Stored(path, content) for path, content in self.kept[number].items()}

    def mark_withdrawn(self, number: int, envelope: bytes) -> None:
        self.kept[number].setdefault(WITHDRAWN, envelope)

    def latest(self) -> int | None:
        return self.named

    def point_latest(self, number: int | None) -> None:
        self.named = number


class MemoryReleaseStore:
    def __init__(self) -> None:
        self.all: dict[str, MemorySeries] = {}

    def series(self, target: str) -> MemorySeries:
        return self.all.setdefault(target, MemorySeries(target))

    def targets(self) -> frozenset[str]:
        return frozenset(target for target, series in self.all.items() if series.kept)
