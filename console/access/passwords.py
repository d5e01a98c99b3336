"""Passwords are kept as argon2id hashes, and checked at the same cost whether or not there is such an account."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from functools import cached_property

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError, VerifyMismatchError

from tasks.reporting.language import message

SHORTEST, LONGEST = 12, 256
AT_ONCE = threading.BoundedSemaphore(2)  # each takes tens of megabytes


@dataclass(frozen=True)
class PasswordCost:
    """Of argon2id: passes, KiB of memory, threads."""

    passes: int = 3
    memory: int = 65536
    threads: int = 2


@dataclass
class Passwords:
    cost: PasswordCost
    _of_nobody: str = field(init=False, repr=False)

    def __post_init__(self) -> None:
        """Made now: the first attempt under an unknown name would take longer than others."""
        self._of_nobody = self._hasher.hash("of nobody")

    @cached_property
    def _hasher(self) -> PasswordHasher:
        return PasswordHasher(self.cost.passes, self.cost.memory, self.cost.threads)

    def hash(self, password: str) -> str:
        with AT_ONCE:
            return self._hasher.hash(password)

    def matches(self, password: str, kept: str | None) -> bool:
        """`kept` is None where there is no such account, or one without a password."""
        with AT_ONCE:
            try:
                return self._hasher.verify(kept or self._of_nobody, password[:LONGEST]) and kept is not None
            except (VerifyMismatchError, VerificationError, InvalidHashError):
                return False


def why_unfit(password: str, principal: str) -> str:
    """Empty if it may be a password. Length is what counts; rules about signs make passwords worse."""
    if not SHORTEST <= len(password) <= LONGEST:
        return message("A password has 12 to 256 characters.")
    if principal.casefold() in password.casefold() or len(set(password)) < 5:
        return message("This password is too easy to guess.")
    return ""
