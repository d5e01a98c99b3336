"""How often an attacker is right, and how often he would be right without the release's groups."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from headgate.core.columns import Column
from headgate.core.errors import InputRejected
from headgate.core.units import counted

QUANTILE = 1.959963984540054  # of the normal distribution, for 95 %


@dataclass(frozen=True)
class Success:
    """`right` and `right_overall` are numbers of people; where the attacker guesses at random they are expected numbers and need not be
    whole.

    `sensitive` of those who are guessed rightly have a sensitive value; None where no value is guessed."""

    attack: str
    guess: str  # what the attacker guesses, in words
    people: int
    right: float
    right_overall: float  # guessing from the overall distribution only
    sensitive: int | None = None
    sensitive_overall: int | None = None

    @property
    def share(self) -> float:
        return self.right / self.people

    @property
    def share_overall(self) -> float:
        return self.right_overall / self.people

    @property
    def gain(self) -> float:
        return self.share - self.share_overall

    @property
    def harm(self) -> float:
        """The gain for sensitive values only: a right guess of a value that is not sensitive hurts nobody."""
        if self.sensitive is None or self.sensitive_overall is None:
            return self.gain
        return (self.sensitive - self.sensitive_overall) / self.people

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % interval, for people drawn from a large population like them."""
        return wilson(self.right, self.people)

    @property
    def interval_overall(self) -> tuple[float, float]:
        return wilson(self.right_overall, self.people)

    def sentence(self) -> str:
        return (
            f"{self.attack}: an attacker who guesses {self.guess} is right for {_share(self.share, self.interval)} "
            f"of {self.people:,} people; "
            f"guessing from the whole table instead, for {_share(self.share_overall, self.interval_overall)}.{self._secrets()}"
        )

    def _secrets(self) -> str:
        if self.sensitive is None or self.sensitive_overall is None or self.sensitive == self.right:
            return ""
        shares = (percent(right / self.people) for right in (self.sensitive, self.sensitive_overall))
        return " For sensitive values only: {} %, against {} % by guessing from the whole table.".format(*shares)


def guessed_value(attribute: str, success: Success) -> str:
    """What a right guess is counted as; values that are not sensitive hurt nobody."""
    harmless = (success.right, success.right_overall) != (success.sensitive, success.sensitive_overall)
    return f"a sensitive value of '{attribute}'" if harmless else f"'{attribute}'"


def people_counted(number: int) -> str:
    return counted(number, "person", "people") if number else "nobody"


class AttackResult:
    """How often an attack succeeded, and a remark of its own."""

    success: Success

    def remark(self) -> str:
        raise NotImplementedError

    def who(self, tables: str) -> str:
        """Somebody who does what is right about what, as the start of a sentence about the people."""
        raise NotImplementedError

    def sentence(self) -> str:
        return f"{self.success.sentence()} {self.remark()}"


def success(attack: str, guess: str, people: int, right: float, right_overall: float) -> Success:
    """An attack on nobody is an error, not a share of 0."""
    if people < 1:
        raise InputRejected("An attack needs somebody to attack.", "Give at least one person.")
    return Success(attack, guess, people, float(right), float(right_overall))


def guessed(
    attack: str, guess: str, column: Column, truth: NDArray[np.int64], right: NDArray[np.bool_], right_overall: NDArray[np.bool_]
) -> Success:
    """Guesses of values of one published column; `truth` has each person's own value by number, the missing value last."""
    sensitive, sensitive_overall = (int(np.count_nonzero(column.sensitive[truth[flags]])) for flags in (right, right_overall))
    done = success(attack, guess, len(truth), int(right.sum()), int(right_overall.sum()))
    return replace(done, sensitive=sensitive, sensitive_overall=sensitive_overall)


def wilson(right: float, people: int) -> tuple[float, float]:
    """The 95 % score interval of a share (Wilson, J. Am. Stat. Assoc. 22, 1927); it stays within 0 and 1, and is never empty."""
    share, square = right / people, QUANTILE**2
    centre = (share + square / (2 * people)) / (1 + square / people)
    half = QUANTILE / (1 + square / people) * math.sqrt(share * (1 - share) / people + square / (4 * people**2))
    return (0.0 if right <= 0 else max(0.0, centre - half)), (1.0 if right >= people else min(1.0, centre + half))


def _share(share: float, interval: tuple[float, float]) -> str:
    return f"{percent(share)} % ({percent(interval[0])} to {percent(interval[1])})"


def percent(share: float) -> str:
    """One decimal; below 1 % two digits, so that a rare success is not written as none."""
    return f"{100 * share:.1f}" if share >= 0.01 or share < 1e-6 else f"{100 * share:.2g}"
