"""The requirements on every method, and what to do if they cannot be met."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from headgate.core.columns import Table
from headgate.core.errors import InputRejected
from headgate.core.tolerance import exact

if TYPE_CHECKING:  # a policy file is read without the compiled loops
    from headgate.grouping.conditions import Condition
    from headgate.grouping.limits import NeighbourhoodLimit


class Otherwise(StrEnum):
    """What to do when the limits are not reached."""

    FAIL = "fail"
    SUPPRESS = "suppress"
    RELAX = "relax"


@dataclass(frozen=True)
class Infeasible:
    """`amount` is the share of input rows that may be suppressed, or the floor down to which δ may fall."""

    otherwise: Otherwise = Otherwise.FAIL
    amount: Fraction = Fraction(0)

    @classmethod
    def of(cls, setting: Any) -> Infeasible:
        """Reads `fail`, `{suppress: share}` or `{relax: floor}`."""
        if isinstance(setting, Infeasible):
            return setting
        if setting in (None, "fail"):
            return cls()
        if isinstance(setting, Mapping) and len(setting) == 1:
            ((word, amount),) = setting.items()
            if word in ("suppress", "relax") and 0 <= exact(amount) <= 1:
                return cls(Otherwise(word), exact(amount))
        raise InputRejected(
            "`infeasible` is not understood.",
            "Write fail, {suppress: 0.01} (a share of the rows) or {relax: 0.3} (the least δ), with a decimal from 0 to 1.",
        )

    @property
    def suppressible(self) -> Fraction:
        """The share of input rows that may be suppressed."""
        return self.amount if self.otherwise is Otherwise.SUPPRESS else Fraction(0)


@dataclass(frozen=True, eq=False)
class Settings:
    """`limits` are made from the table; `conditions` are for methods that look at them while they work."""

    k: int
    limits: tuple[NeighbourhoodLimit, ...] = ()
    conditions: tuple[Condition, ...] = ()
    infeasible: Infeasible = Infeasible()


def check_settings(table: Table, k: int, limits: Sequence[NeighbourhoodLimit]) -> None:
    if k < 1:
        raise InputRejected(f"k = {k} is not a valid group size.", "Give k ≥ 1.")
    if not table.quasi:
        raise InputRejected("No attribute is a quasi-identifier.", "Declare at least one attribute with role: quasi.")
    if table.rows < k:
        raise InputRejected(f"{table.rows:,} rows cannot make a group of k = {k}.", "Lower k or release more rows.")
    require_households(table, k)
    for limit in limits:
        if limit.rows != table.rows:
            raise InputRejected(
                f"'{limit.name}' was made for {limit.rows} rows, the table has {table.rows}.", "Make the limits from the table."
            )


def require_households(table: Table, k: int) -> None:
    """A single group of all rows has the most households that a group can have."""
    if table.household is None:
        return
    homes = int((table[table.household].counts() > 0).sum())
    if homes < k:
        raise InputRejected(
            f"{homes} {'household' if homes == 1 else 'households'} cannot make a group of k = {k}: k counts households too.",
            "Lower k or release more households.",
        )
