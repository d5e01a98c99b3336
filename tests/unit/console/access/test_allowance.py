from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from console.access import allowance
from console.access.allowance import PER_HOUR, Allowance, TooOften

NOW = datetime(2026, 1, 1, tzinfo=UTC)


def test_each_person_has_so_much_of_each_within_an_hour() -> None:
    present = NOW
    allowed = Allowance({"comment": 2, "head": 1}, clock=lambda: present)
    for _ in range(2):
        allowed.take("anna", "comment")
    with pytest.raises(TooOften) as refused:
        allowed.take("anna", "comment")
    assert (refused.value.most, refused.value.until) == (2, NOW + timedelta(hours=1))
    allowed.take("anna", "head")
    allowed.take("bert", "comment")
    present = NOW + timedelta(hours=1)
    allowed.take("anna", "comment")


def test_what_is_remembered_does_not_grow(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(allowance, "MOST_KEYS", 5)
    allowed = Allowance()
    for number in range(20):
        allowed.take(str(number), "head")
    assert len(allowed._taken) == 5
    assert all(most > 0 for most in PER_HOUR.values())
