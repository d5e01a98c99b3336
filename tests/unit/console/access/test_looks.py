from __future__ import annotations

from datetime import UTC, datetime, timedelta

from console.access import looks
from console.access.looks import Looks

NOW = datetime(2026, 1, 1, tzinfo=UTC)


def test_looking_again_within_an_hour_is_not_new() -> None:
    seen = Looks()
    assert seen.is_new("anna", "candidate", NOW)
    seen.note("anna", "candidate", NOW)
    assert not seen.is_new("anna", "candidate", NOW + timedelta(minutes=59))
    assert seen.is_new("anna", "candidate", NOW + timedelta(hours=1))
    assert seen.is_new("bert", "candidate", NOW)
    assert seen.is_new("anna", "another", NOW)
    assert seen.is_new("anna", "candidate", NOW - timedelta(seconds=1)), "the clock was set back"


def test_what_is_remembered_does_not_grow(monkeypatch) -> None:
    monkeypatch.setattr(looks, "MOST", 10)
    seen = Looks()
    for place in range(100):
        seen.note("anna", str(place), NOW)
    assert len(seen._last) == 10
    assert seen.is_new("anna", "0", NOW)
    assert not seen.is_new("anna", "99", NOW)
