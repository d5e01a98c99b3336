"""One projected table in, one partition out: `blocks`, `faithful` or `mondrian`, and what to do when the limits are not reached."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from headgate.columns import Codes, Table
from headgate.errors import InputRejected
from headgate.xcolor.axes import Axes, axes_of
from headgate.xcolor.blocks import group_sizes, similarity_ranks, split_into_blocks
from headgate.xcolor.certificates import FAITHFUL, refute
from headgate.xcolor.compiled import Limits, compile_limits
from headgate.xcolor.faithful import color
from headgate.xcolor.limits import NeighbourhoodLimit
from headgate.xcolor.moves import MOST_OVER, move_rows
from headgate.xcolor.partition import Otherwise, Partition, Variant, XColorSettings
from headgate.xcolor.recount import Recount, main_limit, recount
from headgate.xcolor.repair import repair

FALL_BACK_ROWS = 5_000  # up to which the whole table is colored when no block could be
ATTEMPTS = 2  # orders of rows that are tried where only a few rows are left over
MOVES = 3  # rounds of moving single rows
SMALLEST_QUOTA = 16  # rows taken away in one round; more in large tables, all that may be in the later rounds
SUPPRESSIONS = 12  # rounds of removing rows and grouping the rest again


def anonymize(table: Table, sensitive: Sequence[str], settings: XColorSettings, seed: int) -> Partition:
    """Groups the rows of a table so that every limit holds, and says whether it could. Same seed, same groups."""
    _check(table, settings)
    found = _group(table, sensitive, settings, seed)
    if found.reached:
        return found
    certificate = refute(settings.limits, settings.k, table.select(sensitive))
    found = replace(found, certificate=certificate)
    if certificate is not None and certificate.refutes == FAITHFUL and settings.variant is not Variant.FAITHFUL:
        found = replace(found, certificate=None)
    if settings.infeasible.otherwise is Otherwise.SUPPRESS:
        return _suppress(table, sensitive, settings, seed, found)
    if settings.infeasible.otherwise is Otherwise.RELAX:
        return _relax(table, sensitive, settings, seed, found)
    return found


def _check(table: Table, settings: XColorSettings) -> None:
    if settings.k < 1:
        raise InputRejected(f"k = {settings.k} is no group size.", "Give k ≥ 1.")
    if not table.quasi:
        raise InputRejected("There is no quasi-identifier.", "Declare at least one attribute with role: quasi.")
    if table.rows < settings.k:
        raise InputRejected(f"{table.rows} rows cannot make a group of k = {settings.k}.", "Lower k or release more rows.")
    for limit in settings.limits:
        if limit.rows != table.rows:
            raise InputRejected(
                f"'{limit.name}' was made for {limit.rows} rows, the table has {table.rows}.", "Make the limits from the table."
            )


def _group(table: Table, sensitive: Sequence[str], settings: XColorSettings, seed: int) -> Partition:
    """The variant that was asked for; a small table that no blocks could divide is colored as a whole, with larger groups too."""
    axes, compiled = axes_of(table), compile_limits(settings.limits, table.rows)
    sizes = group_sizes(settings.limits, table.rows, settings.k)

    def colored(size: int) -> Partition:
        groups = color(axes, settings.limits, table.rows, size).groups
        return _partition(groups, recount(axes, compiled, settings.limits, groups), settings, Variant.FAITHFUL)

    if settings.variant is Variant.FAITHFUL:
        return colored(settings.k)
    ranks = similarity_ranks(table, sensitive, seed)
    found = _in_blocks(axes, compiled, settings, ranks, sizes, [seed, 0])
    for attempt in range(1, ATTEMPTS):
        if found.reached or found.rows_over > MOST_OVER:
            break
        again = _in_blocks(axes, compiled, settings, ranks, sizes, [seed, attempt])
        found = again if again.reached or again.rows_over < found.rows_over else found
    if not found.reached and settings.variant is Variant.BLOCKS and table.rows <= FALL_BACK_ROWS:
        return next((whole for whole in map(colored, sizes.tolist()) if whole.reached), found)
    return found


def _in_blocks(
    axes: Axes, compiled: Limits, settings: XColorSettings, ranks: NDArray[np.int64], sizes: NDArray[np.int64], seed: list[int]
) -> Partition:
    """Split, merge what is left over, move single rows: each only if the exact count says so."""
    limits, k, alone = settings.limits, settings.k, settings.variant is Variant.MONDRIAN
    order = np.random.default_rng(seed).permutation(len(ranks)).astype(np.int64)
    made = split_into_blocks(axes, compiled, ranks, sizes, order, k, alone)
    groups = made.groups()
    counted = recount(axes, compiled, limits, groups)
    if counted.broken:
        groups = repair(made, axes, compiled, limits, ranks, k, alone).groups()
        counted = recount(axes, compiled, limits, groups)
    for _ in range(MOVES):
        if not counted.broken or int((counted.over > 0).sum()) > MOST_OVER:
            break
        groups = move_rows(axes, compiled, groups, k)
        counted = recount(axes, compiled, limits, groups)
    return _partition(groups, counted, settings, settings.variant)


def _partition(groups: Codes, counted: Recount, settings: XColorSettings, variant: Variant) -> Partition:
    main = main_limit(settings.limits)
    return Partition(
        groups=groups,
        reached=counted.reached(settings.k),
        risk=counted.risk,
        certificate=None,
        suppressed=int((groups < 0).sum()),
        delta_reached=None if counted.risk is None else 1.0 - counted.risk,
        delta_asked=None if main is None or main.delta is None else float(main.delta),
        broken=counted.broken,
        rows_over=int((counted.over > 0).sum()),
        smallest=counted.smallest,
        count=int(groups.max(initial=-1)) + 1,
        loss=counted.loss,
        variant=variant,
    )


def _relax(table: Table, sensitive: Sequence[str], settings: XColorSettings, seed: int, found: Partition) -> Partition:
    """δ = 1 − j/(k−1) downwards to the floor, each tried: success is not monotone in δ. The first that is reached stands."""
    main = main_limit(settings.limits)
    if main is None or main.delta is None:
        return found
    for delta in falling_deltas(main.delta, settings.infeasible.amount, settings.k):
        limits = tuple(limit.with_delta(delta) if limit is main else limit for limit in settings.limits)
        relaxed = _group(table, sensitive, replace(settings, limits=limits), seed)
        if relaxed.reached:
            return replace(relaxed, certificate=found.certificate)
    return found


def falling_deltas(delta: Fraction, floor: Fraction, k: int) -> tuple[Fraction, ...]:
    """The δ below the one asked for at which groups of k may hold one similar row more, and the floor itself."""
    steps = [1 - Fraction(j, k - 1) for j in range(k)] if k > 1 else []
    return tuple(sorted({step for step in [*steps, floor] if floor <= step < delta}, reverse=True))


def _suppress(table: Table, sensitive: Sequence[str], settings: XColorSettings, seed: int, found: Partition) -> Partition:
    """Takes away rows that have the most similar ones too many, ties by seed, and groups the rest again, until all is kept or the
    share of input rows is used up. Greedy: not the fewest possible, which is NP-hard to find."""
    budget = int(settings.infeasible.amount * table.rows)
    least = found.certificate.to_suppress if found.certificate is not None else None
    if budget == 0 or (least is not None and least > budget):
        return found
    tie = np.random.default_rng(seed).permutation(table.rows)
    kept = np.arange(table.rows)
    current = found
    for attempt in range(SUPPRESSIONS):
        remaining = budget - (table.rows - len(kept))
        if remaining == 0:
            break
        quota = max(SMALLEST_QUOTA, table.rows // 100) if attempt < SUPPRESSIONS // 2 else remaining
        limits = tuple(limit.take(kept) for limit in settings.limits)
        kept = kept[~_most_violating(table.take(kept), limits, current.groups, tie[kept], min(remaining, quota))]
        if len(kept) < settings.k:
            break
        limits = tuple(limit.take(kept) for limit in settings.limits)
        current = _group(table.take(kept), sensitive, replace(settings, limits=limits), seed)
        if current.reached:
            groups = np.full(table.rows, -1, dtype=np.int32)
            groups[kept] = current.groups
            return replace(current, groups=groups, suppressed=table.rows - len(kept), certificate=found.certificate)
    return found


def _most_violating(
    table: Table, limits: Sequence[NeighbourhoodLimit], groups: Codes, tie: NDArray[np.int64], quota: int
) -> NDArray[np.bool_]:
    """Rows to take away, the worst of each crowd first, until the groups as they are keep the limits or the quota is used up."""
    axes, compiled = axes_of(table), compile_limits(limits, table.rows)
    left = groups.copy()
    gone = 0
    while gone < quota:
        counted = recount(axes, compiled, limits, _renumbered(left))
        if not counted.broken:
            break
        over = counted.over
        worst = np.zeros(int(left.max()) + 1, dtype=np.int64)
        np.maximum.at(worst, left[left >= 0], over[left >= 0])
        order = np.lexsort((tie, -over, left.astype(np.int64)))
        order = order[(left[order] >= 0) & (over[order] > 0)]
        first = np.searchsorted(left[order], np.arange(len(worst)))
        rank = np.arange(len(order)) - first[left[order]]
        chosen = order[rank < np.maximum(1, worst[left[order]] // 2)]
        chosen = chosen[np.lexsort((tie[chosen], -over[chosen]))][: quota - gone]
        left[chosen] = -1
        gone += len(chosen)
    return left < 0


def _renumbered(groups: Codes) -> Codes:
    """Groups without gaps, where some have lost all their rows."""
    out = groups.copy()
    out[groups >= 0] = np.unique(groups[groups >= 0], return_inverse=True)[1]
    return out
