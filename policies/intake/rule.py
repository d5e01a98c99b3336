"""What every rule of this room is: it reads one text, and says what is wrong with texts that it cannot read."""

from __future__ import annotations

from enum import Enum
from typing import Final, Protocol


class Unread(Enum):
    """Not missing: a cell that somebody must look at."""

    CELL = 0


UNREAD: Final = Unread.CELL
Read = str | Unread | None  # None is a missing cell


class Rule(Protocol):
    @property
    def wrong(self) -> tuple[str, str]:
        """What is said of one cell that cannot be read, and of several."""
        ...

    @property
    def cure(self) -> str: ...

    def read(self, text: str) -> Read:
        """`text` has no blanks around it and is not empty."""
        ...
