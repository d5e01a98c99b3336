"""What is asked of the anonymizer, and what it answers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from fractions import Fraction
from typing import Any

from headgate.bounds.certificates import EVERY, Certificate
from headgate.core.columns import Codes
from headgate.core.errors import InputRejected, RequirementNotMet
from headgate.core.tolerance import exact
from headgate.grouping.limits import NeighbourhoodLimit


class Variant(StrEnum):
    BLOCKS = "blocks"
    FAITHFUL = "faithful"
    MONDRIAN = "mondrian"
    FULL_DOMAIN = "full-domain"


class Otherwise(StrEnum):
    """What to do when the limits are not reached."""

    FAIL = "fail"
    SUPPRESS = "suppress"
    RELAX = "relax"


@dataclass(frozen=True)
class Infeasible:
    """`share` of input rows that may be suppressed, or the `floor` down to which δ may fall."""

    otherwise: Otherwise = Otherwise.FAIL
    amount: Fraction = Fraction(0)

    @classmethod
    def of(cls, setting: Any) -> Infeasible:
        """Reads `fail`, `{suppress: share}` or `{relax: floor}`."""
        if isinstance(setting, Infeasible):
            return setting
        if setting in (None, "fail"):
            return cls()
        if isinstance(setting, Mapping) and len(setting) == 1:
            ((word, amount),) = setting.items()
            if word in ("suppress", "relax") and 0 <= exact(amount) <= 1:
                return cls(Otherwise(word), exact(amount))
        raise InputRejected("`infeasible` is not understood.", "Write fail, {suppress: share} or {relax: floor}, with a decimal in 0 … 1.")


@dataclass(frozen=True, eq=False)
class XColorSettings:
    k: int
    limits: tuple[NeighbourhoodLimit, ...] = ()
    variant: Variant = Variant.BLOCKS
    infeasible: Infeasible = field(default_factory=Infeasible)


@dataclass(frozen=True, eq=False)
class Partition:
    """`groups` has one number a row, −1 for suppressed rows; groups are numbered without gaps.

    reached: every limit holds in every group and in every class of groups that are published alike, counted again from the groups.
    Not reached: `rows_over` rows have too many similar ones; `certificate`, where one was found, proves that no partition could do it.
    """

    groups: Codes
    reached: bool
    risk: float | None  # of the (ε, δ) limit, over sensitive centres; None if there is none
    certificate: Certificate | None
    suppressed: int
    delta_reached: float | None  # 1 − risk
    delta_asked: float | None  # after relaxing: the δ that the partition was made for
    broken: tuple[str, ...]  # limits that are not kept
    rows_over: int
    smallest: int  # rows in the smallest group
    count: int  # groups
    loss: float  # NCP of the released rows
    variant: Variant
    levels: Mapping[str, int] | None = None  # of full-domain generalization: what level each quasi-identifier is published at

    def require(self, table: str = "") -> Partition:
        """This partition if it is reached; else the refusal, with its cure."""
        if not self.reached:
            raise self.refusal(table)
        return self

    def refusal(self, table: str = "") -> RequirementNotMet:
        if self.variant is Variant.FULL_DOMAIN:
            return RequirementNotMet("The number of valid choices of levels", 0.0, 1.0, self.remedy(), table)
        return RequirementNotMet("Rows with too many similar ones in their group", float(self.rows_over), 0.0, self.remedy(), table)

    def remedy(self) -> str:
        """What would help, in words that hold no data value."""
        if self.variant is Variant.FULL_DOMAIN:
            return (
                "No choice of levels keeps what is asked, perhaps not even everybody in one group: loosen k, δ or the gates on single "
                "attributes, raise `suppression`, or give the hierarchies more levels."
            )
        if self.certificate is not None and self.certificate.refutes == EVERY:
            return f"No partition can do it: {self.certificate.sentence()} Lower δ or ε, set `infeasible`, or run `headgate advise`."
        kept = f" ({', '.join(self.broken)})" if self.broken else ""
        return f"Lower δ, ε or k{kept}, set `infeasible: {{suppress: share}}` or `{{relax: floor}}`, or run `headgate advise`."
