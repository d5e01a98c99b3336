from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from headgate.core.errors import InputRejected, IntegrityBroken
from tasks.approval.threads import add_comment
from tasks.ledger.wanted_events import Wanted
from tasks.verification.audit_trail import AuditTrail, listed


@pytest.fixture
def trail(world: Any) -> AuditTrail:
    return AuditTrail(world.home, world.ledger)


def seqs(trail: AuditTrail, **wanted: str) -> list[int]:
    return [line.entry.seq for line in trail.page(Wanted(**wanted)).lines]


def test_events_come_page_by_page_newest_first_each_with_its_dataset(world: Any, trail: AuditTrail) -> None:
    world.seal()
    world.seal(dataset="clinic")
    last = world.ledger.last().seq
    first = trail.page(Wanted(), most=3)
    assert [line.entry.seq for line in first.lines] == [last, last - 1, last - 2]
    assert (first.older, {line.dataset for line in first.lines}) == (last - 2, {"clinic"})
    walked, before = [], None
    while True:
        page = trail.page(Wanted(), before, most=3)
        walked += [line.entry.seq for line in page.lines]
        if page.older is None:
            break
        before = page.older
    assert walked == list(range(last, 0, -1))
    assert seqs(trail, dataset="clinic") == [line.entry.seq for line in trail.page(Wanted(release="release-2")).lines]


def test_a_person_and_a_kind_are_found(world: Any, trail: AuditTrail) -> None:
    world.published()
    assert [line.entry.actor for line in trail.page(Wanted(type="approved")).lines] == ["bob", "ann"]
    assert [line.entry.type for line in trail.page(Wanted(actor="bob")).lines] == ["approved"]
    assert seqs(trail, actor="nobody") == []


def test_no_page_and_no_filter_tells_who_has_voted_while_votes_are_hidden(world: Any, trail: AuditTrail) -> None:
    candidate = world.seal(blind=True)
    world.approve(candidate, "ann")
    seq = world.ledger.last().seq
    line = next(line for line in trail.page(Wanted()).lines if line.entry.seq == seq)
    assert (line.hidden, line.entry.actor, line.entry.at, line.entry.payload) == (True, "", "", "")
    assert seqs(trail, type="approved") == [seq]
    assert seqs(trail, actor="ann") == seqs(trail, actor="ann", type="approved") == []
    one = trail.event(seq)
    assert (one.hidden, one.line.says, one.line.entry.actor) == (True, {}, "")
    world.approve(candidate, "bob")
    assert seqs(trail, actor="ann") == [seq]
    assert trail.event(seq).line.says["reason"] == "read the report"


def test_an_event_opens_with_what_it_says_and_its_neighbours(world: Any, trail: AuditTrail) -> None:
    candidate = world.seal()
    add_comment(world.home, world.ledger, candidate.id, "ann", "a private remark")
    world.seal()
    one = trail.event(1)
    assert (one.before, one.after, one.line.entry.type, one.release.release_id) == (None, 2, "run_started", "release-1")
    commented = next(iter(seqs(trail, type="commented")))
    assert "a private remark" not in str(trail.event(commented))
    assert trail.event(commented).after is None
    for seq in (0, -1, 10_000):
        with pytest.raises(InputRejected, match="has no event"):
            trail.event(seq)


def test_what_is_listed_is_exactly_of_the_time_that_is_wanted(world: Any) -> None:
    for _ in range(3):
        world.seal()
    moments = [entry.at for entry in world.ledger.entries()]
    found = list(listed(world.ledger, Wanted(since=moments[2], until=moments[-1])))
    assert found
    assert [entry.seq for entry in found] == [seq for seq in range(len(moments), 0, -1) if moments[2] <= moments[seq - 1] < moments[-1]]
    assert next(listed(world.ledger, Wanted(), before=3)).seq == 2


def test_a_changed_event_is_not_listed(world: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    world.seal()
    forged = replace(world.ledger.last(), actor="somebody else")
    with world.ledger.store.reading() as stored:
        kind = type(stored)
    monkeypatch.setattr(kind, "listed", lambda *_: (forged,))
    with pytest.raises(IntegrityBroken, match="was changed"):
        list(listed(world.ledger, Wanted()))
