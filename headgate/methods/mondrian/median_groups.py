"""Rows in, group numbers out.

Not every condition is monotone: two groups within (ε, δ), or within the star of (δ, l), can together break it, and so can diversity where
some values are declared non-sensitive. That matters twice. A block that breaks its conditions may have parts that keep them, so the search
does not stop at it, not even at the whole table, but cuts on with k alone (cutting). And groups that are published alike
are one class to whoever does not know the groups: where such a class breaks a condition, the cuts that made its groups are taken back,
one level at a time, as long as what they cut keeps the conditions itself. Uniting just those groups would not help, since they are that
class already. Where nothing is left to take back the partition stays as it is, and the check says that it is not reached.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from headgate.core.columns import Codes, Column, Table
from headgate.core.compiling import loop
from headgate.core.distinct import firsts_and_sizes, places
from headgate.grouping.axes import Axes, axes_of, published_keys
from headgate.grouping.condition_checks import EXACT, holds, scratch_for
from headgate.grouping.condition_rules import Rules, compile_conditions
from headgate.grouping.nearness import Nearness, compile_limits
from headgate.grouping.watch import STOP, Watch
from headgate.methods.mondrian.cutting import Lines, Tree, cut
from headgate.methods.settings import Settings

DENSE = 4  # a table of all combinations of values may be so many times larger than the rows


def divide(table: Table, settings: Settings, strict: bool = True, sensitive: Sequence[str] = (), watch: Watch | None = None) -> Codes:
    """A group number per row, 0, 1, 2 … from the lowest positions up. The same rows in another order get the same groups: where equal rows
    are divided (not strict), those also alike in what is `sensitive` may change places."""
    axes, limits = axes_of(table), compile_limits(settings.limits, table.rows)
    rules = compile_conditions(table, settings.conditions)
    watch = Watch() if watch is None else watch
    unit, lines = _lines(table, settings, strict, sensitive, axes)
    tree: Tree = watch.run(lambda: cut(lines, rules, limits, settings.k, watch.state))
    leaves = np.flatnonzero(tree.leaf)
    leaves = leaves[np.argsort(tree.start[leaves], kind="stable")]
    if settings.conditions or settings.limits:
        cut_up = leaves
        leaves = watch.run(lambda: _take_back(axes, rules, limits, lines, tree, cut_up, watch.state))
    groups = np.empty(len(lines.row), dtype=np.int32)
    groups[lines.row if unit is None else unit[lines.row]] = np.repeat(np.arange(len(leaves)), tree.stop[leaves] - tree.start[leaves])
    return groups if unit is None else groups[unit]


def _lines(table: Table, settings: Settings, strict: bool, sensitive: Sequence[str], axes: Axes) -> tuple[Codes | None, Lines]:
    """One line per row; or, if cells are few and never divided, one line for all rows that agree in everything that matters."""
    quasi = table.select(table.quasi)
    involved = dict.fromkeys(name for limit in settings.limits for name in limit.columns)
    involved |= dict.fromkeys(condition.column for condition in settings.conditions)
    combinations = 1
    for column in (*quasi, *table.select(involved)):
        combinations *= len(column.values) + 1
    unit, row = None, np.arange(table.rows)
    weight, rank = np.ones(table.rows, dtype=np.int64), np.zeros(0, dtype=np.int64)
    if not strict:
        rank = _ranks(table, sensitive)
    elif combinations <= DENSE * table.rows:
        unit = places(column.codes for column in (*quasi, *table.select(involved)))
        first, weight = firsts_and_sizes(unit)
        row = first.astype(np.int64)
    scales = [_scale(column) for column in quasi]
    first_of = np.concatenate([[0], np.cumsum([len(scale) for scale in scales])]).astype(np.int64)
    position = np.array((axes.position if unit is None else axes.position[row]).T, order="C")  # a copy: cuts rearrange it
    return unit, Lines(position, row, weight, rank, first_of, np.concatenate(scales))


def _scale(column: Column) -> NDArray[np.float64]:
    """The position of each place of an axis in the domain: numbers and days by value, all other kinds by order."""
    size = len(column.values)
    place = column.kind.rules.shares_of_line(column) if column.hierarchy is None else np.arange(size) / max(size - 1, 1)
    return np.append(place, 0.0)


def _ranks(table: Table, sensitive: Sequence[str]) -> NDArray[np.int64]:
    """The order in which equal rows are divided: by quasi-identifiers, and within equal ones so that any stretch takes evenly from all
    sensitive values (sorted by them, then by van der Corput's sequence)."""
    cell = places(column.codes for column in table.select(table.quasi))
    columns = [column.codes for column in table.select(sensitive)]
    value = places(columns) if columns else np.zeros(table.rows, dtype=np.int32)
    order = np.lexsort((value, cell))
    starts = np.searchsorted(cell[order], np.arange(int(cell.max(initial=-1)) + 1))
    within = np.arange(table.rows) - starts[cell[order]]
    reversed_bits = np.zeros(table.rows, dtype=np.int64)
    for bit in range(int(within.max(initial=0)).bit_length()):
        reversed_bits |= ((within >> bit) & 1) << (62 - bit)
    order = order[np.lexsort((reversed_bits, cell[order]))]
    rank = np.empty(table.rows, dtype=np.int64)
    rank[order] = np.arange(table.rows)
    return rank


def _take_back(
    axes: Axes, rules: Rules, limits: Nearness, lines: Lines, tree: Tree, leaves: NDArray[np.int64], state: NDArray[np.int64]
) -> NDArray[np.int64]:
    """The blocks that are left as groups, from left to right, once no class of groups published alike can be mended by taking back cuts."""
    while state[STOP] == 0:
        bounds = np.append(tree.start[leaves], len(lines.row)).astype(np.int64)
        keys = published_keys(axes, lines.row, bounds)[0]
        classes = np.unique(keys, return_inverse=True)[1]
        by_class = np.argsort(classes, kind="stable")
        class_bounds = np.concatenate([[0], np.cumsum(np.bincount(classes))]).astype(np.int64)
        broken = by_class[_broken_classes(rules, limits, lines, bounds, by_class, class_bounds, state)]
        united = np.unique(tree.parent[leaves[broken]])
        united = united[(united >= 0) & tree.holds[united]]
        if len(united) == 0:
            return leaves
        starts, stops = tree.start[united], tree.stop[united]
        outer = np.lexsort((-stops, starts))
        starts, stops, united = starts[outer], stops[outer], united[outer]
        inside = np.append(False, stops[1:] <= np.maximum.accumulate(stops)[:-1])
        united, starts, stops = united[~inside], starts[~inside], stops[~inside]
        over = np.searchsorted(starts, tree.start[leaves], side="right") - 1
        covered = (over >= 0) & (tree.stop[leaves] <= stops[np.maximum(over, 0)])
        leaves = np.concatenate([leaves[~covered], united])
        leaves = leaves[np.argsort(tree.start[leaves], kind="stable")]
    return leaves


@loop
def _broken_classes(
    rules: Rules,
    limits: Nearness,
    lines: Lines,
    bounds: NDArray[np.int64],
    by_class: NDArray[np.int64],
    class_bounds: NDArray[np.int64],
    state: NDArray[np.int64],
) -> NDArray[np.bool_]:
    """Which places of `by_class` are groups of a class that does not hold: of those of several groups, and of large ones, which were only
    sampled."""
    broken = np.zeros(len(by_class), np.bool_)
    scratch = scratch_for(rules, limits, state, len(lines.row))
    rows, weight = np.empty(len(lines.row), np.int64), np.empty(len(lines.row), np.int64)
    for c in range(len(class_bounds) - 1):
        first, last = class_bounds[c], class_bounds[c + 1]
        rows_of = 0
        for i in range(first, last):
            rows_of += bounds[by_class[i] + 1] - bounds[by_class[i]]
        if last - first < 2 and rows_of <= EXACT:
            continue
        size = 0
        for i in range(first, last):
            for j in range(bounds[by_class[i]], bounds[by_class[i] + 1]):
                rows[size], weight[size] = lines.row[j], lines.weight[j]
                size += 1
        if not holds(rules, limits, rows[:size], weight[:size], scratch):
            broken[first:last] = True
    return broken
