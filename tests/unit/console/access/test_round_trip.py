from __future__ import annotations

from datetime import UTC, datetime, timedelta

from console.access import round_trip
from console.access.provider import Begun
from console.access.round_trip import RoundTrips, Trip

TRIP = Trip(Begun("state", "nonce", "verifier"), "token", "anna", "/account")


def test_whoever_comes_back_in_time_is_known_once() -> None:
    trips = RoundTrips()
    cookie = trips.cookie(TRIP)
    assert trips.back(cookie) == TRIP
    assert trips.back(cookie) is None


def test_a_cookie_of_another_process_or_with_another_word_is_none() -> None:
    trips = RoundTrips()
    cookie = trips.cookie(TRIP)
    for other in (RoundTrips().cookie(TRIP), cookie[1:], "", ".", "x." + cookie, cookie + "é"):
        assert trips.back(other) is None


def test_it_counts_for_ten_minutes() -> None:
    present = [datetime(2026, 1, 1, tzinfo=UTC)]
    trips = RoundTrips(clock=lambda: present[0])
    cookie = trips.cookie(TRIP)
    present[0] += timedelta(minutes=10)
    assert trips.back(cookie) is None
    present[0] -= timedelta(minutes=11)
    assert trips.back(cookie) is None
    present[0] += timedelta(minutes=2)
    assert trips.back(cookie) == TRIP


def test_what_is_remembered_does_not_grow(monkeypatch) -> None:
    monkeypatch.setattr(round_trip, "MOST", 5)
    trips = RoundTrips()
    for place in range(20):
        trips.back(trips.cookie(Trip(Begun(str(place), "n", "v"))))
    assert len(trips._back) == 5
