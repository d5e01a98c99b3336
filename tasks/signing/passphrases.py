"""The passphrase of a key: from HEADGATE_KEY_PASSPHRASE, or asked for at the terminal where a person sits. Never an argument: other
accounts of the machine see those."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

PASSPHRASE = "HEADGATE_KEY_PASSPHRASE"
TRIES = 3

_typed: dict[Path, str] = {}  # while this process lives: a command reads a key more than once


def passphrases(path: Path, environment: Mapping[str, str]) -> Iterator[str]:
    """Those to try, one after the other, until one opens the key."""
    given = environment.get(PASSPHRASE)
    if given is not None:
        yield given
        return
    if path in _typed:
        yield _typed[path]
        return
    for number in range(TRIES if sys.stdin.isatty() else 0):
        typed = _asked(f"{'That does not open it. ' if number else ''}Passphrase of {path}: ")
        if not typed:
            return
        yield typed


def remember(path: Path, passphrase: str) -> None:
    """That it opened the key."""
    _typed[path] = passphrase


def _asked(prompt: str) -> str:
    """Nothing that is typed is shown."""
    from getpass import getpass

    try:
        return getpass(prompt)
    except EOFError:
        return ""
