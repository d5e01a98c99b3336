"""How a gate speaks to people who are no statisticians: which of their questions it answers, and what its figures count."""

from __future__ import annotations

from enum import StrEnum


class Question(StrEnum):
    """What approvers want to know."""

    RECOGNIZED = "recognized"  # who could be recognized
    LEARNED = "learned"  # what could be learned about somebody
    TOGETHER = "together"  # what several tables or versions tell together
    COST = "cost"  # what the protection costs


class Unit(StrEnum):
    """What a figure counts."""

    SHARE = "share"
    NUMBER = "number"
    PEOPLE = "people"
    HOUSEHOLDS = "households"
    VALUES = "values"
    ONE_IN = "one in"  # so many people
    POINTS = "points"  # a difference of two shares
