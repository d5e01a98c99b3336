"""A file of Stata (.dta) as a source: cells are the texts that a CSV of it would hold, and its marks for missing values are missing."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path

import pyarrow as pa

from headgate.core.errors import InputRejected
from policies.schema.source_key import StataSource
from tasks.formats.file_kind import OF_STATA, file_kind, refuse_other_kinds
from tasks.formats.labelled_file import open_labelled, require_labels
from tasks.reading.source import Source, check_names, read_bytes


class StataReader:
    def open_declared(self, key: StataSource, folder: Path) -> Source:
        path = folder / key.path
        return self.open_given(key, read_bytes(path, "The source"), f"The source {path.name}")

    def open_given(self, key: StataSource, content: bytes, where: str) -> Source:
        refuse_other_kinds(content, where, key.kind)
        if file_kind(content) is not OF_STATA:
            raise InputRejected(f"{where} is not a file of Stata.", "If it is text, use kind: csv.")
        return _opened(content, key.labels, key.encoding, where)

    def open_recognized(self, content: bytes, name: str, where: str) -> Source | None:
        return _opened(content, False, None, where) if file_kind(content) is OF_STATA else None


READER = StataReader()


def _opened(content: bytes, labels: bool, encoding: str | None, where: str) -> Source:
    from pyreadstat import read_dta

    file = open_labelled(read_dta, content, encoding, where)
    check_names(file.names, where)

    def read(columns: Sequence[str]) -> pa.Table:
        if labels:
            require_labels(file, columns)
        return file.read(columns, labels)

    return Source(where, file.names, hashlib.sha256(content).hexdigest(), read, texts=True)
