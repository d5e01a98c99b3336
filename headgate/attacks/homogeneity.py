"""Homogeneity attack (Machanavajjhala et al., 2006): link a person to a group by the quasi-identifiers and guess its most frequent
value."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from headgate.attacks.guessing import guess
from headgate.attacks.matching import Matches, match, published_column, translated
from headgate.attacks.success import AttackResult, Success, guessed, guessed_value, people_counted
from headgate.core.columns import Column
from headgate.core.published_form.published_table import PublishedTable
from headgate.core.tolerance import TOLERANCE, exact


@dataclass(frozen=True)
class Homogeneity(AttackResult):
    """`certain` counts the people whose own sensitive value is guessed rightly, with at least the belief `believed`."""

    attribute: str
    success: Success
    believed: float
    certain: int

    def remark(self) -> str:
        if self.believed < 1:
            return f"With a belief of {self.believed:g} or more, the attacker knows a sensitive value of {people_counted(self.certain)}."
        if self.certain == 0:
            return "Nobody's sensitive value becomes certain."
        return f"A sensitive value of {people_counted(self.certain)} becomes certain."

    def who(self, tables: str) -> str:
        return f"somebody who finds a person's group in {tables} is right about {guessed_value(self.attribute, self.success)}"


def homogeneity(
    published: PublishedTable, people: Mapping[str, Column], name: str, belief: Any = 1, matches: Matches | None = None
) -> Homogeneity:
    """`people` has one row per attacked person: the source's encoded quasi-identifiers, and the attribute itself as the truth. `matches`:
    of these people with the table, where several attributes are guessed."""
    column = published_column(published, people, name)
    truth = translated(people[name], column)
    guesses = guess(matches or match(published, people), column)
    right = guesses.value == truth
    believed = float(exact(belief))
    firm = (guesses.belief >= believed - TOLERANCE) & right & column.sensitive[guesses.value]
    done = guessed("Homogeneity", f"the most frequent '{name}' of the rows that fit", column, truth, right, truth == guesses.overall)
    return Homogeneity(name, done, believed, int(np.count_nonzero(firm)))
