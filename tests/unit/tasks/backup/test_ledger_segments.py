"""Events are kept in pieces that do not change, read once, and believed only if they are a chain."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from headgate.core.errors import IntegrityBroken
from tasks.backup import ledger_segments
from tasks.backup.ledger_segments import keep_events, kept_events
from tasks.backup.stored_objects import Objects


@pytest.fixture
def objects(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Objects:
    (tmp_path / "objects").mkdir()
    monkeypatch.setattr(ledger_segments, "EVENTS", 3)
    return Objects(tmp_path / "objects")


def test_what_was_kept_are_the_events_of_the_ledger(world: Any, objects: Objects) -> None:
    world.seal()
    segments = keep_events(world.ledger, world.ledger.last(), objects, ())
    assert [(segment.first, segment.last) for segment in segments] == [(1, 3), (4, 6), (7, 8)]
    assert tuple(kept_events(objects, segments)) == world.ledger.entries()
    world.seal()
    more = keep_events(world.ledger, world.ledger.last(), objects, segments)
    assert (more[:2], more[-1].last) == (segments[:2], 16)
    assert tuple(kept_events(objects, more)) == world.ledger.entries()


def test_what_was_appended_after_the_head_is_left_out(world: Any, objects: Objects) -> None:
    world.seal()
    head = world.ledger.last()
    world.seal()
    assert keep_events(world.ledger, head, objects, ())[-1].last == head.seq
    assert keep_events(world.ledger, None, objects, ()) == ()


def test_a_ledger_that_does_not_continue_the_last_backup_is_told(world: Any, objects: Objects) -> None:
    world.seal()
    segments = keep_events(world.ledger, world.ledger.last(), objects, ())
    for other in ({"hash": "0" * 64}, {"last": 9}):
        with pytest.raises(IntegrityBroken, match="the ledger does not hold it"):
            keep_events(world.ledger, world.ledger.last(), objects, (*segments[:-1], segments[-1].model_copy(update=other)))


def test_pieces_that_are_no_chain_are_refused(world: Any, objects: Objects) -> None:
    world.seal()
    entries = world.ledger.entries()
    segments = keep_events(world.ledger, entries[-1], objects, ())
    with pytest.raises(IntegrityBroken):
        list(kept_events(objects, segments[1:]))
    with pytest.raises(IntegrityBroken, match="not those that its manifest names"):
        list(kept_events(objects, [segments[0].model_copy(update={"hash": entries[1].hash})]))
    assert replace(entries[0]) == entries[0]
