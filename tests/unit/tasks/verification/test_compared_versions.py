"""Two candidates or versions are read so that they can be compared; looking at what is not published is an event."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from headgate.core.errors import InputRejected, IntegrityBroken
from headgate.series.kept_version import KeptVersion
from policies.changes.release_changes import release_changes
from policies.ledger.events import RunStarted
from tasks.approval.purging import purge
from tasks.ledger.open_ledger import LookedAt
from tasks.series.side_store import keep
from tasks.verification.compared_versions import people_between, policy_of_run, side_in_home, side_of_folder


def views(world: Any, release: str) -> int:
    return sum(event.event == "viewed" for event in world.ledger.events_of(release))


def test_a_candidate_is_found_by_its_id_and_that_somebody_looked_is_an_event(world: Any) -> None:
    first, second = world.seal(), world.seal(suppressed=3)
    there = LookedAt(world.home, world.ledger)
    changes = release_changes(side_in_home(there, first.id[:12]), side_in_home(there, second.id))
    assert [(change.figure, change.before, change.after) for change in changes.figures] == [("suppressed", 0, 3)]
    assert (changes.before.candidate, changes.after.candidate, changes.policy) == (first.id, second.id, None)
    assert all(change.total_variation == 0 for change in changes.columns)
    assert views(world, first.manifest.release_id) == views(world, second.manifest.release_id) == 1


def test_what_is_published_is_compared_without_a_trace(world: Any) -> None:
    candidate = world.seal()
    world.approve(candidate, "ann", "bob")
    folder = world.publish(candidate).folder
    before = world.ledger.events_of("release-1")
    side = side_in_home(LookedAt(world.home, world.ledger), candidate.id)
    assert side.candidate == candidate.id
    assert world.ledger.events_of("release-1") == before
    assert side_of_folder(folder).manifest == side.manifest


def test_people_are_counted_where_the_home_keeps_both_and_what_was_purged_is_gone(world: Any) -> None:
    first, second = world.published().release.candidate, world.seal().id
    there = LookedAt(world.home, world.ledger)
    keep(world.home, "people", first, KeptVersion(np.array([b"a" * 16, b"b" * 16], dtype="S16"), ()))
    assert people_between(there, first, second) is None
    keep(world.home, "people", second, KeptVersion(np.array([b"b" * 16, b"c" * 16, b"d" * 16], dtype="S16"), ()))
    change = people_between(there, first, second)
    assert change is not None
    assert (change.both, change.came, change.left) == (1, 2, 1)
    purge(world.home, world.ledger, first, world.keys["cyd"], "the agreement ends")
    keep(world.home, "people", first, KeptVersion(np.array([b"a" * 16], dtype="S16"), ()))
    assert people_between(there, first, second) is None


def test_a_copy_without_the_homes_keys_counts_nobody_and_makes_no_key(world: Any) -> None:
    first, second = world.published().release.candidate, world.seal().id
    for candidate in (first, second):
        keep(world.home, "people", candidate, KeptVersion(np.array([b"a" * 16], dtype="S16"), ()))
    for name in ("ledger", "ledger.secret"):
        (world.home.keys / name).unlink()
    assert people_between(LookedAt(world.home, world.ledger, "it is a copy"), first, second) is None
    assert not (world.home.keys / "ledger.secret").exists()


def test_a_changed_folder_and_one_that_is_none_are_refused(world: Any, tmp_path: Path) -> None:
    folder = world.published().folder
    with pytest.raises(InputRejected, match="not a published version"):
        side_of_folder(tmp_path)
    table = next((folder / "tables").glob("*.csv"))
    table.chmod(0o600)
    table.write_bytes(table.read_bytes().replace(b"[", b"(", 1))
    with pytest.raises(IntegrityBroken):
        side_of_folder(folder)


def test_the_policy_of_a_run_is_the_digested_form_that_the_home_keeps(world: Any) -> None:
    content, digested = b"dataset: people\n", json.dumps({"dataset": "people"}).encode()
    own, digest = (hashlib.sha256(each).hexdigest() for each in (content, digested))
    world.home.policies.mkdir(exist_ok=True)
    (world.home.policies / f"{own}.yaml").write_bytes(content)
    (world.home.policies / f"{digest}.json").write_bytes(digested)
    world.policy_sha256 = own
    candidate = world.seal(policy_digest=digest)
    started = next(event for event in world.ledger.events_of(candidate.manifest.release_id) if isinstance(event, RunStarted))
    assert policy_of_run(world.home, started) == {"dataset": "people"}
    (world.home.policies / f"{digest}.json").unlink()
    with pytest.raises(IntegrityBroken, match="is missing"):
        policy_of_run(world.home, started)
