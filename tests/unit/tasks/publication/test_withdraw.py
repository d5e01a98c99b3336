from __future__ import annotations

import json

from tasks.publication.withdraw import withdraw
from tasks.stores.store_folder import FolderSeries
from tasks.verification.verify import verify_folder
from tests.unit.tasks.publication.test_publish_version import versions


def test_withdrawing_the_latest_marks_it_and_moves_latest_back(world) -> None:
    first, second = world.published(), world.published()
    done = withdraw(world.home, world.ledger, "release-2", world.keys["cyd"], "a wrong column")
    assert (done.latest, done.already) == (1, False)
    assert FolderSeries(world.home.releases, "people").latest() == 1
    mark = json.loads((world.home.releases / "people" / "2.withdrawn.dsse.json").read_text())
    assert mark["signatures"][0]["keyid"] == world.keys["cyd"].fingerprint
    assert verify_folder(second.folder).withdrawn
    assert not verify_folder(first.folder).withdrawn
    again = withdraw(world.home, world.ledger, "release-2", world.keys["cyd"], "a wrong column")
    assert (again.latest, again.already) == (1, True)
    assert world.published().version == 3


def test_withdrawing_an_older_version_leaves_latest_and_the_only_one_leaves_none(world) -> None:
    world.published()
    world.published()
    assert withdraw(world.home, world.ledger, "release-1", world.keys["ann"], "old").latest == 2
    assert withdraw(world.home, world.ledger, "release-2", world.keys["ann"], "too").latest is None
    assert versions(world) == ["1", "1.withdrawn.dsse.json", "2", "2.withdrawn.dsse.json"]
