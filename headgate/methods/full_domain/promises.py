"""What every published group must satisfy besides k, and which conditions may prune.

Going up the lattice groups merge. Without suppression a condition prunes if the union of groups that keep it keeps it: distinct l,
closeness (the earth mover's distance is convex), linkability, frequency l and (δ, 0) always; entropy l, recursive (c, l) and window-(δ, l)
where every value is sensitive, since a group without sensitive values keeps them whatever it holds. Definition-(δ, l) and (ε, δ) never do.
With suppression a group that keeps it must keep it with whatever it merges with: only distinct l does, where every value is sensitive,
and a number of households.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from headgate.core.columns import Column, Table
from headgate.core.compiling import loop
from headgate.grouping.condition_checks import holds, scratch_for
from headgate.grouping.condition_distances import Scratch
from headgate.grouping.condition_rules import Rules, compile_conditions
from headgate.grouping.conditions import Closeness, DistinctL, Households
from headgate.grouping.limits import NeighbourhoodLimit
from headgate.grouping.nearness import EQUAL, Nearness, cheapest_form, compile_limits
from headgate.grouping.watch import STOP
from headgate.methods.full_domain.lattice import Entries
from headgate.methods.full_domain.level_settings import LevelCondition
from headgate.methods.full_domain.windows import Window, WindowL, windows_of

EVERY_VALUE = 2**62  # every neighbourhood is counted, however many values there are


@dataclass(frozen=True, eq=False)
class Promises:
    """Some of the conditions, compiled over the units."""

    rules: Rules
    limits: Nearness
    windows: tuple[Window, ...]
    scratch: Scratch

    @property
    def empty(self) -> bool:
        return len(self.rules.conditions) == 0 and len(self.limits.of) == 0 and not self.windows

    def fails(self, entries: Entries, bounds: NDArray[np.int64]) -> NDArray[np.bool_]:
        """One flag per group."""
        failing = np.asarray(_fails(self.rules, self.limits, entries, bounds, self.scratch))
        for window in self.windows:
            failing = failing | window.fails(entries, bounds)
        return failing


def promises(
    table: Table,
    first: NDArray[np.int32],
    conditions: Sequence[LevelCondition],
    limits: Sequence[NeighbourhoodLimit],
    state: NDArray[np.int64],
) -> Promises:
    """`first` is a row of each unit."""
    usual = [condition for condition in conditions if not isinstance(condition, WindowL)]
    rules = compile_conditions(table, usual)
    rules = rules._replace(value=np.ascontiguousarray(rules.value[first]))
    compiled = compile_limits(limits, table.rows, first)
    windows = windows_of(table, first, [condition for condition in conditions if isinstance(condition, WindowL)])
    return Promises(rules, compiled, windows, scratch_for(rules, compiled, state, EVERY_VALUE))


def released_closeness(
    table: Table, first: NDArray[np.int32], conditions: Sequence[Closeness], weight: NDArray[np.int64], state: NDArray[np.int64]
) -> Promises:
    """Closeness to the released rows alone: `weight` of each unit, 0 if it is suppressed."""
    columns = table.select(dict.fromkeys(condition.column for condition in conditions))
    rules = compile_conditions(Table({column.name: column for column in columns}, (), ()).take(np.repeat(first, weight)), conditions)
    value = np.zeros((len(first), len(columns)), dtype=np.int32)
    for i, column in enumerate(columns):
        value[:, i] = np.where(column.codes[first] < 0, len(column.values), column.codes[first])
    rules = rules._replace(value=value)
    none = compile_limits((), table.rows, first)
    return Promises(rules, none, (), scratch_for(rules, none, state, EVERY_VALUE))


def prunes(condition: LevelCondition | NeighbourhoodLimit, table: Table, suppression: Fraction) -> bool:
    if isinstance(condition, NeighbourhoodLimit):
        return suppression == 0 and condition.delta is None and cheapest_form(condition) == EQUAL
    if isinstance(condition, Households):
        return True  # every household counts, and a union has no fewer
    if isinstance(condition, DistinctL):
        return suppression == 0 or _all_sensitive(table[condition.column])
    if isinstance(condition, Closeness):
        return suppression == 0
    return suppression == 0 and _all_sensitive(table[condition.column])


def _all_sensitive(column: Column) -> bool:
    return bool(column.sensitive[column.counts() > 0].all())


@loop
def _fails(rules: Rules, limits: Nearness, entries: Entries, bounds: NDArray[np.int64], scratch: Scratch) -> NDArray[np.bool_]:
    out = np.zeros(len(bounds) - 1, np.bool_)
    for g in range(len(out)):
        if scratch.state[STOP] != 0:
            break
        first, last = bounds[g], bounds[g + 1]
        out[g] = not holds(rules, limits, entries.unit[first:last], entries.weight[first:last], scratch)
    return out
