"""Files of SPSS and Stata as sources: cells are the texts that a CSV of them would hold, and their marks for missing values are missing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa

from headgate.core.errors import InputRejected
from policies.schema.source_key import LabelledSource
from tasks.formats.file_kind import FileKind, refuse_other_kinds
from tasks.formats.labelled_file import open_labelled, require_labels
from tasks.reading.pinned_file import Content, PinnedFile, digest_of, kind_of, shown_kind, stream_of, whole
from tasks.reading.source import Source, check_names


@dataclass(frozen=True)
class LabelledReader:
    """`parse` is the name of pyreadstat's function, which is only imported where such a file is read."""

    program: str
    kind: FileKind
    parse: str

    def open_declared(self, key: LabelledSource, folder: Path) -> Source:
        path = folder / key.path
        return self.open_given(key, PinnedFile(path, "The source"), f"The source {path.name}")

    def open_given(self, key: LabelledSource, content: Content, where: str) -> Source:
        refuse_other_kinds(shown_kind(stream_of(content)), where, self.kind.kind)
        if kind_of(content) is not self.kind:
            raise InputRejected(f"{where} is not a file of {self.program}.", "If it is text, use kind: csv.")
        return self._opened(content, key.labels, key.encoding, where)

    def open_recognized(self, content: Content, name: str, where: str) -> Source | None:
        return self._opened(content, False, None, where) if kind_of(content) is self.kind else None

    def _opened(self, content: Content, labels: bool, encoding: str | None, where: str) -> Source:
        import pyreadstat

        file = open_labelled(getattr(pyreadstat, self.parse), whole(content), encoding, where)
        check_names(file.names, where)

        def read(columns: Sequence[str]) -> Iterator[pa.Table]:
            if labels:
                require_labels(file, columns)
            yield file.read(columns, labels)

        return Source(where, file.names, digest_of(content), read, texts=True)
