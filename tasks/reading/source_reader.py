"""What a kind of source must be able to do."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

from tasks.reading.pinned_file import Content
from tasks.reading.source import Source


class SourceReader(Protocol):
    """One kind of source. A kind whose key is in policies.schema.source_key.SOURCES has a file `source_<kind>.py` in this room, which holds
    its reader as READER."""

    def open_declared(self, key: Any, folder: Path) -> Source:
        """What the policy's `source` names, by the keys of its kind; paths are relative to the policy's folder."""
        ...

    def open_recognized(self, content: Content, name: str, where: str) -> Source | None:
        """A file that shows by its content or its name that it is of this kind; None for all others."""
        ...


@runtime_checkable
class GivenReader(SourceReader, Protocol):
    """A kind whose keys say more than which file: another file in the place of the declared one is read by the same keys."""

    def open_given(self, key: Any, content: Content, where: str) -> Source: ...


@runtime_checkable
class OnceReader(SourceReader, Protocol):
    """A kind that is read once, when it is opened: nothing is kept of columns that nobody wants."""

    def open_for(self, key: Any, folder: Path, wanted: Collection[str]) -> Source: ...
