"""`method: full-domain`: one level of its hierarchy for a whole quasi-identifier, chosen over all levels."""

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
class FullDomain(Method):
    """`objective`: the cost that the best choice of levels minimizes (`objective.OBJECTIVES`)."""

    objective: str = "ncp"

    key: ClassVar[str] = "full-domain"
    looks_at_conditions: ClassVar[bool] = True
    suppresses: ClassVar[bool] = True
    whole_levels: ClassVar[bool] = True
    progress: ClassVar[str] = "choices of levels counted"

    def group(self, table: Table, sensitive: Sequence[str], settings: Settings, seed: int, watch: Watch) -> Partition:
        from headgate.methods.full_domain.level_partition import level_partition

        return level_partition(table, sensitive, settings, self.objective, watch)
