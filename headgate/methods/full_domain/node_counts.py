"""The groups of one node, counted: rolled up from the smallest finer table at hand, never from the rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from headgate.core.columns import Codes, Table
from headgate.core.distinct import firsts_and_sizes, places
from headgate.core.published_form.levels import Levels
from headgate.core.tolerance import floors
from headgate.grouping.conditions import Closeness
from headgate.grouping.watch import DONE, Watch
from headgate.methods.full_domain.lattice import Entries, Lattice, group, in_groups, lattice_of
from headgate.methods.full_domain.level_settings import LevelSettings
from headgate.methods.full_domain.objective import DISCERNIBILITY, Objective
from headgate.methods.full_domain.promises import Promises, promises, prunes, released_closeness

Node = tuple[int, ...]
KEPT_TABLES = 256  # to roll up from
KEPT_ENTRIES = 4_000_000


class CountedNode(NamedTuple):
    """The result of counting a node's groups."""

    prunable: bool  # whether the prunable conditions are kept
    valid: bool
    cost: float  # of the objective; infinite if not valid


class NodeGroups(NamedTuple):
    entries: Entries
    bounds: NDArray[np.int64]
    sizes: NDArray[np.int64]
    unit: NDArray[np.int64]  # one of each group


class Counting:
    """Units are the distinct combinations of quasi-identifiers and of the attributes that conditions need, with their rows."""

    def __init__(self, table: Table, levels: tuple[Levels, ...], settings: LevelSettings, objective: Objective, watch: Watch) -> None:
        self.table, self.settings, self.objective, self.watch = table, settings, objective, watch
        self.lattice: Lattice = lattice_of(levels)
        self.heights: Node = tuple(len(column_levels) for column_levels in levels)
        self.bound = objective.least()
        self.allowed = int(floors(table.rows, settings.suppression))
        self.cell = places(column.codes for column in table.select(table.quasi))
        joint = _joint(table, settings)
        self.kinds = 1 if joint is None else int(joint.max()) + 1
        unit = self.cell if joint is None else places([self.cell, joint])
        self.unit_of_row = unit
        self.first, weight = firsts_and_sizes(unit)
        self.joint = np.zeros(len(weight), dtype=np.int64) if joint is None else joint[self.first].astype(np.int64)
        codes = [column.codes[self.first] for column in table.select(table.quasi)]
        filled = [np.where(own < 0, column_levels.nodes.shape[1] - 1, own) for own, column_levels in zip(codes, levels, strict=True)]
        self.code = np.ascontiguousarray(np.stack(filled, axis=1).astype(np.int32))
        self.units = Entries(np.arange(len(weight), dtype=np.int64), weight)
        self._tables: list[Entries] = [self.units]
        self._at = np.zeros((1, len(levels)), dtype=np.int64)
        self._counted: dict[Node, CountedNode] = {}
        requirements = [*settings.conditions, *settings.limits]
        flags = [prunes(requirement, table, settings.suppression) for requirement in requirements]
        self.moving = settings.suppression > 0 and any(isinstance(requirement, Closeness) for requirement in requirements)
        self.pruning = self._promises(flags)
        self.others = self._promises(
            [
                not flag and not (self.moving and isinstance(requirement, Closeness))
                for flag, requirement in zip(flags, requirements, strict=True)
            ]
        )

    @property
    def checked(self) -> int:
        return len(self._counted)

    @property
    def all_prunes(self) -> bool:
        return self.others.empty and not self.moving

    def count(self, node: Node) -> CountedNode:
        """Counts a node's groups, once."""
        known = self._counted.get(node)
        if known is None:
            self.watch.require_going()
            known = self._counted[node] = self._judge(node)
            self.watch.state[DONE] += 1
        return known

    def cost(self, node: Node) -> float:
        """The cost of a valid node; without suppression it follows from the levels alone, except for discernibility."""
        if self.allowed == 0 and self.objective.name != DISCERNIBILITY:
            return float(self.bound[node])
        return self.count(node).cost

    def publish(self, node: Node, objective: Objective) -> tuple[Codes, float]:
        """The group of each row, numbered without gaps, −1 where it is suppressed; and what the node costs by this objective."""
        grouped, failing = self._failing(node)
        groups, _, _ = group(self.lattice, self.code, np.array(node, dtype=np.int64), self.units)
        place = groups[grouped.unit]  # groups of another table are numbered otherwise
        number = np.full(len(grouped.sizes), -1, dtype=np.int32)
        number[place[~failing]] = np.arange(int((~failing).sum()), dtype=np.int32)
        cost = objective.cost(np.array(node), self.code[grouped.unit], grouped.sizes, failing)
        return np.asarray(number[groups][self.unit_of_row]), cost

    def _promises(self, chosen: Sequence[bool]) -> Promises:
        split = len(self.settings.conditions)
        conditions = [requirement for requirement, flag in zip(self.settings.conditions, chosen[:split], strict=True) if flag]
        limits = [requirement for requirement, flag in zip(self.settings.limits, chosen[split:], strict=True) if flag]
        return promises(self.table, self.first, conditions, limits, self.watch.state)

    def _judge(self, node: Node) -> CountedNode:
        grouped = self._grouped(node)
        if self.objective.name == DISCERNIBILITY:
            above = tuple(slice(height, None) for height in node)
            self.bound[above] = np.maximum(self.bound[above], float((grouped.sizes**2).sum()))
        failing = grouped.sizes < self.settings.k
        if self._over(grouped, failing):
            return CountedNode(False, False, np.inf)
        if not self.pruning.empty:
            failing |= self.pruning.fails(grouped.entries, grouped.bounds)
            if self._over(grouped, failing):
                return CountedNode(False, False, np.inf)
        failing = self._fails_others(grouped, failing)
        if self._over(grouped, failing):
            return CountedNode(True, False, np.inf)
        return CountedNode(True, True, self.objective.cost(np.array(node), self.code[grouped.unit], grouped.sizes, failing))

    def _over(self, grouped: NodeGroups, failing: NDArray[np.bool_]) -> bool:
        return int(grouped.sizes[failing].sum()) > self.allowed or bool(failing.all())

    def _failing(self, node: Node) -> tuple[NodeGroups, NDArray[np.bool_]]:
        grouped = self._grouped(node)
        failing = grouped.sizes < self.settings.k
        if not self.pruning.empty:
            failing |= self.pruning.fails(grouped.entries, grouped.bounds)
        return grouped, self._fails_others(grouped, failing)

    def _fails_others(self, grouped: NodeGroups, failing: NDArray[np.bool_]) -> NDArray[np.bool_]:
        if not self.others.empty:
            failing = failing | self.others.fails(grouped.entries, grouped.bounds)
        if not self.moving:
            return failing
        conditions = [condition for condition in self.settings.conditions if isinstance(condition, Closeness)]
        many = np.diff(grouped.bounds)
        while not self._over(grouped, failing):
            weight = np.zeros(len(self.first), dtype=np.int64)
            kept = np.repeat(~failing, many)
            # An entry stands for units of the same sensitive values, so any of them may carry its rows.
            np.add.at(weight, grouped.entries.unit[kept], grouped.entries.weight[kept])
            close = released_closeness(self.table, self.first, conditions, weight, self.watch.state)
            far = ~failing & close.fails(grouped.entries, grouped.bounds)
            if not far.any():
                break
            failing = failing | far
        return failing

    def _grouped(self, node: Node) -> NodeGroups:
        level = np.array(node, dtype=np.int64)
        finer = np.flatnonzero((self._at <= level).all(axis=1))
        source = self._tables[min(finer, key=lambda i: len(self._tables[i].unit))]
        groups, sizes, firsts = group(self.lattice, self.code, level, source)
        unit = source.unit[firsts]
        if self.kinds == 1:
            entries, bounds = Entries(unit, sizes), np.arange(len(sizes) + 1, dtype=np.int64)
        else:
            entries, bounds = in_groups(groups, len(sizes), source, self.joint, self.kinds)
        self._keep(level, entries, len(source.unit))
        return NodeGroups(entries, bounds, sizes, unit)

    def _keep(self, level: NDArray[np.int64], entries: Entries, source: int) -> None:
        """A table is kept if rolling up from it is cheaper than from its own source."""
        if 4 * len(entries.unit) > 3 * source:
            return
        if len(self._tables) >= KEPT_TABLES or sum(len(table.unit) for table in self._tables) > KEPT_ENTRIES:
            self._tables, self._at = self._tables[:1], self._at[:1]
        self._tables.append(entries)
        self._at = np.concatenate([self._at, level[None, :]])


def _joint(table: Table, settings: LevelSettings) -> NDArray[np.int32] | None:
    """One number for the combination of all columns that the conditions look at."""
    named = dict.fromkeys(condition.column for condition in settings.conditions)
    looked_at = [table[name].codes for name in named] + [limit.value for limit in settings.limits]
    return places(looked_at) if looked_at else None
