"""Which kinds of source say more than which file, and which are read once."""

from __future__ import annotations

from policies.schema.source_key import kinds_of_source
from tasks.reading.open_source import reader_of
from tasks.reading.source_reader import GivenReader, OnceReader


def test_files_are_given_in_the_place_of_others_and_queries_are_read_once() -> None:
    readers = {kind: reader_of(kind) for kind in kinds_of_source()}
    assert [kind for kind, reader in readers.items() if isinstance(reader, GivenReader)] == ["excel", "spss", "stata"]
    assert [kind for kind, reader in readers.items() if isinstance(reader, OnceReader)] == ["sql"]
