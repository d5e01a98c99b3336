from __future__ import annotations

from datetime import UTC, datetime, timedelta

from console.access.challenges import Challenges


def test_a_challenge_counts_once_for_its_person_and_for_a_while() -> None:
    now = datetime(2026, 3, 1, tzinfo=UTC)
    challenges = Challenges(clock=lambda: now)
    first, second = challenges.ask("ann"), challenges.ask("ann")
    assert len({first, second, challenges.ask("bob")}) == 3
    assert challenges.answered("ann") == second
    assert challenges.answered("ann") is None
    assert challenges.answered("eve") is None
    challenges.ask("ann")
    now += timedelta(minutes=10)
    assert challenges.answered("ann") is None
