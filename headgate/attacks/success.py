"""How often an attacker is right, beside how often he would be without the release's groups."""

from __future__ import annotations

import math
from dataclasses import dataclass

from headgate.errors import InputRejected

QUANTILE = 1.959963984540054  # of the normal distribution, for 95 %


@dataclass(frozen=True)
class Success:
    """`right` and `right_overall` are numbers of people; they are expected ones, and then need not be whole, where he draws lots."""

    attack: str
    guess: str  # what he guesses, in words
    people: int
    right: float
    right_overall: float  # guessing from the overall distribution only

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
    def interval(self) -> tuple[float, float]:
        """95 %, for people drawn from as many alike."""
        return wilson(self.right, self.people)

    @property
    def interval_overall(self) -> tuple[float, float]:
        return wilson(self.right_overall, self.people)

    def sentence(self) -> str:
        return (
            f"{self.attack}: whoever guesses {self.guess} is right for {_share(self.share, self.interval)} of {self.people:,} people; "
            f"from the overall distribution only, for {_share(self.share_overall, self.interval_overall)}."
        )


def success(attack: str, guess: str, people: int, right: float, right_overall: float) -> Success:
    """Nobody to attack is an error, not a share of 0."""
    if people < 1:
        raise InputRejected("There is nobody to attack.", "Give at least one person.")
    return Success(attack, guess, people, float(right), float(right_overall))


def wilson(right: float, people: int) -> tuple[float, float]:
    """The 95 % score interval of a share (Wilson, J. Am. Stat. Assoc. 22, 1927); it stays within 0 and 1, and is never empty."""
    share, square = right / people, QUANTILE**2
    centre = (share + square / (2 * people)) / (1 + square / people)
    half = QUANTILE / (1 + square / people) * math.sqrt(share * (1 - share) / people + square / (4 * people**2))
    return (0.0 if right <= 0 else max(0.0, centre - half)), (1.0 if right >= people else min(1.0, centre + half))


def _share(share: float, interval: tuple[float, float]) -> str:
    return f"{100 * share:.1f} % ({100 * interval[0]:.1f} to {100 * interval[1]:.1f})"
