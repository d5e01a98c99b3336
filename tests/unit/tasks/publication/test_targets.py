from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from headgate.core.errors import TransitionRefused
from tasks.publication.targets import open_targets
from tasks.publication.withdraw import withdraw
from tasks.stores.open_release_store import open_release_store
from tasks.verification.audit import verify_audit


def name_targets(world: Any, **targets: object) -> None:
    lines = "".join(f"  {name}: {address}\n" for name, address in targets.items())
    (world.home.root / "operator.yaml").write_text(f"targets:\n{lines}")


def test_without_the_operators_word_a_series_lies_in_the_home(world: Any) -> None:
    assert open_targets(world.home) == open_release_store(world.home)


def test_a_series_is_published_audited_and_withdrawn_where_the_operator_says(world: Any, tmp_path: Path) -> None:
    name_targets(world, people=tmp_path / "open", others=tmp_path / "elsewhere")
    first, second = world.published(), world.published()
    assert [made.folder for made in (first, second)] == [tmp_path / "open" / "people" / number for number in ("1", "2")]
    assert verify_audit(world.home, world.ledger).versions == 2
    assert withdraw(world.home, world.ledger, "release-2", world.keys["ann"], "a mistake").latest == 1
    assert (second.folder / "withdrawn.json").exists()
    assert verify_audit(world.home, world.ledger).unfinished == ()
    assert not world.home.releases.exists()


def test_a_target_that_the_operator_does_not_name_is_refused_before_anything_is_touched(world: Any, tmp_path: Path) -> None:
    name_targets(world, hospital=tmp_path / "open")
    candidate = world.seal()
    world.approve(candidate, "ann", "bob")
    with pytest.raises(TransitionRefused, match="people is not a target of operator.yaml") as refused:
        world.publish(candidate)
    assert "hospital" in refused.value.cure
    assert not (tmp_path / "open").exists()
    assert not world.home.releases.exists()
    name_targets(world, people=tmp_path / "open")
    assert world.publish(candidate).version == 1


def test_versions_that_no_ledger_knows_are_seen_at_named_targets_only(world: Any, tmp_path: Path) -> None:
    for name in ("people", "others"):
        version = tmp_path / "open" / name / "1"
        version.mkdir(parents=True)
        (version / "head.json").write_text("{}")
    name_targets(world, people=tmp_path / "open")
    assert open_targets(world.home).targets() == {"people"}


@pytest.mark.slow
def test_a_target_may_be_a_bucket(world: Any, s3_address: str) -> None:
    name_targets(world, people=s3_address)
    made = world.published()
    assert made.address == f"{s3_address}/people/1"
    assert verify_audit(world.home, world.ledger).versions == 1
