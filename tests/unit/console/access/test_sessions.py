from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from console.access.account_store import AccountStore
from console.access.accounts import Accounts
from console.access.passwords import PasswordCost, Passwords
from console.access.sessions import Sessions

BEGAN = datetime(2026, 1, 1, 9, tzinfo=UTC)


class Clock:
    moment = BEGAN

    def __call__(self) -> datetime:
        return self.moment


@pytest.fixture
def sessions(tmp_path: Path) -> Sessions:
    store = AccountStore.open(tmp_path, Clock())
    accounts = Accounts(store, Passwords(PasswordCost(1, 64, 1)), timedelta(days=2))
    for name in ("anna", "bert"):
        accounts.join(accounts.invite(name, "test"), name, "a long password")
    return Sessions(store, timedelta(minutes=30), timedelta(hours=10))


def later(sessions: Sessions, **passed: float) -> None:
    assert isinstance(sessions.store.clock, Clock)
    sessions.store.clock.moment = sessions.store.clock.moment + timedelta(**passed)


def test_a_token_says_whose_session_it_is_and_another_says_nothing(sessions: Sessions) -> None:
    anna, bert = sessions.begin("anna"), sessions.begin("bert")
    assert (sessions.principal(anna), sessions.principal(bert), sessions.principal("x")) == ("anna", "bert", None)
    assert anna.encode() not in sessions.store.path.read_bytes()


def test_a_session_ends_half_an_hour_after_it_was_last_used(sessions: Sessions) -> None:
    token = sessions.begin("anna")
    for _ in range(3):
        later(sessions, minutes=29)
        assert sessions.principal(token) == "anna"
    later(sessions, minutes=30)
    assert sessions.principal(token) is None
    assert sessions.open("anna") == 0


def test_a_session_ends_after_ten_hours_however_often_it_is_used(sessions: Sessions) -> None:
    token = sessions.begin("anna")
    for _ in range(29):
        later(sessions, minutes=20)
        assert sessions.principal(token) == "anna"
    later(sessions, minutes=20)
    assert sessions.principal(token) is None


def test_all_sessions_of_one_person_end_at_once(sessions: Sessions) -> None:
    first, second, other = sessions.begin("anna"), sessions.begin("anna"), sessions.begin("bert")
    assert sessions.open("anna") == 2
    sessions.end(first)
    assert (sessions.principal(first), sessions.principal(second)) == (None, "anna")
    sessions.end_all("anna")
    assert (sessions.principal(second), sessions.principal(other)) == (None, "bert")


def test_old_sessions_do_not_pile_up(sessions: Sessions) -> None:
    for _ in range(5):
        sessions.begin("anna")
    later(sessions, days=1)
    sessions.begin("bert")
    assert sessions.open("anna") == 0


def test_a_password_that_was_changed_while_it_was_checked_lets_nobody_in(sessions: Sessions) -> None:
    accounts = Accounts(sessions.store, Passwords(PasswordCost(1, 64, 1)), timedelta(days=2))
    kept = accounts.check("anna", "a long password")
    assert sessions.principal(sessions.begin("anna", kept)) == "anna"
    accounts.set_password("anna", "another long password")
    sessions.end_all("anna")
    assert sessions.begin("anna", kept) == ""
    accounts.close("bert")
    assert sessions.begin("bert") == ""
    assert (sessions.open("anna"), sessions.open("bert")) == (0, 0)
