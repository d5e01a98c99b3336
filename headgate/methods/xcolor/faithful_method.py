"""`variant: faithful`: XColor as the paper has it, which does not look at quasi-identifiers."""

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
class Faithful(Method):
    key: ClassVar[str] = "xcolor"
    variant: ClassVar[str | None] = "faithful"

    def group(self, table: Table, sensitive: Sequence[str], settings: Settings, seed: int, watch: Watch) -> Partition:
        from headgate.methods.xcolor.colored_partition import colored_partition

        return colored_partition(table, sensitive, settings, watch)
