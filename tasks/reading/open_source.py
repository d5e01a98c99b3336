"""The one place that chooses who reads: the policy's tuple of sources names the kinds, and `source_<kind>.py` of this room reads each."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import cast

from headgate.core.errors import Defect
from policies.schema.policy import Policy
from policies.schema.source_key import CsvSource, kinds_of_source
from tasks.reading.pinned_file import Content, PinnedFile, kind_of
from tasks.reading.source import Source
from tasks.reading.source_csv import open_csv_bytes
from tasks.reading.source_reader import GivenReader, OnceReader, SourceReader
from tasks.runtime.named_modules import module_named


def reader_of(kind: str) -> SourceReader:
    module = module_named("tasks.reading", "source_", kind)
    if module is None:
        raise Defect(f"Sources of kind {kind} have no reader.", "This is a defect of headgate; please report it.")
    return cast(SourceReader, module.READER)


def open_source(policy: Policy, folder: Path, override: Path | str | None = None, wanted: Collection[str] | None = None) -> Source:
    """The declared source, or a file in its place: what no kind recognizes is a CSV, written as the policy declares one. `wanted`: columns
    that will be asked for, if no other will."""
    declared = policy.source
    if override is None:
        reader = reader_of(declared.kind)
        if wanted is not None and isinstance(reader, OnceReader):
            return reader.open_for(declared, folder, wanted)
        return reader.open_declared(declared, folder)
    path = Path(override).expanduser().absolute()
    content, where = PinnedFile(path, "The source"), f"The source {path.name}"
    shown, reader = kind_of(content), reader_of(declared.kind)
    if shown is not None and shown.kind == declared.kind and isinstance(reader, GivenReader):
        return reader.open_given(declared, content, where)
    if isinstance(declared, CsvSource):
        return open_file(content, path.name, where, declared.separator, declared.encoding)
    return open_file(content, path.name, where)


def open_file(content: Content, name: str, where: str, separator: str = ",", encoding: str = "utf-8") -> Source:
    """A file of any kind that shows which it is; else a CSV."""
    recognized = open_recognized(content, name, where)
    return open_csv_bytes(content, where, separator, encoding) if recognized is None else recognized[1]


def open_recognized(content: Content, name: str, where: str) -> tuple[str, Source] | None:
    """The kind that knows the file as its own, and the file opened."""
    for kind in kinds_of_source():
        source = reader_of(kind).open_recognized(content, name, where)
        if source is not None:
            return kind, source
    return None
