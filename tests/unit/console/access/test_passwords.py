from __future__ import annotations

import pytest

from console.access.passwords import PasswordCost, Passwords, why_unfit

CHEAP = PasswordCost(1, 64, 1)


def test_a_password_is_kept_as_an_argon2id_hash_with_a_salt_of_its_own() -> None:
    passwords = Passwords(CHEAP)
    first, second = passwords.hash("a long password"), passwords.hash("a long password")
    assert first.startswith("$argon2id$")
    assert first != second
    assert passwords.matches("a long password", first)
    assert not passwords.matches("a long passwort", first)


def test_what_costs_time_is_done_for_an_account_that_is_not_there_too(monkeypatch: pytest.MonkeyPatch) -> None:
    passwords, tried = Passwords(CHEAP), []
    hasher = passwords._hasher
    monkeypatch.setattr(type(hasher), "verify", lambda self, kept, given: tried.append(kept) or True)
    monkeypatch.setattr(type(hasher), "hash", lambda self, given: tried.append("hashed"))  # nor is the first one slower
    assert not passwords.matches("of nobody", None)
    assert len(tried) == 1
    assert "hashed" not in tried


def test_the_cost_of_a_guess_is_what_owasp_asks_for_at_least() -> None:
    assert PasswordCost().memory >= 46 * 1024
    assert PasswordCost().passes >= 1


@pytest.mark.parametrize("password", ["short", "x" * 11, "x" * 300, "aaaaaaaaaaaaaaaa", "anna@hospital1"])
def test_a_password_that_is_short_monotonous_or_the_name_itself_is_unfit(password: str) -> None:
    assert why_unfit(password, "anna@hospital")


def test_a_long_one_is_fit_whatever_its_signs() -> None:
    assert why_unfit("correct horse battery", "anna") == ""
