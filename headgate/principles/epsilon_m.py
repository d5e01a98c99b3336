"""(ε, m)-anonymity (Li, Tao, Xiao 2008; DEFINITIONS §3): m = |G|/max_v n(v), n(v) the rows within ε of v.

Absolute: |y − x| ≤ ε. Relative: |y − x| ≤ ε·|x|, which is directed, so it can be measured but not enforced by coloring.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from headgate.core.errors import InputRejected
from headgate.core.tolerance import TOLERANCE, exact
from headgate.counting.class_counts import Counted
from headgate.counting.figure import Bound, Figure
from headgate.counting.intervals import largest_stars


@dataclass(frozen=True, eq=False)
class EpsilonM:
    epsilon: float
    relative: bool
    figure: Figure  # over sensitive values; infinite if there are none
    m_all: float

    @property
    def m(self) -> float:
        return self.figure.value


def epsilon_m(counted: Counted, epsilon: Any, relative: bool = False) -> EpsilonM:
    column = counted.column
    if not column.kind.numeric:
        raise InputRejected(f"(ε, m)-anonymity needs numbers; '{column.name}' is a {column.kind}.", "Use dissimilarity.")
    reach_of = float(exact(epsilon))
    if reach_of < 0:
        raise InputRejected(
            "ε is not a finite number of at least 0.", "Give a distance in the attribute's own unit, or a share if relative."
        )
    values, unit = column.kind.rules.line(column)
    bound = reach_of * np.abs(column.kind.rules.points(column)) if relative else np.full(len(values), reach_of)
    reach = (bound + TOLERANCE * np.maximum(1.0, bound)) * unit
    sensitive, everything = [], []
    for counts in counted.readings:
        star_all, star = largest_stars(counts, values, reach, column.sensitive)
        everything.append(float((counts.sizes / star_all).min()))
        sensitive.append(counts.sizes / np.maximum(star, 1))
    return EpsilonM(reach_of, relative, counted.figure("(ε, m)", Bound.AT_LEAST, sensitive), min(everything))
