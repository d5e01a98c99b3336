"""Background-join attack (codip, section 1 and 4.2): whoever knows one sensitive attribute i of a person learns another, j.

With G the class, the figures in nats, weighted by people, are: `gain` = I(i; j | G), what knowing i adds to what the class tells of j;
and `information` = I(j; G | i), what the class adds for one who knows i and the whole table's association of i and j. The paper's
H(j) − I(i; j) = H(j | i), of which E(i, j) takes the share P_j (DEFINITIONS §6), is `exposable`: it is what he learns if class and i
single out j, so `information` ≤ `exposable`. Of the two readings of "class" the larger figures count.

Tables with other sensitive attributes tell him more only if their rows can be put side by side: `join_across` tries just that.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from headgate.attacks.guessing import guess
from headgate.attacks.matching import Matches, last_is_missing, match, match_all, published_column, translated
from headgate.attacks.success import AttackResult, Success, guessed, guessed_value, people_counted, percent
from headgate.core.columns import Codes, Column
from headgate.core.errors import InputRejected
from headgate.core.published_form.published_table import PublishedTable
from headgate.core.tolerance import TOLERANCE, exact


@dataclass(frozen=True)
class BackgroundJoin(AttackResult):
    known: str
    unknown: str
    success: Success
    right_alone: int  # people guessed rightly by the quasi-identifiers only
    certain: int  # whose own sensitive value is guessed rightly, with at least the belief required
    certain_alone: int
    mistaken: int  # people for whom a wrong value is believed as firmly: rows of different people, put side by side, tell nothing
    gain: float | None = None  # nats; None across tables
    information: float | None = None
    exposable: float | None = None

    @property
    def advantage(self) -> float:
        """The share of people that the join adds to those guessed rightly without it; negative where it misleads."""
        return (self.success.right - self.right_alone) / self.success.people

    def remark(self) -> str:
        return (
            f"Without knowing '{self.known}', the guess is right for {percent(self.right_alone / self.success.people)} %. "
            f"Knowing it, the attacker is certain of a sensitive value of {people_counted(self.certain)}, rightly; "
            f"without it, of {people_counted(self.certain_alone)}. "
            f"Just as certain, the attacker is wrong about {people_counted(self.mistaken)}."
        )

    def who(self, tables: str) -> str:
        joined = f"knows a person's '{self.known}' and finds the person's group in {tables}"
        if self.gain is None:
            joined = f"puts {tables} side by side and knows a person's '{self.known}'"
        return f"somebody who {joined} is right about {guessed_value(self.unknown, self.success)}"


def background_join(
    published: PublishedTable,
    people: Mapping[str, Column],
    known: str,
    unknown: str,
    belief: Any = 1,
    matches: Matches | None = None,
) -> BackgroundJoin:
    """The attack within one table. `people` has the source's quasi-identifiers and both attributes. `matches`: of these people with the
    table, where there are several attacks."""
    known_column, unknown_column = _columns(published, published, people, known, unknown)
    figures = np.max([_information(known_column.codes, unknown_column.codes, reading) for reading in published.classes()], axis=0)
    gain, information, exposable = (float(figure) for figure in figures)
    fits = matches or match(published, people)
    return _attack(fits, fits, people, (known_column, unknown_column), belief, (gain, information, exposable))


def join_across(
    holds_known: PublishedTable,
    holds_unknown: PublishedTable,
    people: Mapping[str, Column],
    known: str,
    unknown: str,
    belief: Any = 1,
    matches: Matches | None = None,
) -> BackgroundJoin:
    """The known attribute is in one table and the unknown attribute in another. Their rows are put side by side by position, and a row must
    fit in both. If the tables are shuffled, the join adds nothing. `matches`: of these people with the table of the unknown one."""
    columns = _columns(holds_known, holds_unknown, people, known, unknown)
    return _attack(matches or match(holds_unknown, people), match_all((holds_known, holds_unknown), people), people, columns, belief)


def _columns(
    holds_known: PublishedTable, holds_unknown: PublishedTable, people: Mapping[str, Column], known: str, unknown: str
) -> tuple[Column, Column]:
    if known == unknown:
        raise InputRejected("The known and the unknown attribute are the same.", "Name two attributes.")
    return published_column(holds_known, people, known), published_column(holds_unknown, people, unknown)


def _attack(
    alone: Matches,
    joined: Matches,
    people: Mapping[str, Column],
    columns: tuple[Column, Column],
    belief: Any,
    figures: tuple[float | None, float | None, float | None] = (None, None, None),
) -> BackgroundJoin:
    known, unknown = columns
    truth, known_values = translated(people[unknown.name], unknown), translated(people[known.name], known)
    before = guess(alone, unknown)
    after = guess(joined, unknown, None, last_is_missing(known), known_values)
    # without a row with the known value, the attacker keeps the guess from the quasi-identifiers
    value = np.where(after.belief > 0, after.value, before.value)
    firm = np.where(after.belief > 0, after.belief, before.belief)
    threshold = float(exact(belief)) - TOLERANCE
    certain, certain_alone = (
        int(np.count_nonzero((share >= threshold) & (guesses == truth) & unknown.sensitive[guesses]))
        for share, guesses in ((firm, value), (before.belief, before.value))
    )
    mistaken = int(np.count_nonzero((firm >= threshold) & (value != truth)))
    words = f"the most frequent '{unknown.name}' of the rows that fit and have the person's '{known.name}'"
    done = guessed("Background join", words, unknown, truth, value == truth, truth == before.overall)
    return BackgroundJoin(known.name, unknown.name, done, int((before.value == truth).sum()), certain, certain_alone, mistaken, *figures)


def _information(known: Codes, unknown: Codes, group: Codes) -> tuple[float, float, float]:
    """I(i; j | G), I(j; G | i) and H(j | i), from joint entropies."""
    h_all = _entropy(known, unknown, group)
    h_known_group, h_known, h_both = _entropy(known, group), _entropy(known), _entropy(known, unknown)
    gain = h_known_group + _entropy(unknown, group) - h_all - _entropy(group)
    information = h_both + h_known_group - h_all - h_known
    return max(0.0, gain), max(0.0, information), max(0.0, h_both - h_known)


def _entropy(*columns: Codes) -> float:
    keys = np.zeros(len(columns[0]), dtype=np.int64)
    for column in columns:
        keys = np.unique(keys, return_inverse=True)[1] * (int(column.max(initial=0)) + 2) + column + 1
    shares = np.unique(keys, return_counts=True)[1] / len(keys)
    return -math.fsum((shares * np.log(shares)).tolist())
