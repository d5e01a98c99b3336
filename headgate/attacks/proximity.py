"""Proximity attack (general-proximity-privacy-principle): guess the centre of the largest ε-neighbourhood of the rows that fit.

The guess is right if the person's own value lies within ε of the centre. Belief is |Φ|/|G| (DEFINITIONS §3) over the rows that fit."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from headgate.attacks.guessing import Reach, guess
from headgate.attacks.matching import Matches, match, published_column, translated
from headgate.attacks.success import AttackResult, Success, guessed, guessed_value, percent
from headgate.core.alike import Ruler
from headgate.core.columns import Column
from headgate.core.distance import LARGEST_MATRIX, LINE, Distance
from headgate.core.errors import InputRejected
from headgate.core.published_form.published_table import PublishedTable
from headgate.principles.dissimilarity import asked_epsilon


@dataclass(frozen=True)
class Proximity(AttackResult):
    attribute: str
    epsilon: float
    success: Success
    belief: float  # the largest belief over all people
    alike: str  # when two values are alike, in units

    def remark(self) -> str:
        return f"Belief in a neighbourhood reaches {percent(self.belief)} %."

    def who(self, tables: str) -> str:
        near = f"up to what counts as alike ({self.alike})"
        return f"somebody who finds a person's group in {tables} knows {guessed_value(self.attribute, self.success)} {near}"


def proximity(
    published: PublishedTable,
    people: Mapping[str, Column],
    name: str,
    epsilon: Any,
    distance: Distance | None = None,
    matches: Matches | None = None,
) -> Proximity:
    """`people` and `matches` as in `homogeneity`; Δ of one attribute, as `distance` reads it."""
    column = published_column(published, people, name)
    bound = asked_epsilon(epsilon)
    reach = reach_of(column, bound, Distance() if distance is None else distance)
    truth = translated(people[name], column)
    guesses = guess(matches or match(published, people), column, reach)
    right = reach.near(guesses.value, truth)
    overall = reach.near(np.full(len(truth), guesses.overall), truth)
    words = f"the centre of the largest {bound:g}-neighbourhood of '{name}' among the rows that fit"
    done = guessed("Proximity", words, column, truth, right, overall)
    ruler, own = Ruler.of(column), distance is not None and distance.own_units
    alike = column.kind.rules.alike_within(ruler, bound) if own else ruler.within(bound)
    return Proximity(name, bound, done, float(guesses.belief.max()), alike)


def reach_of(column: Column, epsilon: float, distance: Distance) -> Reach:
    """A missing value is near missing values only, unless ε reaches 1."""
    size = len(column.values)
    codes = np.arange(-1, size, dtype=np.int32).reshape(-1, 1)
    composite, rows, reach = distance.around([column], codes, epsilon)
    if len(composite.layout.mode) == 1 and composite.layout.mode[0] == LINE and reach < 1:
        line = composite.layout.buffer
        low, high = np.searchsorted(line, line - reach), np.searchsorted(line, line + reach, side="right") - 1
        return Reach(np.append(low, size), np.append(high, size), np.zeros((0, 0), dtype=np.bool_))
    if size >= LARGEST_MATRIX:
        raise InputRejected(f"'{column.name}' has {size} distinct values, too many to compare with each other.", "Use fewer values.")
    near = composite.matrix(rows) <= reach
    order = np.append(np.arange(1, size + 1), 0)  # missing last
    return Reach(np.zeros(size + 1, dtype=np.int64), np.zeros(size + 1, dtype=np.int64), np.ascontiguousarray(near[np.ix_(order, order)]))
