"""How much is read at most of what comes from outside: a small file can stand for more than the machine holds. The operator may set each
bound in operator.yaml, and in the environment, which goes first."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass

from headgate.core.errors import InputRejected

_operators: dict[str, int] = {}  # what operator.yaml says, in the home that this process uses


def take_limits(said: Mapping[str, int]) -> None:
    """From now on what this operator says counts, and nothing that another said."""
    _operators.clear()
    _operators.update(said)


def limits_taken() -> dict[str, int]:
    """What counts here, for a process that works for the same operator."""
    return dict(_operators)


@dataclass(frozen=True)
class Limit:
    """A bound: its key in `limits` of operator.yaml, what holds without it, and what it counts."""

    key: str
    usual: int
    unit: str

    @property
    def variable(self) -> str:
        return f"HEADGATE_MAX_{self.key.upper()}"

    @property
    def most(self) -> int:
        text = os.environ.get(self.variable, "").strip() or str(_operators.get(self.key, self.usual))
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
            f"Give the file that was meant; if it is, the operator can set limits.{self.key} in operator.yaml, or {self.variable}, higher.",
        )


ATTRIBUTES = Limit("attributes", 2_000, "attributes")
BYTES = Limit("bytes", 2 * 2**30, "bytes")  # of a table, unpacked
SET_VALUES = Limit("set_values", 5_000, "values")  # of all sensitive sets: each becomes a column
LIST_BYTES = Limit("list_bytes", 64 * 2**20, "bytes")  # of a hierarchy or a code list, whose entries cost far more than their bytes
DICTIONARY = Limit("dictionary_bytes", 2**30, "bytes")  # of the different texts of a column, each with what it costs beside its own
CELLS = Limit("cells", 500_000_000, "cells")
