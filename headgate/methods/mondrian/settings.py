"""What is asked of Mondrian."""

from __future__ import annotations

from dataclasses import dataclass

from headgate.grouping.conditions import Condition
from headgate.methods.partition import Variant, XColorSettings


@dataclass(frozen=True, eq=False)
class MondrianSettings(XColorSettings):
    """`strict`: a cut never separates equal quasi-identifiers; else those at the median are divided between the sides."""

    variant: Variant = Variant.MONDRIAN
    strict: bool = True
    conditions: tuple[Condition, ...] = ()
