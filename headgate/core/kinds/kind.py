"""Every kind: the word that a policy and a manifest write, and its rules."""

from __future__ import annotations

from enum import StrEnum

from headgate.core.kinds.category import Category
from headgate.core.kinds.date import Date
from headgate.core.kinds.kind_rules import KindRules
from headgate.core.kinds.number import Integer, Number
from headgate.core.kinds.ordinal import Ordinal
from headgate.core.kinds.set_of_values import SetOfValues
from headgate.core.kinds.vector import Vector


class Kind(StrEnum):
    NUMBER = "number"
    INTEGER = "integer"
    DATE = "date"
    ORDINAL = "ordinal"
    CATEGORY = "category"
    SET = "set"
    VECTOR = "vector"

    @property
    def rules(self) -> KindRules:
        return RULES[self]

    @property
    def numeric(self) -> bool:
        return self.rules.numeric

    @property
    def ordered(self) -> bool:
        """Values lie on a line: numbers, days and levels do."""
        return self.rules.ordered


RULES: dict[Kind, KindRules] = {
    Kind.NUMBER: Number(),
    Kind.INTEGER: Integer(),
    Kind.DATE: Date(),
    Kind.ORDINAL: Ordinal(),
    Kind.CATEGORY: Category(),
    Kind.SET: SetOfValues(),
    Kind.VECTOR: Vector(),
}
