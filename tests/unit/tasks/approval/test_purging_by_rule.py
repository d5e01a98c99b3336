"""What a policy says is kept no longer is dropped, each version with an event; what a later one needs, and what no policy names, stays."""

from __future__ import annotations

import hashlib
import json
import os
from datetime import timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from headgate.core.errors import StoreUnavailable
from headgate.series.kept_version import KeptVersion
from policies.ledger.states import State
from tasks.approval import purging_by_rule
from tasks.approval.decisions import reject
from tasks.approval.purging_by_rule import kept_too_long, purge_by_rule, purge_now_and_then
from tasks.ledger.history import read_history
from tasks.publication.withdraw import withdraw
from tasks.series.side_store import is_kept, keep
from tasks.verification.audit import verify_audit

UNMEASURED = {"series": {"unmeasured": "the agreement says so"}}


def under(world: Any, **said: Any) -> None:
    """The next releases run under a policy that says so."""
    form = json.dumps({"attributes": {}, **said}).encode()
    digest = hashlib.sha256(form).hexdigest()
    world.home.policies.mkdir(exist_ok=True)
    (world.home.policies / f"{digest}.json").write_bytes(form)
    world.changes["policy_digest"] = digest


def version(world: Any) -> str:
    candidate = str(world.published().release.candidate)
    keep(world.home, "people", candidate, KeptVersion(np.array([b"a" * 16], dtype="S16"), ()))
    return candidate


def test_what_is_older_than_the_rule_is_dropped_with_an_event(world: Any) -> None:
    under(world, keep={"groups": "2 months"}, gates=UNMEASURED)
    first = version(world)
    assert kept_too_long(world.home, world.ledger) == ()
    world.clock.moment += timedelta(days=40)
    second = version(world)
    world.clock.moment += timedelta(days=40)
    assert [found.release.candidate for found in kept_too_long(world.home, world.ledger)] == [first]
    assert is_kept(world.home, "people", first)
    (purged,) = purge_by_rule(world.home, world.ledger)
    assert (purged.release.version, purged.rule) == (1, "2 months")
    assert [is_kept(world.home, "people", candidate) for candidate in (first, second)] == [False, True]
    event = read_history(world.ledger).events("release-1")[-1]
    assert (event.event, event.rule) == ("purged_by_rule", "2 months")
    assert read_history(world.ledger).find(first).purged
    assert verify_audit(world.home, world.ledger).lacking == ()
    assert purge_by_rule(world.home, world.ledger) == ()


def test_a_version_that_is_out_was_followed_or_was_withdrawn_is_purged_alike(world: Any) -> None:
    under(world, keep={"groups": "2 months"}, gates=UNMEASURED)
    superseded, withdrawn, published = version(world), version(world), version(world)
    withdraw(world.home, world.ledger, withdrawn, world.keys["ann"], "a wrong column")
    world.clock.moment += timedelta(days=80)
    purged = {found.release.candidate: found.release.state for found in purge_by_rule(world.home, world.ledger)}
    assert purged == {superseded: State.SUPERSEDED, withdrawn: State.WITHDRAWN, published: State.PUBLISHED}
    assert not any(is_kept(world.home, "people", candidate) for candidate in purged)


def test_so_many_newer_versions_stay(world: Any) -> None:
    under(world, keep={"groups": "1 version"}, gates=UNMEASURED)
    first, second = version(world), version(world)
    assert [found.release.candidate for found in purge_by_rule(world.home, world.ledger)] == [first]
    assert is_kept(world.home, "people", second)


def test_what_later_versions_are_measured_with_stays_whatever_an_older_policy_says(world: Any) -> None:
    under(world, keep={"groups": "1 version"}, gates=UNMEASURED)
    first = version(world)
    under(world, gates={"series": {"linkability": 0.8}})
    version(world)
    assert purge_by_rule(world.home, world.ledger) == ()
    assert is_kept(world.home, "people", first)


@pytest.mark.parametrize("last", ["sealed", "rejected"])
def test_a_run_of_a_policy_that_nobody_approved_lets_nothing_be_dropped(world: Any, last: str) -> None:
    """A steward who ran an older policy once more, whatever came of it, had the groups dropped that the version in force is measured
    with."""
    under(world, keep={"groups": "1 version"}, gates=UNMEASURED)
    first = version(world)
    under(world, gates={"series": {"linkability": 0.8}})
    version(world)
    under(world, keep={"groups": "1 version"}, gates=UNMEASURED)
    candidate = world.seal()
    if last == "rejected":
        reject(world.home, world.ledger, candidate.id, world.keys["ann"], "no")
    assert purge_by_rule(world.home, world.ledger) == ()
    assert is_kept(world.home, "people", first)


def test_what_a_candidate_that_waits_was_measured_with_stays(world: Any) -> None:
    under(world, keep={"groups": "1 version"}, gates=UNMEASURED)
    first = version(world)
    version(world)
    under(world, gates={"series": {"linkability": 0.8}})
    waiting = world.seal()
    under(world, keep={"groups": "1 version"}, gates=UNMEASURED)
    reject(world.home, world.ledger, world.seal().id, world.keys["ann"], "no")
    assert purge_by_rule(world.home, world.ledger) == ()
    reject(world.home, world.ledger, waiting.id, world.keys["ann"], "no")
    assert len(purge_by_rule(world.home, world.ledger)) == 1
    assert not is_kept(world.home, "people", first)


def test_without_a_rule_or_without_the_policy_itself_nothing_is_dropped(world: Any) -> None:
    first = version(world)  # under a policy that the home does not keep
    under(world, gates=UNMEASURED)
    second = version(world)
    version(world)
    world.clock.moment += timedelta(days=4000)
    assert purge_by_rule(world.home, world.ledger) == ()
    assert is_kept(world.home, "people", first)
    assert is_kept(world.home, "people", second)


def test_a_dataset_at_work_comes_another_time(world: Any) -> None:
    under(world, keep={"groups": "1 version"}, gates=UNMEASURED)
    first = version(world)
    version(world)
    with world.ledger.lock("people", "release-9"):
        assert purge_by_rule(world.home, world.ledger) == ()
    assert is_kept(world.home, "people", first)
    assert len(purge_by_rule(world.home, world.ledger)) == 1


def test_killed_between_the_event_and_the_file_the_next_one_finishes(world: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    under(world, keep={"groups": "1 version"}, gates=UNMEASURED)
    first = version(world)
    version(world)

    def full(*_: Any) -> bool:
        raise OSError(28, "full")

    monkeypatch.setattr(purging_by_rule, "drop", full)
    with pytest.raises(StoreUnavailable, match="The purge is recorded"):
        purge_by_rule(world.home, world.ledger)
    monkeypatch.undo()
    (found,) = purge_by_rule(world.home, world.ledger)
    assert (found.unfinished, is_kept(world.home, "people", first)) == (True, False)
    assert [event.event for event in read_history(world.ledger).events("release-1")].count("purged_by_rule") == 1


def test_who_looks_often_purges_now_and_then(world: Any) -> None:
    under(world, keep={"groups": "1 version"}, gates=UNMEASURED)
    assert purge_now_and_then(world.home, world.ledger) == ()
    version(world)
    version(world)
    assert purge_now_and_then(world.home, world.ledger) == ()  # it has looked a moment ago
    note = Path(world.home.state / "purging.json")
    os.utime(note, (0, 0))
    assert len(purge_now_and_then(world.home, world.ledger)) == 1
