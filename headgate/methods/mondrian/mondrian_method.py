"""`method: mondrian`: multidimensional cuts at the median, as long as both sides hold every condition."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from headgate.methods.method import Method

if TYPE_CHECKING:
    from headgate.core.columns import Table
    from headgate.grouping.watch import Watch
    from headgate.methods.partition import Partition
    from headgate.methods.settings import Settings


@dataclass(frozen=True)
class Mondrian(Method):
    """`strict`: a cut never separates equal quasi-identifiers; else those at the median are divided between the sides."""

    strict: bool = True

    key: ClassVar[str] = "mondrian"
    looks_at_conditions: ClassVar[bool] = True
    keeps_groups: ClassVar[bool] = True

    def group(self, table: Table, sensitive: Sequence[str], settings: Settings, seed: int, watch: Watch) -> Partition:
        from headgate.methods.mondrian.mondrian_partition import mondrian_partition

        return mondrian_partition(table, sensitive, settings, self.strict, watch)
