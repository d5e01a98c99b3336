"""The ledger as `doctor` sees it."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from headgate.core.errors import IntegrityBroken
from tasks.checks import ledger_state
from tasks.checks.finding import BROKEN, Situation, Status
from tasks.checks.ledger_state import check_chain, check_cosigned, check_ledger, check_series
from tasks.verification.cosigned_heads import cosign
from tasks.verification.kept_heads import keep_head
from tests.unit.tasks.ledger.conftest import tamper


def test_a_ledger_that_fell_back_is_told(situation: Situation, world: Any) -> None:
    older = world.home.ledger.read_bytes()
    world.seal()
    (fine,) = check_ledger(situation)
    assert fine.status is Status.OK
    world.home.ledger.write_bytes(older)
    with pytest.raises(IntegrityBroken, match="an older ledger was put back"):
        list(check_ledger(situation))


def test_an_event_that_was_changed_is_found_and_a_long_ledger_is_checked_as_far_as_time_reaches(
    situation: Situation, world: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    world.seal()
    (whole,) = check_chain(situation)
    assert whole.message == "8 events checked: the chain is whole."
    monkeypatch.setattr(ledger_state, "CHAIN_SECONDS", -1.0)
    (partly,) = check_chain(situation)
    assert partly.message.startswith("Checked up to event 0 of 8")
    monkeypatch.undo()
    tamper(world.home.ledger, "UPDATE events SET payload = '{}' WHERE seq = 3")
    with pytest.raises(IntegrityBroken, match="Event 3 was changed"):
        list(check_chain(situation))


def test_a_cosigned_head_grows_old_and_one_off_the_chain_is_a_failure(situation: Situation, world: Any, tmp_path: Any) -> None:
    world.seal()
    older = world.home.ledger.read_bytes()
    world.seal()
    keep_head(world.home, world.ledger, cosign(world.ledger, world.keys["cyd"], tmp_path / "head.json").envelope)
    (fresh,) = check_cosigned(situation)
    assert fresh.status is Status.OK
    world.clock.moment += timedelta(days=120)
    (old,) = check_cosigned(situation)
    assert (old.status, "days ago" in old.message) == (Status.WARNING, True)
    world.home.ledger.write_bytes(older)
    (gone,) = check_cosigned(situation)
    assert (gone.status, gone.code) == (Status.FAILURE, BROKEN)


def test_a_version_that_no_later_one_can_be_measured_with_is_a_warning(situation: Situation, world: Any) -> None:
    """The command ended with 0, though the next release would be refused."""
    assert [found.status for found in check_series(situation)] == [Status.OK]
    promise = world.made.manifest.promise.model_copy(update={"people_checked": True})
    world.published(promise=promise, known_versions=())
    (found,) = check_series(situation)
    assert (found.status, "version 1 of people" in found.message, bool(found.cure)) == (Status.WARNING, True, True)
