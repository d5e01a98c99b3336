from __future__ import annotations

from collections import Counter
from datetime import timedelta

import pytest

from headgate.core.errors import InputRejected, IntegrityBroken
from policies.ledger.states import State
from policies.sealed.manifest import SealedRole
from tasks.approval.decisions import reject
from tasks.approval.inspection import view_candidate
from tasks.ledger import store_sqlite
from tasks.ledger.chain import Entry
from tasks.ledger.history import History, check_same, latest_version, read_history, read_whole
from tasks.publication.withdraw import withdraw
from tests.unit.tasks.ledger.conftest import started, tamper


def test_releases_come_in_the_order_in_which_they_began_each_with_its_own_events(world) -> None:
    first, second = world.seal(), world.seal()
    world.approve(first, "ann", "bob")
    whole = read_whole(world.ledger)
    assert [(release.release_id, release.state) for release in whole.releases()] == [
        ("release-1", State.APPROVED),
        ("release-2", State.AWAITING_APPROVAL),
    ]
    history = read_history(world.ledger)
    for release in whole.releases():
        assert history.release(release.release_id) == release
        assert history.events(release.release_id) == whole.events(release.release_id)
    assert [entry.release for entry in history.of("release-2")] == ["release-2"] * 8
    assert history.of("nobody") == ()
    assert history.sealed(second.id).release_id == "release-2"
    assert history.sealed("f" * 64) is None


def test_a_release_is_found_by_its_id_or_by_eight_digits_of_its_candidate(world) -> None:
    candidate = world.seal()
    history = read_history(world.ledger)
    for name in ("release-1", candidate.id, candidate.id[:8].upper(), f" {candidate.id[:9]}"):
        assert history.find(name).candidate == candidate.id
    for name in ("release-2", candidate.id[:7], "", "zzzzzzzz"):
        with pytest.raises(InputRejected, match="knows no release"):
            history.find(name)


def test_only_the_releases_at_a_target_have_versions_there(world) -> None:
    world.published()
    world.published()
    world.seal()
    history = read_history(world.ledger)
    assert [release.version for release in history.at_target("people")] == [1, 2]
    assert latest_version(history.at_target("people")) == 2
    assert history.at_target("people") == read_whole(world.ledger).at_target("people")
    assert history.at_target("elsewhere") == ()
    assert latest_version(()) is None


def test_releases_of_a_dataset_and_of_a_source_come_newest_first(world) -> None:
    world.published()
    world.seal()
    world.seal(dataset="others", source_hmac="9" * 64)
    history = read_history(world.ledger)
    assert [release.release_id for release in history.of_dataset("people")] == ["release-2", "release-1"]
    assert [release.release_id for release in history.of_source("9" * 64)] == ["release-3"]
    assert next(history.of_dataset("people")).state is State.AWAITING_APPROVAL
    assert list(history.of_dataset("nobody")) == []


def test_what_is_published_elsewhere_is_not_what_a_candidate_is_compared_with(world) -> None:
    """A dataset may have two targets, such as one for colleagues: changes.json at the other told figures and values of what is there."""
    world.published()
    history = read_history(world.ledger)
    assert history.last_published("people", "people").version == 1
    assert history.last_published("people", "public") is None


def test_candidates_that_may_still_be_decided_or_published_are_open(world) -> None:
    world.published()
    waiting, approved, rejected, withdrawn = (world.seal() for _ in range(4))
    world.approve(approved, "ann", "bob")
    reject(world.home, world.ledger, rejected.id, world.keys["ann"], "too small")
    withdraw(world.home, world.ledger, withdrawn.id, world.keys["ann"], "a mistake")
    assert [release.candidate for release in read_history(world.ledger).open_candidates()] == [waiting.id, approved.id]


def test_what_an_answer_costs_does_not_grow_with_the_ledger(world, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every command read every event."""
    read: list[int] = []
    monkeypatch.setattr(store_sqlite, "Entry", lambda *row: read.append(row[0]) or Entry(*row))

    def cost_of_an_approval() -> int:
        candidate = world.seal()
        read.clear()
        view_candidate(world.home, world.ledger, candidate.id)
        world.approve(candidate, "ann")
        cost = len(read)
        reject(world.home, world.ledger, candidate.id, world.keys["bob"], "too small")  # open candidates are looked at: they may be overdue
        return cost

    before = cost_of_an_approval()
    for number in range(40):
        world.ledger.append(f"other-{number}", [started(f"other-{number}", world.ledger.now().isoformat())], 0, "rue")
    assert cost_of_an_approval() == before


def test_a_release_whose_events_were_changed_is_refused_when_it_is_asked_for(world) -> None:
    candidate = world.seal()
    world.seal()
    tamper(world.home.ledger, "UPDATE events SET payload = replace(payload, '\"required\":2', '\"required\":1') WHERE seq = 8")
    with pytest.raises(IntegrityBroken, match="Event 8 was changed"):
        History(world.ledger).find(candidate.id)
    tamper(world.home.ledger, "DELETE FROM events WHERE seq = 5")
    with pytest.raises(IntegrityBroken, match="does not follow"):
        History(world.ledger).of("release-1")


@pytest.mark.parametrize(
    "change",
    [
        {"release_id": "release-9"},
        {"dataset": "others"},
        {"policy_digest": "9" * 64},
        {"approvals_required": 1},
        {"roles_required": (SealedRole(role="law", number=1, people=("ann",)),)},
        {"blind": True},
        {"answers": ("9" * 64,)},
        {"signers": ()},
        {"signers_digest": "9" * 64},
        {"source_hmac": "9" * 64},
        {"created": "2024-01-01T00:00:00+00:00"},
        {"verdicts": ()},
    ],
    ids=lambda change: next(iter(change)),
)
def test_a_manifest_that_says_something_else_of_its_run_is_refused(world, change: dict[str, object]) -> None:
    candidate = world.seal()
    release = read_history(world.ledger).find(candidate.id)
    check_same(release, candidate.manifest)
    with pytest.raises(IntegrityBroken):
        check_same(release, candidate.manifest.model_copy(update=change))


def test_of_open_candidates_only_those_are_read_whole_whose_deadline_has_passed(world, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every command that writes asks for them."""
    for days in (30, 60, None):
        world.expires = None if days is None else timedelta(days=days)
        world.seal()
    read: Counter[str] = Counter()
    monkeypatch.setattr(store_sqlite, "Entry", lambda *row: read.update([row[1]]) or Entry(*row))
    world.clock.moment += timedelta(days=29)
    assert History(world.ledger).overdue() == ()
    asked = read.copy()
    read.clear()
    world.clock.moment += timedelta(days=2)
    assert [release.release_id for release in History(world.ledger).overdue()] == ["release-1"]
    more = {name: read[name] - asked[name] for name in asked}
    assert (more["release-1"], more["release-2"]) == (8, 0)
    assert more["release-3"] <= 1  # its last event is the ledger's, which says what time it was
    assert asked["release-1"] == asked["release-2"] == 1
