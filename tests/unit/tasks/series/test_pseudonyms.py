"""People are known by pseudonyms, which are nothing without the home's secret."""

from __future__ import annotations

import hashlib
import hmac

import pytest

from tasks.series.pseudonyms import keeping_key, pseudonyms

SECRET = b"s" * 32


def test_a_pseudonym_is_an_hmac_over_dataset_and_identifier() -> None:
    """DEFINITIONS §11, written out with the standard library."""
    key = hmac.new(SECRET, b"headgate series 1\npseudonyms", hashlib.sha256).digest()
    expected = hmac.new(key, "patients\nMüller 7".encode(), hashlib.sha256).digest()[:16]
    assert pseudonyms(SECRET, "patients", ["Müller 7"])[0] == expected


@pytest.mark.parametrize("other", [(b"t" * 32, "patients", "7"), (SECRET, "visits", "7"), (SECRET, "patients", "8")])
def test_another_secret_dataset_or_person_gives_another(other: tuple[bytes, str, str]) -> None:
    assert pseudonyms(other[0], other[1], [other[2]])[0] != pseudonyms(SECRET, "patients", ["7"])[0]


def test_the_key_is_no_pseudonym_and_not_the_secret() -> None:
    assert keeping_key(SECRET) not in (SECRET, keeping_key(b"t" * 32))
    assert len(keeping_key(SECRET)) == 32
