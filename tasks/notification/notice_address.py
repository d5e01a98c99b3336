"""Where a message goes: the Apprise URL that an environment variable or a file holds. It is a secret, so no message repeats it."""

from __future__ import annotations

import os
from pathlib import Path

from headgate.core.errors import HeadgateError, InputRejected
from tasks.runtime.trusted_files import read_trusted


def address_behind(reference: str) -> str:
    """A reference as operator.yaml has it: env:NAME or file:/PATH."""
    scheme, _, name = reference.partition(":")
    found = os.environ.get(name, "") if scheme == "env" else _in_file(Path(name))
    if not found.strip():
        raise InputRejected(f"There is no address at {reference}.", "Put an Apprise URL there.")
    return found.strip()


def _in_file(path: Path) -> str:
    """Whoever could write it would be told everything."""
    try:
        content = read_trusted(path)
        return "" if content is None else content.decode("utf-8")
    except (HeadgateError, UnicodeDecodeError):
        raise InputRejected(f"The file {path} cannot be used.", "Make it a UTF-8 file of your own that nobody else can write.") from None
