"""The number from which a draw follows: the same seed, the same result."""

from __future__ import annotations

from typing import Any

from headgate.core.errors import InputRejected
from headgate.core.tolerance import is_whole

LARGEST_SEED = 2**64 - 1


def checked_seed(seed: Any) -> int:
    """Refuses what no draw could be repeated from: None draws anew each time."""
    if not is_whole(seed, 0) or int(seed) > LARGEST_SEED:
        raise InputRejected("The seed is not a whole number from 0 to 2^64 − 1.", "Give one, such as 0: the same seed, the same result.")
    return int(seed)
