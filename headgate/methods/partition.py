"""The result of a method."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from headgate.bounds.certificates import EVERY, FAITHFUL, Certificate, refute
from headgate.bounds.feasibility import ways_to_publish
from headgate.core.columns import Codes, Table
from headgate.core.errors import RequirementNotMet
from headgate.grouping.items import Itemized
from headgate.grouping.limits import DISSIMILARITY
from headgate.grouping.recount import main_limit, recount
from headgate.methods.settings import Infeasible, Otherwise, Settings

ADVISE = "run `headgate advise`"
FAIL = Infeasible()


@dataclass(frozen=True, eq=False)
class Partition:
    """The result of a method. `groups` has one number per row, −1 for suppressed rows; groups are numbered without gaps.

    reached: every limit holds in every group, and in every class of groups that are published alike, counted again from the groups. If it
    is not reached, `rows_over` rows have too many similar rows, and `certificate`, if there is one, proves that no partition could do
    better.
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
    levels: Mapping[str, int] | None = None  # where each quasi-identifier is published at one level: which

    def require(self, table: str = "") -> Partition:
        """This partition if it is reached; else the refusal, with its cure."""
        if not self.reached:
            raise self.refusal(f"in {table}" if table else "")
        return self

    def refusal(self, where: str = "", otherwise: str = ADVISE, allowed: Infeasible = FAIL) -> RequirementNotMet:
        """`where`, such as "in table-1", begins the sentence; `otherwise` ends the cure. `allowed`: what the policy allows already."""
        if self.rows_over == 1:
            said = "1 row has too many similar rows in its group; none may"
        elif self.rows_over:
            said = f"{self.rows_over:,} rows have too many similar rows in their group; none may"
        else:
            said = f"some groups do not satisfy {', '.join(self.broken) or 'the requirements'}"
        sentence = f"{where}, {said}." if where else f"{said}."
        return RequirementNotMet(sentence[0].upper() + sentence[1:], self.remedy(otherwise, allowed), "rows", float(self.rows_over), 0.0)

    def remedy(self, otherwise: str = ADVISE, allowed: Infeasible = FAIL) -> str:
        """What would help, in words that contain no data value, and not what is `allowed` already. `otherwise` says what to do if none of
        it is possible."""
        proof = self.certificate
        if proof is not None and proof.refutes == EVERY:
            least = None if proof.to_suppress is None or not proof.rows else proof.to_suppress * proof.share / proof.rows
            ways = ", ".join([proof.cure, *_allowing(allowed, least, proof.limit == DISSIMILARITY, proof.largest_delta)])
            return f"No partition can satisfy this: {proof.sentence()}{proof.at_best()} {ways}, or {otherwise}."
        kept = f" ({', '.join(self.broken)})" if self.broken else ""
        relaxable = self.delta_asked is not None and set(self.broken) <= {DISSIMILARITY}
        return ", ".join([f"Lower δ, ε or k{kept}", *_allowing(allowed, None, relaxable)]) + f", or {otherwise}."


def _allowing(allowed: Infeasible, least: float | None, relaxable: bool, largest: float | None = None) -> Iterator[str]:
    """What more the policy could allow, where that helps; `least`: no smaller share of the rows can be enough. A lower δ helps only where
    it is all that is broken; `largest`: no greater one can be reached."""
    share = None if least is None else math.ceil(10_000 * least) / 10_000  # up, so that it is not too little
    now = float(allowed.amount)
    floor = None if largest is None else math.floor(100 * largest) / 100  # down, so that it is not too much
    if allowed.otherwise is Otherwise.RELAX:
        if relaxable:
            yield f"lower the δ in `infeasible: {{relax: {now:g}}}`" + (
                f" to {floor:g} or less" if floor is not None and floor < now else ""
            )
        return
    if allowed.otherwise is Otherwise.FAIL:
        yield "write `infeasible: {suppress: " + ("0.01}`, a share of the rows" if share is None else f"{share:g}}}` or more")
        if relaxable:
            yield "write `infeasible: {relax: " + ("0.3}`, the least δ that you accept" if floor is None else f"{floor:g}}}` or less")
        return
    more = f"more than {now:g}" if share is None or share <= now else f"at least {share:g} instead of {now:g}"
    yield f"allow {more} in `infeasible: {{suppress: …}}`"


def counted_partition(
    itemized: Itemized, settings: Settings, groups: Codes, failures: Sequence[tuple[str, NDArray[np.bool_]]] = ()
) -> Partition:
    """These groups as a partition, with every limit counted again from the group numbers alone. `failures` are the conditions that are
    broken, each with the rows concerned."""
    counted = recount(itemized, settings.limits, groups)
    main = main_limit(settings.limits)
    concerned = counted.over > 0
    for _, rows in failures:
        concerned = concerned | rows
    return Partition(
        groups=groups,
        reached=counted.reached(settings.k) and not failures,
        risk=counted.risk,
        certificate=None,
        suppressed=int((groups < 0).sum()),
        delta_reached=None if counted.risk is None else 1.0 - counted.risk,
        delta_asked=None if main is None or main.delta is None else float(main.delta),
        broken=(*counted.broken, *(name for name, _ in failures)),
        rows_over=int(concerned.sum()),
        smallest=counted.smallest,
        count=int(groups.max(initial=-1)) + 1,
        loss=counted.loss,
    )


def refutation(table: Table, sensitive: Sequence[str], settings: Settings, equitable: bool = False) -> Certificate | None:
    """A proof that no partition satisfies the limits; with `equitable`, also a proof that none with group sizes that differ by at most
    one does."""
    ways = ways_to_publish(table.select(table.quasi), table.rows // settings.k)
    proof = refute(settings.limits, settings.k, table.select(sensitive), ways=ways)
    return None if proof is not None and proof.refutes == FAITHFUL and not equitable else proof
