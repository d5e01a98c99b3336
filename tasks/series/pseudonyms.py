"""What the home's secret makes of a dataset's people: their pseudonyms, and the key under which it is kept who was in which group."""

from __future__ import annotations

import hmac
from collections.abc import Iterable
from itertools import chain

import numpy as np

from headgate.series.kept_version import Pseudonyms
from policies.schema.policy import Policy
from tasks.reading.identifiers import IdentifierValues
from tasks.runtime.home import Home
from tasks.signing.home_keys import ledger_secret

BYTES = 16  # of 32: among a hundred million people two have the same once in 10²² homes


def pseudonyms(secret: bytes, dataset: str, identifiers: Iterable[str]) -> Pseudonyms:
    """HMAC-SHA256 over dataset and identifier (DEFINITIONS §11): the same person the same in every version of a dataset, and nothing to
    anybody without the secret."""
    key, prefix = _derived(secret, b"pseudonyms"), dataset.encode() + b"\n"
    digests = bytearray()
    for name in identifiers:
        digests += hmac.digest(key, prefix + name.encode("utf-8", "surrogatepass"), "sha256")[:BYTES]
    return np.frombuffer(bytes(digests), dtype=f"S{BYTES}")


def pseudonyms_of(home: Home, policy: Policy, identifiers: IdentifierValues) -> Pseudonyms | None:
    """Of each row; None where no identifier says who is who in other versions."""
    person = policy.person_column
    if person is None or person not in identifiers:
        return None
    return pseudonyms(ledger_secret(home.keys), policy.dataset, chain.from_iterable(identifiers.some_at_a_time(person)))


def keeping_key(secret: bytes) -> bytes:
    return _derived(secret, b"groups")


def _derived(secret: bytes, purpose: bytes) -> bytes:
    """No other use of the secret gives the same."""
    return hmac.digest(secret, b"headgate series 1\n" + purpose, "sha256")
