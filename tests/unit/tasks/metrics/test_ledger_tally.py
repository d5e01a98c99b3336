from __future__ import annotations

from collections import Counter
from datetime import timedelta

import pytest

from headgate.core.errors import IntegrityBroken
from policies.ledger.events import ReleaseRefused
from policies.ledger.states import State
from tasks.approval.decisions import request_changes
from tasks.approval.inspection import view_candidate
from tasks.ledger.history import read_whole
from tasks.metrics import ledger_tally
from tasks.metrics.ledger_tally import LedgerTally, Spread
from tasks.publication.withdraw import withdraw
from tests.unit.tasks.ledger.conftest import ingested, started, tamper


def read(tally: LedgerTally) -> LedgerTally:
    while tally.read_on():
        pass
    return tally


def told(tally: LedgerTally, world) -> None:
    """The numbers of the tally are those of whoever folds the whole."""
    folded = Counter((release.dataset, release.state) for release in read_whole(world.ledger).releases())
    assert read(tally).states(world.ledger.seen_now()) == folded


def test_releases_are_counted_as_their_events_make_them(world, monkeypatch) -> None:
    monkeypatch.setattr(ledger_tally, "AT_ONCE", 5)
    tally = LedgerTally(world.ledger)
    told(tally, world)
    world.expires = timedelta(days=5)
    candidate = world.seal()
    told(tally, world)
    world.approve(candidate, "ann")
    told(tally, world)
    world.approve(candidate, "bob")
    told(tally, world)
    world.publish(candidate)
    view_candidate(world.home, world.ledger, candidate.id)
    told(tally, world)
    world.published()
    told(tally, world)
    withdraw(world.home, world.ledger, candidate.id, world.keys["ann"], "a mistake")
    asked = world.seal()
    request_changes(world.home, world.ledger, asked.id, world.keys["ann"], "too fine")
    view_candidate(world.home, world.ledger, asked.id)
    world.seal()
    told(tally, world)
    world.clock.moment += timedelta(days=6)
    told(tally, world)
    assert tally.states(world.ledger.seen_now())["people", State.EXPIRED] == 1
    assert tally.ended["people", State.CHANGES_REQUESTED] == 1
    assert all(release.state is not State.CHANGES_REQUESTED for release in tally.open.values())


def test_what_a_run_took_is_told_by_the_events_that_ended_each_part(world) -> None:
    at = world.ledger.now()
    later = [(at + timedelta(seconds=seconds)).isoformat() for seconds in (0, 4, 70)]
    world.ledger.append("r1", [started("r1", later[0])], 0, "rue")
    world.ledger.append("r1", [ingested("r1").model_copy(update={"at": later[1]})], 1, "rue")
    world.ledger.append("r1", [ReleaseRefused(release_id="r1", at=later[2], failed=("k", "k-of-somebody"))], 2, "rue")
    tally = read(LedgerTally(world.ledger))
    assert (tally.phases["ingested"].total, tally.phases["refused"].total, tally.runs["refused"].total) == (4.0, 66.0, 70.0)
    assert tally.refusals == {"k": 1, "k-of-somebody": 1}


def test_seconds_are_counted_below_their_upper_end() -> None:
    spread = Spread()
    for seconds in (0, 1, 1.5, 20_000):
        spread.add(seconds)
    assert spread.counts == [2, 1, 0, 0, 0, 0, 0, 0, 1]


def test_there_are_no_more_names_of_datasets_than_so_many(world, monkeypatch) -> None:
    monkeypatch.setattr(ledger_tally, "MOST_DATASETS", 2)
    at = world.ledger.now().isoformat()
    for number in range(4):
        event = started(f"r{number}", at).model_copy(update={"dataset": f"d{number}"})
        world.ledger.append(f"r{number}", [event], 0, "rue")
    tally = read(LedgerTally(world.ledger))
    assert tally.states(world.ledger.seen_now()) == {("d0", State.RUNNING): 1, ("d1", State.RUNNING): 1, ("others", State.RUNNING): 2}


def test_a_ledger_that_was_changed_is_refused(world) -> None:
    world.seal()
    tally = read(LedgerTally(world.ledger))
    tamper(world.home.ledger, "UPDATE events SET hash = hash || 'x' WHERE seq = 8")
    with pytest.raises(IntegrityBroken):
        tally.read_on()
    with pytest.raises(IntegrityBroken):
        read(LedgerTally(world.ledger))
