from __future__ import annotations

from pathlib import Path

import pytest

import tasks.stores
from headgate.core.errors import StoreUnavailable
from tasks.runtime.home import Home
from tasks.stores.open_release_store import FORMS, open_release_store, release_store
from tasks.stores.store_folder import FolderStore


def test_without_an_address_series_are_published_in_the_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("HEADGATE_STORE", raising=False)
    home = Home.open(tmp_path / "home")
    assert open_release_store(home) == FolderStore(home.root / "releases")


def test_a_folder_is_named_relative_to_where_one_stands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HEADGATE_STORE", "out")
    assert open_release_store(Home.open(tmp_path / "home")) == FolderStore(tmp_path / "out")


@pytest.mark.parametrize("address", ["gs://SECRET@bucket", "mysql://ann:SECRET@host/db", "folder_://x", "../folder://x", "://"])
def test_a_place_that_cannot_be_published_to_is_refused_with_a_cure(address: str) -> None:
    with pytest.raises(StoreUnavailable, match="is not supported") as refusal:
        release_store(address)
    assert refusal.value.code == 6
    assert refusal.value.cure == FORMS
    assert "SECRET" not in refusal.value.message


def test_a_new_target_is_one_new_file(world, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The store in memory, as if its file lay in the room, is published to, audited and withdrawn from by the scheme of its address."""
    from tasks.publication.publish_version import publish
    from tasks.publication.withdraw import withdraw
    from tasks.verification.audit import verify_audit

    (tmp_path / "store_toytarget.py").write_text(
        "from tests.unit.tasks.stores.memory_release_store import MemoryReleaseStore\n\n"
        "STORE = MemoryReleaseStore()\n\ndef open_store(address):\n    return STORE\n"
    )
    monkeypatch.setattr(tasks.stores, "__path__", [*tasks.stores.__path__, str(tmp_path)])
    monkeypatch.setenv("HEADGATE_STORE", "toytarget://anywhere")
    series = open_release_store(world.home).series("people")
    for number in (1, 2):
        candidate = world.seal()
        world.approve(candidate, "ann", "bob")
        made = publish(world.home, world.ledger, candidate.id)
        assert (made.version, made.address) == (number, f"memory://people/{number}")
        assert publish(world.home, world.ledger, candidate.id).already
    assert series.latest() == 2
    assert verify_audit(world.home, world.ledger).versions == 2
    assert withdraw(world.home, world.ledger, "release-2", world.keys["ann"], "a wrong column").latest == 1
    assert verify_audit(world.home, world.ledger).faults == ()
    assert not world.home.releases.exists()
    series.kept[1]["report.html"] = b"changed"
    from headgate.core.errors import IntegrityBroken

    with pytest.raises(IntegrityBroken, match="Version 1 of people"):
        verify_audit(world.home, world.ledger)
