from __future__ import annotations

from datetime import UTC, datetime, timedelta

from console.access import sign_in_attempts as attempts
from console.access.sign_in_attempts import Attempts


def test_one_account_may_be_tried_eight_times_in_a_quarter_of_an_hour_from_wherever() -> None:
    present = [datetime(2026, 1, 1, tzinfo=UTC)]
    tried = Attempts(clock=lambda: present[0])
    assert [tried.allowed("Anna", f"10.0.0.{place}") for place in range(9)] == [True] * 8 + [False]
    assert not tried.allowed("anna", "10.0.0.99")
    assert tried.allowed("bert", "10.0.0.1")
    present[0] += timedelta(minutes=15)
    assert tried.allowed("anna", "10.0.0.99")


def test_one_address_may_try_thirty_times_whatever_the_names_and_then_locks_nobody_out() -> None:
    tried = Attempts()
    assert [tried.allowed(f"name-{place}", "10.0.0.1") for place in range(31)] == [True] * 30 + [False]
    for _ in range(20):
        assert not tried.allowed("anna", "10.0.0.1")
    assert tried.allowed("anna", "10.0.0.2")


def test_the_right_password_makes_former_attempts_forgotten() -> None:
    tried = Attempts()
    for _ in range(8):
        tried.allowed("anna", "10.0.0.1")
    tried.forget("anna")
    assert tried.allowed("anna", "10.0.0.1")


def test_what_is_remembered_does_not_grow(monkeypatch) -> None:
    monkeypatch.setattr(attempts, "MOST_KEYS", 10)
    tried = Attempts()
    for place in range(100):
        tried.allowed(f"name-{place}", f"10.0.0.{place}")
    assert len(tried._failed) <= 11


def test_a_network_of_ipv6_is_one_address() -> None:
    tried = Attempts(per_account=1000, per_address=3)
    inside = [f"2001:db8:0:1::{place:x}" for place in range(1, 6)]
    assert [tried.allowed(f"name {place}", address) for place, address in enumerate(inside)] == [True] * 3 + [False] * 2
    assert tried.allowed("another", "2001:db8:0:2::1")
    mapped = ("10.0.0.1", "::ffff:10.0.0.1", "::ffff:a00:1", "10.0.0.1")
    assert [tried.allowed(f"mapped {place}", address) for place, address in enumerate(mapped)] == [True] * 3 + [False]
    assert tried.allowed("by name", "testclient")
