from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from console.access.account_store import AccountStore
from console.access.accounts import Accounts
from console.access.passwords import PasswordCost, Passwords
from console.access.sessions import Sessions

PASSWORD = "a long password"


@pytest.fixture
def accounts(tmp_path: Path) -> Accounts:
    return Accounts(AccountStore.open(tmp_path), Passwords(PasswordCost(1, 64, 1)), timedelta(days=2))


def test_a_link_counts_once(accounts: Accounts) -> None:
    assert not accounts.any()
    token = accounts.invite("anna", "operator")
    invitation = accounts.invitation(token)
    assert invitation is not None
    assert (invitation.principal, invitation.invited_by) == ("anna", "operator")
    assert accounts.join(token, "anna", PASSWORD)
    assert accounts.any()
    assert accounts.invitation(token) is None
    assert not accounts.join(token, "anna", "another password")
    assert accounts.check("anna", PASSWORD)
    assert not accounts.check("anna", "another password")


def test_a_link_is_for_the_person_whom_it_names(accounts: Accounts) -> None:
    token = accounts.invite("anna", "operator")
    assert not accounts.join(token, "bert", PASSWORD)
    assert accounts.invitation(token) is not None
    first = accounts.invite("", "the first start")
    assert accounts.join(first, "operator", PASSWORD)
    assert accounts.names() == ("operator",)


def test_a_later_link_takes_the_place_of_an_earlier_one_and_ends_after_two_days(accounts: Accounts) -> None:
    earlier, later = accounts.invite("anna", "operator"), accounts.invite("anna", "operator")
    assert accounts.invitation(earlier) is None
    present = datetime.now(UTC)
    aged = Accounts(AccountStore(accounts.store.path, lambda: present + timedelta(days=2)), accounts.passwords, accounts.invited)
    assert accounts.invitation(later) is not None
    assert aged.invitation(later) is None


def test_no_link_takes_over_an_account_that_is_there(accounts: Accounts) -> None:
    accounts.join(accounts.invite("anna", "operator"), "anna", PASSWORD)
    sessions = Sessions(accounts.store, timedelta(hours=1), timedelta(hours=1))
    token = sessions.begin("anna")
    assert not accounts.join(accounts.invite("anna", "operator"), "anna", "another password")
    assert sessions.principal(token) == "anna"
    assert accounts.check("anna", PASSWORD)


def test_what_somebody_has_read_is_forgotten_with_their_account(accounts: Accounts) -> None:
    accounts.tell("anna", 7)
    accounts.join(accounts.invite("anna", "operator"), "anna", PASSWORD)
    assert accounts.told("anna") == 0
    for seq in (7, 9):
        accounts.tell("anna", seq)
        assert accounts.told("anna") == seq
    accounts.close("anna")
    assert not accounts.has("anna")
    accounts.join(accounts.invite("anna", "operator"), "anna", PASSWORD)
    assert accounts.has("anna")
    assert accounts.told("anna") == 0


def test_one_account_of_the_provider_is_one_person_here(accounts: Accounts) -> None:
    assert accounts.join(accounts.invite("anna", "o"), "anna", issuer="https://p", subject="1")
    token = accounts.invite("bert", "o")
    assert not accounts.join(token, "bert", issuer="https://p", subject="1")
    assert accounts.invitation(token) is not None
    assert accounts.of_subject("https://p", "1") == "anna"
    assert accounts.of_subject("https://q", "1") is None
    assert accounts.ways_in("anna") == (False, "https://p")
    assert accounts.ways_in("nobody") == (False, None)


def test_an_account_without_a_password_is_not_entered_by_one(accounts: Accounts) -> None:
    accounts.join(accounts.invite("anna", "o"), "anna", issuer="https://p", subject="1")
    assert not any(accounts.check("anna", password) for password in ("", "None", "of nobody"))


def test_a_closed_account_has_no_session_and_no_link(accounts: Accounts) -> None:
    accounts.join(accounts.invite("anna", "o"), "anna", PASSWORD)
    sessions = Sessions(accounts.store, timedelta(hours=1), timedelta(hours=1))
    token, link = sessions.begin("anna"), accounts.invite("anna", "o")
    accounts.close("anna")
    assert sessions.principal(token) is None
    assert accounts.invitation(link) is None
    assert not accounts.check("anna", PASSWORD)


def test_no_password_and_no_token_can_be_read_from_the_file(accounts: Accounts) -> None:
    token = accounts.invite("bert", "o")
    accounts.join(accounts.invite("anna", "o"), "anna", PASSWORD)
    kept = accounts.store.path.read_bytes()
    assert PASSWORD.encode() not in kept
    assert token.encode() not in kept
    assert b"$argon2id$" in kept
