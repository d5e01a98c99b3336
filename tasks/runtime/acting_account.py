"""The account of the machine that acts: this process's own, which no variable of the environment changes, or the caller's where it answers
over the socket."""

from __future__ import annotations

import os
import pwd

_caller: int | None = None


def act_for(uid: int) -> None:
    """From now on, in this whole process."""
    global _caller
    _caller = uid


def acting_account() -> str:
    return account_of(os.geteuid() if _caller is None else _caller)


def account_of(uid: int) -> str:
    """Its number where it has no name."""
    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        return str(uid)
