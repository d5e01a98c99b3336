"""How much is read at most of what comes from outside: a small file can stand for more than the machine holds. The operator may set each
bound in the environment."""

from __future__ import annotations

import os
from dataclasses import dataclass

from headgate.core.errors import InputRejected


@dataclass(frozen=True)
class Limit:
    """A bound: the variable that sets it, what holds without it, and what it counts."""

    variable: str
    usual: int
    unit: str

    @property
    def most(self) -> int:
        text = os.environ.get(self.variable, "").strip() or str(self.usual)
        if not (text.isascii() and text.isdigit()) or int(text) < 1:
            raise InputRejected(f"{self.variable} is not a number of {self.unit}.", f"Write a whole number, such as {self.usual}.")
        return int(text)

    def check(self, amount: int, what: str) -> None:
        """`what` begins the sentence."""
        if amount > self.most:
            self.refuse(what)

    def refuse(self, what: str) -> None:
        raise InputRejected(
            f"{what} has more than {self.most:,} {self.unit}, the most that is read here.",
            f"Give the file that was meant; if it is, the operator can set {self.variable} higher.",
        )


ATTRIBUTES = Limit("HEADGATE_MAX_ATTRIBUTES", 2_000, "attributes")
BYTES = Limit("HEADGATE_MAX_BYTES", 2 * 2**30, "bytes")  # of a table, unpacked; it is held in memory
LIST_BYTES = Limit(
    "HEADGATE_MAX_LIST_BYTES", 64 * 2**20, "bytes"
)  # of a hierarchy or a code list, whose entries cost far more than their bytes
CELLS = Limit("HEADGATE_MAX_CELLS", 500_000_000, "cells")
