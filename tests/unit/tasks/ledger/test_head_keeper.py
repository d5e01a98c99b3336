from __future__ import annotations

import sys
from collections.abc import Iterator
from datetime import UTC, datetime

import pytest

from headgate.core.errors import StoreUnavailable
from tasks.approval.inspection import view_candidate
from tasks.ledger.head_keeper import DONE, NOT_DONE, HeadKeeper, keyless_ledger, look
from tasks.ledger.open_ledger import read_ledger
from tests.unit.tasks.ledger.conftest import tamper
from tests.unit.tasks.world import World

WATCHED: list[str] = []


@pytest.fixture
def keeper(world: World) -> Iterator[HeadKeeper]:
    world.clock.moment = datetime.now(UTC).replace(microsecond=0)
    keeper = HeadKeeper(world.home)
    yield keeper
    keeper.close()


@pytest.fixture
def opened() -> Iterator[list[str]]:
    """The names of all files that this process opens."""
    if not WATCHED:
        sys.addaudithook(lambda event, given: WATCHED.append(str(given[0])) if event == "open" else None)
    WATCHED[:] = ["begun"]
    return WATCHED


@pytest.mark.slow
def test_what_is_appended_without_a_private_key_is_remembered_all_the_same(world: World, keeper: HeadKeeper, opened: list[str]) -> None:
    candidate = world.seal()
    opened.clear()
    view_candidate(world.home, keyless_ledger(world.home, keeper), candidate.id)
    view_candidate(world.home, keyless_ledger(world.home, keeper), candidate.id)
    assert [name for name in opened if name.startswith(str(world.home.keys)) and not name.endswith(".pub")] == []
    memory = read_ledger(world.home).memory
    assert memory.read().seq == world.ledger.last().seq


def test_a_head_that_does_not_follow_is_not_signed(world: World) -> None:
    world.seal()
    assert look(world.home) == DONE
    tamper(world.home.ledger, "DELETE FROM events WHERE seq = 8")
    assert look(world.home) == NOT_DONE


@pytest.mark.slow
def test_one_that_has_ended_is_started_again(world: World, keeper: HeadKeeper) -> None:
    world.seal()
    keeper.remember()
    keeper._process.kill()
    keeper._process.wait()
    keeper.remember()
    tamper(world.home.ledger, "DELETE FROM events WHERE seq = 8")
    with pytest.raises(StoreUnavailable, match="could not be remembered"):
        keeper.remember()
