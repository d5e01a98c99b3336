"""What a method is: it takes one projected table and returns one partition."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar, Protocol

if TYPE_CHECKING:  # a policy file is read without the compiled loops
    from headgate.core.columns import Table
    from headgate.grouping.watch import Watch
    from headgate.methods.partition import Partition
    from headgate.methods.settings import Settings


class Method(Protocol):
    """A frozen dataclass, whose fields are the method's own options, each with a default. `group` imports the compiled loops."""

    key: ClassVar[str]  # `anonymize.method` in a policy
    variant: ClassVar[str | None] = None  # `anonymize.variant`, where methods share a key
    looks_at_conditions: ClassVar[bool] = False  # groups are made so that they hold the conditions; elsewhere these only judge the result
    keeps_groups: ClassVar[bool] = False  # can group a new version so that former groups stay together
    suppresses: ClassVar[bool] = False  # which rows to suppress is part of the search; elsewhere it is the last resort
    whole_levels: ClassVar[bool] = False  # a quasi-identifier is published at one level of its hierarchy in all rows
    progress: ClassVar[str] = "rows grouped"  # what the watch counts

    def group(self, table: Table, sensitive: Sequence[str], settings: Settings, seed: int, watch: Watch) -> Partition:
        """Groups of at least k, and whether they satisfy all requirements; with a proof, where one exists, that no partition could."""
        ...
