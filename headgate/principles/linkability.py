"""Linkability: how certain a sensitive value becomes (codip, DEFINITIONS §6).

The largest count/|E| over classes E and sensitive values. The sensitive attributes of projected tables are disjoint, so shares
multiply over a join and never exceed the largest of them (Theorem 2): the release's linkability is that of its worst table.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from headgate.counting.class_counts import Counted
from headgate.counting.figure import Bound, Figure


@dataclass(frozen=True, eq=False)
class Linkability:
    attribute: str
    figure: Figure  # over sensitive values; 0 if there are none
    linkability_all: float

    @property
    def linkability(self) -> float:
        return self.figure.value


def linkability(counted: Counted) -> Linkability:
    """The linkability of one attribute."""
    shares = [counts.largest(counted.column.sensitive) / counts.sizes for counts in counted.readings]
    return Linkability(
        counted.column.name,
        counted.figure("linkability", Bound.AT_MOST, shares),
        max(float((counts.largest() / counts.sizes).max()) for counts in counted.readings),
    )


def worst_linkability(attributes: Iterable[Counted]) -> Linkability:
    """The figure of the table's binding attribute; the figure over all values is the worst of any attribute."""
    measured = [linkability(counted) for counted in attributes]
    worst = max(measured, key=lambda measure: measure.linkability)
    return Linkability(worst.attribute, worst.figure, max(measure.linkability_all for measure in measured))
