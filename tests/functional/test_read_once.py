"""Each file of a release is read as seldom as can be: what is measured, expected, attacked and shown is one parse of pinned bytes."""

from __future__ import annotations

import dataclasses
import os
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from enum import Enum
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest


class Opened:
    """How often each file was opened for reading and for writing, while it listens. Python's hooks stay for good, so this one is mute."""

    def __init__(self) -> None:
        self.listens = False
        self.reading: Counter[str] = Counter()
        self.writing: Counter[str] = Counter()
        sys.addaudithook(self._hear)

    def _hear(self, event: str, given: tuple[Any, ...]) -> None:
        if self.listens and event == "open" and isinstance(given[0], str | bytes | os.PathLike):
            path, flags = os.fsdecode(given[0]), given[2]
            (self.writing if flags & (os.O_WRONLY | os.O_RDWR) else self.reading)[Path(path).name] += 1


@pytest.fixture(scope="module")
def opened() -> Opened:
    return Opened()


def test_a_release_opens_and_parses_each_file_once(project: Any, opened: Opened, monkeypatch: pytest.MonkeyPatch) -> None:
    """A published CSV was read 11 times, and parsed 4 times."""
    from tasks.reading.source import Source

    parsed: Counter[str] = Counter()
    honest = Source.parts

    def parts(source: Source, columns: Any) -> Any:
        parsed[source.name] += 1
        return honest(source, columns)

    monkeypatch.setattr(Source, "parts", parts)
    opened.listens = True
    try:
        released = project.run("release", project.policy, "--json").json
    finally:
        opened.listens = False
    files = [f"{table['name']}.{form}" for table in released["tables"] for form in ("csv", "parquet")]
    assert opened.reading["patients.csv"] == 1
    assert parsed == {"The source patients.csv": 1} | {f"The table {file}": 1 for file in files}
    assert {file: opened.writing[file] for file in files} == dict.fromkeys(files, 1)
    # Read back; hashed at sealing; and opened once more there, to be flushed to the disk.
    assert {file: opened.reading[file] for file in files} == dict.fromkeys(files, 3)


PLAIN = (str, int, float, bool, type(None), Fraction, Path, Enum, type)


def leaves(thing: Any) -> Iterator[Any]:
    """As Prefect goes through what it is handed."""
    if dataclasses.is_dataclass(thing) and not isinstance(thing, type):
        for field in dataclasses.fields(thing):
            yield from leaves(getattr(thing, field.name))
    elif isinstance(thing, Mapping):
        for key, value in thing.items():
            yield from leaves(key)
            yield from leaves(value)
    elif isinstance(thing, tuple | list | set | frozenset):
        for part in thing:
            yield from leaves(part)
    else:
        yield thing


def test_steps_hand_each_other_references_and_figures_only(project: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from tasks.release.release_steps import Step

    seen: list[Any] = []
    call, submit = Step.__call__, Step.submit

    def called(step: Any, run: Any, *given: Any) -> Any:
        result = call(step, run, *given)
        seen.extend([*given, result])
        return result

    def submitted(step: Any, run: Any, *given: Any) -> Any:
        seen.extend(given)
        return submit(step, run, *given)

    monkeypatch.setattr(Step, "__call__", called)
    monkeypatch.setattr(Step, "submit", submitted)
    project.write_policy(gates=", disclosure: {sensitivity: {form: multiplicative, weights: {income: 1}}, max: 50}")
    assert project.run("release", project.policy, "--json").code == 0
    assert len(seen) > 20
    foreign = {type(leaf).__name__ for leaf in leaves(seen) if not isinstance(leaf, PLAIN)}
    assert foreign == set()
    texts = {leaf for leaf in leaves(seen) if isinstance(leaf, str)}
    assert not any("diagnosis" in text or "flu" in text or "person-0" in text for text in texts)
