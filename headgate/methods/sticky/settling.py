"""From groups as they came about to a partition: mended until limits and conditions are kept, and counted again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from headgate.core.columns import Codes, Table
from headgate.core.compiling import starts_of
from headgate.core.distinct import places
from headgate.core.tolerance import exact, radius
from headgate.grouping.conditions import broken_conditions
from headgate.grouping.items import Itemized, items_of
from headgate.grouping.watch import Watch
from headgate.methods.household_counting import counting_households, recounted_by_households
from headgate.methods.method import Method
from headgate.methods.partition import Partition, counted_partition
from headgate.methods.settings import Settings
from headgate.methods.sticky.mending import Keeping, mend

ROUNDS = 12  # of uniting groups that break a condition


@dataclass(frozen=True, eq=False)
class Settling:
    """One table of a new version, and what its groups must keep. `turns` are its rows in the order in which groups give up equal ones.
    `promise`: the largest linkability that the series promises, with its tolerance."""

    method: Method
    table: Table
    sensitive: Sequence[str]
    settings: Settings
    itemized: Itemized
    promise: float
    seed: int
    watch: Watch

    @classmethod
    def of(
        cls, method: Method, table: Table, sensitive: Sequence[str], settings: Settings, promise: Any, seed: int, watch: Watch
    ) -> Settling:
        settings = counting_households(method, table, settings)
        itemized, share = items_of(table, settings.limits), radius(float(exact(promise)))
        return cls(method, table, sensitive, settings, itemized, share, seed, watch)

    def turns(self, cores: Codes) -> NDArray[np.int64]:
        """All rows, those of no core first: equal rows follow each other, in an order that is drawn."""
        drawn = np.random.default_rng(self.seed).permutation(len(self.itemized.first))
        return np.lexsort((cores, drawn[self.itemized.item], cores >= 0))

    def settled(self, groups: Codes, turns: NDArray[np.int64]) -> Codes:
        """Groups that are mended. Rows that are LOOKING find a place; those for which there is none have −1 then."""
        groups = self._mended(groups, turns, np.zeros(len(groups), dtype=np.bool_))
        for _ in range(ROUNDS):
            failures = self._failures(groups)
            if not failures or groups.max(initial=-1) < 1:
                break
            groups = self._mended(groups, turns, np.logical_or.reduce([rows for _, rows in failures]))
        return groups

    def counted(self, groups: Codes) -> Partition:
        """The partition, with everything counted again from the group numbers alone."""
        counted = counted_partition(self.itemized, self.settings, groups, self._failures(groups))
        return recounted_by_households(self.table, counted, self.settings.k)

    def _mended(self, groups: Codes, turns: NDArray[np.int64], must: NDArray[np.bool_]) -> Codes:
        keeping = Keeping(self.settings.k, self.promise, values_of_items(self.table, self.sensitive, self.settings, self.itemized))
        return self.watch.run(lambda: mend(self.itemized, keeping, groups, turns, self.watch.state, must))

    def _failures(self, groups: Codes) -> list[tuple[str, NDArray[np.bool_]]]:
        """The conditions that are not kept, each with the rows concerned; no row without a group is."""
        there, failures = groups >= 0, []
        for name, published in broken_conditions(self.table, groups, self.settings.conditions) if there.any() else ():
            concerned = np.zeros(len(groups), dtype=np.bool_)
            concerned[there] = published
            failures.append((name, concerned))
        return failures


def values_of_items(table: Table, sensitive: Sequence[str], settings: Settings, itemized: Itemized) -> NDArray[np.int64]:
    """Items × readings: the value of all sensitive attributes together, and of each alone, numbered through. No reading if the rows of an
    item may differ in one of them, because no limit looks at it: then nobody can be lent."""
    if not set(sensitive) <= {name for limit in settings.limits for name in limit.columns}:
        return np.zeros((len(itemized.first), 0), dtype=np.int64)
    alone = [column.codes[itemized.first] for column in table.select(sensitive)]
    readings = [places(alone), *(places([codes]) for codes in alone)] if len(alone) > 1 else [places(alone)]
    first = starts_of([np.arange(int(reading.max(initial=-1)) + 1) for reading in readings])
    return np.stack([reading + start for reading, start in zip(readings, first, strict=False)], axis=1)
