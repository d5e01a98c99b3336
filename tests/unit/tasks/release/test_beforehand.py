"""What stops a release before a server is started for it."""

from __future__ import annotations

import shutil
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from headgate.core.errors import HeadgateError, InputRejected
from tasks.ledger.open_ledger import open_ledger
from tasks.reading.references import load_policy
from tasks.release.beforehand import require_possible
from tests.unit.tasks.world import World


@pytest.fixture
def policy(clinic: Any) -> Path:
    return Path(clinic.load().path)


@pytest.fixture
def steward(world: World, key_folder: Path, tmp_path: Path) -> Path:
    return Path(shutil.copy2(key_folder / "runner", tmp_path / "steward"))


def refused(world: World, policy: Path, source: Path | None, key: Path | None) -> HeadgateError:
    with pytest.raises(HeadgateError) as caught:
        require_possible(world.home, load_policy(policy), source, key)
    assert caught.value.cure
    assert list(world.home.staging.iterdir()) == []
    return caught.value


def test_what_can_be_run_is_let_through_and_nothing_is_recorded(world: World, policy: Path, steward: Path) -> None:
    before = len(world.ledger.entries())
    require_possible(world.home, load_policy(policy), None, steward)
    assert len(open_ledger(world.home).entries()) == before


def test_who_runs_it_and_who_may_approve_is_known_at_once(world: World, policy: Path, steward: Path, key_folder: Path) -> None:
    assert "No key was given" in refused(world, policy, None, None).message
    stranger = Path(shutil.copy2(key_folder / "stranger", steward.with_name("stranger")))
    assert "nobody on the list of signers has the key" in refused(world, policy, None, stranger).message
    world.write_signers(world.line("runner"))
    assert "required" in refused(world, policy, None, steward).message
    world.write_signers(world.line("runner"), world.line("bob", options='valid-before="20200101Z"'))
    assert "required" in refused(world, policy, None, steward).message
    world.write_signers()
    assert refused(world, policy, None, steward).code == 4


def test_a_source_that_is_not_there_is_known_at_once(world: World, policy: Path, steward: Path, tmp_path: Path) -> None:
    """A server was started first, for 12 to 28 seconds."""
    assert f"The source {tmp_path / 'absent.csv'} does not exist." in refused(world, policy, tmp_path / "absent.csv", steward).message
    loaded = load_policy(policy)
    (policy.parent / loaded.policy.source.path).unlink()  # type: ignore[attr-defined]
    problem = refused(world, policy, None, steward)
    assert isinstance(problem, InputRejected)
    assert "does not exist" in problem.message


def test_a_target_of_another_dataset_is_known_at_once(world: World, policy: Path, steward: Path) -> None:
    world.clock.moment = datetime.now(UTC).replace(microsecond=0)
    target = load_policy(policy).policy.publish.to
    world.published(publish_to=target)
    problem = refused(world, policy, None, steward)
    assert (problem.code, problem.message) == (4, f"{target} is where dataset people is published.")
