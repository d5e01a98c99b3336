"""Files of published tables on their way from the worker that wrote them to the folder of the release: in the spool, so that no disk that
machines share holds what nobody has approved."""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from headgate.core.errors import StoreUnavailable
from policies.jobs.spool import Reference, Spool
from tasks.runtime.boundary import reason_of

AT_ONCE = 1 << 24  # bytes of a file that lie together

Pieces = tuple[Reference[bytes], ...]


class SpooledStage:
    """Takes the place of a folder. `files`: by path the pieces of each file, in their order."""

    def __init__(self, spool: Spool) -> None:
        self._spool = spool
        self.files: dict[str, Pieces] = {}

    @contextmanager
    def create(self, path: str) -> Iterator[BinaryIO]:
        stream = io.BytesIO()
        yield stream
        content = stream.getbuffer()
        starts = range(0, max(1, len(content)), AT_ONCE)
        self.files[path] = tuple(self._spool.put(bytes(content[start : start + AT_ONCE])) for start in starts)

    def content(self, path: str) -> bytes:
        return b"".join(self._spool.get(piece) for piece in self.files[path])


def unpack(files: Mapping[str, Pieces], spool: Spool, folder: Path) -> None:
    """Into the folder, where none of them is yet; the spool holds them no more."""
    try:
        for path, pieces in files.items():
            (folder / path).parent.mkdir(mode=0o755, parents=True, exist_ok=True)
            with (folder / path).open("xb") as stream:
                for piece in pieces:
                    stream.write(spool.get(piece))
                    spool.drop(piece)
    except OSError as problem:
        raise StoreUnavailable(f"A table cannot be written ({reason_of(problem)}).", "Check permissions and free space.") from None
