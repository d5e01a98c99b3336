"""A target whose newest version is of another dataset, or of another past of the ledger, is not published to."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from headgate.core.errors import IntegrityBroken, TransitionRefused
from policies.ledger.states import State
from tasks.ledger.history import read_history


def approved(world: Any, **changes: object) -> Any:
    candidate = world.seal(**changes)
    world.approve(candidate, "ann", "bob")
    return candidate


def put_there(world: Any, target: str, folder: Path) -> Path:
    """What another home has published, found at this home's target."""
    there = Path(world.home.releases / target)
    shutil.copytree(folder, there / "1")
    return there


def require_untouched(world: Any, there: Path, candidate: Any) -> None:
    assert sorted(path.name for path in there.iterdir()) == ["1"]
    assert read_history(world.ledger).find(candidate.id).state is State.APPROVED


def test_a_target_whose_newest_version_is_of_another_dataset_is_taken(world: Any) -> None:
    there = put_there(world, "flights", world.published().folder)
    candidate = approved(world, dataset="flights", publish_to="flights")
    with pytest.raises(TransitionRefused, match="is of another dataset than flights") as refused:
        world.publish(candidate)
    assert "publish.to" in refused.value.cure
    require_untouched(world, there, candidate)


def test_where_a_ledger_was_put_back_with_all_that_the_home_remembers_the_published_head_stops_the_next(world: Any, tmp_path: Path) -> None:
    candidate = approved(world)
    shutil.copytree(world.home.root, tmp_path / "older")
    world.publish(candidate)
    shutil.move(world.home.releases, tmp_path / "releases")
    shutil.rmtree(world.home.root)
    shutil.copytree(tmp_path / "older", world.home.root)
    shutil.move(tmp_path / "releases", world.home.releases)
    with pytest.raises(IntegrityBroken, match="an older ledger was put back"):
        world.publish(candidate)
    assert {path.name for path in (world.home.releases / "people").iterdir()} == {"1", "latest"}
    assert read_history(world.ledger).find(candidate.id).state is State.APPROVED


@pytest.mark.parametrize("lacking", ["attestation.dsse.json", "head.dsse.json"])
def test_a_version_that_does_not_say_whose_it_is_stops_the_next(world: Any, lacking: str) -> None:
    there = put_there(world, "flights", world.published().folder)
    (there / "1" / lacking).unlink()
    candidate = approved(world, publish_to="flights")
    with pytest.raises(IntegrityBroken, match=f"lacks {lacking}"):
        world.publish(candidate)
    require_untouched(world, there, candidate)


def test_an_own_series_goes_on(world: Any) -> None:
    assert [world.published().version, world.published().version] == [1, 2]


@pytest.mark.parametrize("number", [7, 999_999_999])
def test_a_version_that_was_copied_to_a_number_of_its_own_stops_the_next(world: Any, number: int) -> None:
    """As version 999999999 it would have made the next one 1000000000, which no reader takes for a version."""
    there = world.published().folder.parent
    shutil.copytree(there / "1", there / str(number))
    candidate = approved(world)
    with pytest.raises(IntegrityBroken, match=f"{number} has a number that this ledger gave to no version"):
        world.publish(candidate)
    assert sorted(path.name for path in there.iterdir()) == sorted(["1", str(number), "latest"])
    assert read_history(world.ledger).find(candidate.id).state is State.APPROVED


def test_where_something_else_is_called_latest_nothing_is_published(world: Any) -> None:
    """It was found only when the version was out already, and readers still got the one before."""
    there = Path(world.home.releases / "people")
    (there / "latest").mkdir(parents=True)
    candidate = approved(world)
    with pytest.raises(IntegrityBroken, match="`latest` at .* is not as headgate left it"):
        world.publish(candidate)
    assert [path.name for path in there.iterdir()] == ["latest"]
    (there / "latest").rmdir()
    assert world.publish(candidate).version == 1
