"""How long something may take, where the environment may say so."""

from __future__ import annotations

import os

from headgate.core.errors import InputRejected


def seconds_in(variable: str, usual: int) -> float:
    """`usual` where the variable is not set; what is not a time above 0 is refused."""
    try:
        seconds = float(os.environ.get(variable, usual))
    except ValueError:
        seconds = 0.0
    if not 0.0 < seconds < float("inf"):
        raise InputRejected(f"{variable} is not a number of seconds.", f"Write a number above 0, such as {usual}.")
    return seconds
