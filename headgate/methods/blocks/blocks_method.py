"""`variant: blocks`: rows near each other in their quasi-identifiers are grouped."""

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
class Blocks(Method):
    key: ClassVar[str] = "xcolor"
    variant: ClassVar[str | None] = "blocks"
    keeps_groups: ClassVar[bool] = True

    def group(self, table: Table, sensitive: Sequence[str], settings: Settings, seed: int, watch: Watch) -> Partition:
        from headgate.methods.blocks.block_partition import block_partition

        return block_partition(table, sensitive, settings, seed, watch)
