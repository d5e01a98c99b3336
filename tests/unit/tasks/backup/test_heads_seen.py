"""Which heads are found where, and what is told of the events that a backup lacks."""

from __future__ import annotations

import errno
import os
import shutil
from pathlib import Path
from typing import Any

import pytest

from headgate.core.errors import InputRejected, IntegrityBroken, StoreUnavailable
from tasks.backup.heads_seen import SeenHead, heads_below, heads_of_home, lost_events, refuse_rollback, require_one_chain
from tasks.signing.home_keys import home_fingerprint


def test_heads_are_found_in_a_version_a_series_a_store_and_a_home(world: Any) -> None:
    published, key = world.published(), home_fingerprint(world.home.keys)
    for place in (published.folder, published.folder.parent, world.home.releases, published.folder / "head.dsse.json"):
        (head,) = heads_below(place, key)
        assert world.ledger.entries()[head.seq - 1].hash == head.hash
    assert [head.seq for head in heads_of_home(world.home.root, key)] == [world.ledger.last().seq]
    assert len(list(heads_below(world.home.root, key))) == 2


def test_another_ledgers_heads_are_refused_where_they_were_named_and_passed_over_elsewhere(world: Any) -> None:
    published = world.published()
    with pytest.raises(InputRejected, match="another ledger's key"):
        list(heads_below(published.folder, "SHA256:other"))
    assert list(heads_below(published.folder, "SHA256:other", strict=False)) == []
    (published.folder / "head.dsse.json").chmod(0o600)
    (published.folder / "head.dsse.json").write_text("{}")
    with pytest.raises(IntegrityBroken):
        list(heads_below(published.folder, home_fingerprint(world.home.keys)))
    assert list(heads_of_home(published.folder, "SHA256:other")) == []


def test_lost_events_are_told_from_the_folder_they_were_published_with(world: Any) -> None:
    published = world.published()
    (head,) = heads_below(published.folder, home_fingerprint(world.home.keys))
    told = lost_events([head], head.seq - 2)
    assert [line.split(":")[0] for line in told] == [f"event {head.seq - 1}", f"event {head.seq}"]
    refused = refuse_rollback((head,), head.seq - 2)
    assert f"At least 2 events would be lost, number {head.seq - 1} to {head.seq}. Known of them: event" in refused.message


def test_a_head_that_the_backup_contradicts_is_a_fork() -> None:
    assert require_one_chain([SeenHead(2, "a", "X")], 2, {2: "a"}) == ()
    assert [head.seq for head in require_one_chain([SeenHead(3, "a", "X"), SeenHead(5, "b", "Y")], 2, {})] == [5, 3]
    with pytest.raises(IntegrityBroken, match="two different ledgers"):
        require_one_chain([SeenHead(2, "b", "X")], 2, {2: "a"})


def test_a_named_place_that_holds_no_head_is_refused_and_elsewhere_says_nothing(tmp_path: Path) -> None:
    """Somebody who names it relies on it: a mistyped folder would let any backup pass."""
    assert list(heads_below(tmp_path, "SHA256:x", strict=False)) == []
    with pytest.raises(InputRejected, match="holds nothing that a ledger published"):
        list(heads_below(tmp_path, "SHA256:x"))


@pytest.mark.parametrize("name", ["state", "candidates", "keys"])
def test_a_series_is_looked_at_whatever_it_is_called(world: Any, tmp_path: Path, name: str) -> None:
    """A home has folders of these names; in a store they were passed over, so that any backup passed behind what was published there."""
    world.published()
    shutil.copytree(world.home.releases / "people", tmp_path / "store" / name, symlinks=True)
    assert len(list(heads_below(tmp_path / "store", home_fingerprint(world.home.keys)))) == 1


def test_a_folder_that_cannot_be_listed_is_no_folder_without_heads(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "closed").mkdir()
    scandir = os.scandir

    def refusing(place: Any) -> Any:
        if str(place).endswith("closed"):
            raise PermissionError(errno.EACCES, "no", str(place))
        return scandir(place)

    monkeypatch.setattr(os, "scandir", refusing)
    for strict in (True, False):
        with pytest.raises(StoreUnavailable, match="nobody knows what was published there"):
            list(heads_below(tmp_path, "SHA256:x", strict))


def test_a_memory_that_is_damaged_or_cannot_be_read_is_no_home_without_one(world: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    world.seal()
    memory, key = world.home.state / "head.dsse.json", home_fingerprint(world.home.keys)
    memory.write_text("{}")
    with pytest.raises(IntegrityBroken):
        list(heads_of_home(world.home.root, key))
    memory.unlink()
    memory.mkdir()
    with pytest.raises(StoreUnavailable, match="cannot be read"):
        list(heads_of_home(world.home.root, key))
