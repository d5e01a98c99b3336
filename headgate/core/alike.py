"""What ε amounts to in the units of an attribute: people read "within 24,000 of each other", not "0.1"."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from headgate.core.columns import Column, Kind
from headgate.core.scale import Scale
from headgate.core.tolerance import at_least, radius
from headgate.core.units import EQUAL

ANY = "whatever they are"


@dataclass(frozen=True)
class Ruler:
    """What distances of one attribute are a share of. `steps`: between the lowest and the highest level, or up its hierarchy. `bits`: the
    number of columns that a set has become, all of which this stands for. `observed`: the ends of the domain are values of the data."""

    name: str
    kind: Kind
    domain: tuple[float, float] | None = None
    steps: int = 0
    scale: Scale = Scale.LINEAR
    metric: str | None = None
    weight: float = 1.0
    bits: int = 0
    observed: bool = False

    @classmethod
    def of(cls, column: Column, observed: bool = False) -> Ruler:
        steps = 0 if column.hierarchy is None else column.hierarchy.height
        steps = len(column.values) - 1 if "levels" in column.kind.rules.keys else steps
        domain = column.domain if column.kind.numeric else None
        return cls(column.name, column.kind, domain, steps, column.scale, column.metric, column.weight, observed=observed)

    @property
    def width(self) -> float:
        return 0.0 if self.domain is None else self.domain[1] - self.domain[0]

    def within(self, share: float) -> str:
        """When two values are alike, if they may be this share of the largest distance apart."""
        rules = self.kind.rules
        return ANY if at_least(share, 1.0) else rules.alike_within(self, rules.own_width(self, share))


def alike(rulers: Sequence[Ruler], epsilon: str, share: float, power: float = 1.0, least: bool = False) -> str:
    """When two people are alike under one ε, written `epsilon`. Of several attributes it says what holds if people differ in one alone;
    that is true whatever the others are."""
    if len(rulers) == 1 and not rulers[0].bits:
        (ruler,) = rulers
        by = ruler.kind.rules.largest_distance(ruler)
        return f"values of {ruler.name} are alike {ruler.within(share)} (ε {epsilon}{f' {by}' if by else ''})"
    total = sum(ruler.weight * (ruler.bits or 1) for ruler in rulers)
    parts = "; ".join(_alone(ruler, _share_alone(ruler.weight / total, share, power, least), power, least) for ruler in rulers)
    if least:
        return f"people are alike who are alike in one attribute (ε {epsilon}): {parts}"
    which = "who differ in one attribute alone " if len(rulers) > 1 else ""
    return f"people {which}are alike (ε {epsilon} of all attributes together): {parts}"


def alike_alone(ruler: Ruler, epsilon: str, width: float) -> str:
    """The same for an ε in the attribute's own units."""
    return f"values of {ruler.name} are alike {ruler.kind.rules.alike_within(ruler, width)} (ε {epsilon}, in its own units)"


def _share_alone(weight: float, share: float, power: float, least: bool) -> float:
    """How far two people may be apart in one attribute if they are equal in all others."""
    if least:
        return share
    return math.inf if weight <= 0 else share / float(weight ** (1.0 / power))


def _alone(ruler: Ruler, share: float, power: float, least: bool) -> str:
    if not ruler.bits:
        return f"{ruler.name}, {ruler.within(share)}"
    if least:
        return f"{ruler.name}, if both have or both lack one of its values"
    differ = math.floor(radius(min(share, float(ruler.bits)) ** power))
    most = ANY if differ >= ruler.bits else f"if at most {differ} of its {ruler.bits} values differ" if differ else EQUAL
    return f"{ruler.name}, {most}"
