"""The settings of the search over the lattice."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from headgate.grouping.conditions import Condition
from headgate.grouping.limits import NeighbourhoodLimit
from headgate.methods.full_domain.objective import NCP
from headgate.methods.full_domain.windows import WindowL

LevelCondition = Condition | WindowL


@dataclass(frozen=True, eq=False)
class LevelSettings:
    """`suppression`: the share of rows that may be suppressed, inclusive. `limits` are made from the table. Without `every_node` only as
    many nodes are looked at as the optimum needs; the valid and minimal ones are then those among them."""

    k: int
    suppression: Fraction = Fraction(0)
    objective: str = NCP
    conditions: tuple[LevelCondition, ...] = ()
    limits: tuple[NeighbourhoodLimit, ...] = ()
    every_node: bool = True
