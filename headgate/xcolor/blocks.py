"""`blocks`, the default: cut the table into local blocks as long as each can still be grouped within the limits.

The paper's coloring looks at the whole table and ignores quasi-identifiers until it exchanges rows. (ε, δ)^k is a property of each
group, so it may as well be reached block by block, and blocks of neighbouring rows lose far less (DEFINITIONS §4, Utility).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numba
import numpy as np
from numpy.typing import NDArray

from headgate.columns import Codes, Table
from headgate.xcolor.axes import Axes, group_loss
from headgate.xcolor.compiled import SIZE, Limits
from headgate.xcolor.counting import group_passes, sample_passes
from headgate.xcolor.cutting import cut_in_place, propose_cuts
from headgate.xcolor.dealing import deal, groups_pass, settle
from headgate.xcolor.limits import NeighbourhoodLimit

EXACT = 96  # rows up to which a block is judged in full before a cut is accepted
CENTRES = 24  # rows whose neighbourhoods are looked at in a larger block
TRIES = 8  # cuts tried for one block
LARGEST_BLOCK = 4_096  # rows; a larger block that cannot be grouped is cut all the same


@dataclass(frozen=True, eq=False)
class Blocks:
    """`order` holds the rows block by block and group by group; block b is order[start[b] : stop[b]].

    `ends[b]` says where its groups end; a block without groups does not keep the limits."""

    order: NDArray[np.int64]
    start: list[int]
    stop: list[int]
    ends: list[NDArray[np.int64]]

    def groups(self) -> Codes:
        """A block that could not be grouped within the limits is one group."""
        groups = np.empty(len(self.order), dtype=np.int32)
        number = 0
        for start, stop, ends in zip(self.start, self.stop, self.ends, strict=True):
            begin = start
            for end in ends if len(ends) else (stop,):
                groups[self.order[begin:end]] = number
                begin = end
                number += 1
        return groups


def split_into_blocks(
    axes: Axes,
    compiled: Limits,
    ranks: NDArray[np.int64],
    sizes: NDArray[np.int64],
    order: NDArray[np.int64],
    k: int,
    mondrian: bool = False,
) -> Blocks:
    """Cuts all rows of `order`. `mondrian`: the widest range at its median, and no dealing."""
    starts, stops, counts, ends = _split(axes, compiled, order, ranks, sizes, k, mondrian)
    pieces = np.split(ends, np.cumsum(counts)[:-1])
    return Blocks(order, starts.tolist(), stops.tolist(), pieces)


def similarity_ranks(table: Table, sensitive: Sequence[str], seed: int) -> NDArray[np.int64]:
    """Rows in the order of their sensitive values, the most concentrated attribute first: its values are the hardest to spread."""

    def heaviest(name: str) -> int:
        column = table[name]
        return int(np.where(column.sensitive, column.counts(), 0).max(initial=0))

    names = sorted(sensitive, key=heaviest, reverse=True)
    tie = np.random.default_rng(seed).permutation(table.rows)
    keys = tuple([tie] + [table[name].codes.astype(np.int64) for name in reversed(names)])
    ranks = np.empty(table.rows, dtype=np.int64)
    ranks[np.lexsort(keys)] = np.arange(table.rows)
    return ranks


def group_sizes(limits: Sequence[NeighbourhoodLimit], rows: int, k: int) -> NDArray[np.int64]:
    """k, and the size up to 4k at which groups hold the largest share of similar rows: rounding favours some sizes (DEFINITIONS §4)."""
    sizes = np.arange(k, min(4 * k, rows) + 1)
    share = np.ones(len(sizes))
    for limit in limits:
        share = np.minimum(share, limit.allowed[sizes] / sizes)
    return np.unique(np.array([k, sizes[int(np.argmax(share))]], dtype=np.int64))


@numba.njit(cache=True, nogil=True, inline="never")
def _admissible(
    axes: Axes,
    limits: Limits,
    rows: NDArray[np.int64],
    ranks: NDArray[np.int64],
    sizes: NDArray[np.int64],
    alone: bool,
    tally: NDArray[np.int64],
    seen: NDArray[np.int64],
    clock: NDArray[np.int64],
) -> bool:
    """Can this block be grouped within the limits, as one group or dealt? In full for small blocks; as one group a guess for large ones."""
    size = len(rows)
    if len(limits.facts) == 0:
        return True
    if size <= EXACT:
        if group_passes(limits, rows, tally):
            return True
    elif sample_passes(limits, rows, tally, CENTRES):
        return True
    if alone:
        return False
    dealt = np.empty(size, dtype=np.int64)
    bounds = np.empty(size // sizes[0] + 1, dtype=np.int64)
    for wanted in sizes:
        groups = size // wanted
        if groups < 2:
            break
        deal(axes, rows, ranks, groups, dealt, bounds)
        if groups_pass(axes, limits, dealt, bounds, groups, tally, seen, clock):
            return True
    return False


@numba.njit(cache=True, nogil=True)
def _split(
    axes: Axes,
    limits: Limits,
    order: NDArray[np.int64],
    ranks: NDArray[np.int64],
    sizes: NDArray[np.int64],
    k: int,
    mondrian: bool,
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Starts, stops and numbers of groups of the final blocks from left to right, and where their groups end."""
    rows = len(order)
    most = rows // k + 1
    starts, stops, counts = np.empty(most, np.int64), np.empty(most, np.int64), np.empty(most, np.int64)
    ends = np.empty(most, np.int64)
    stack = np.empty((2 * most + 2, 3), dtype=np.int64)
    spare = np.empty(rows, dtype=np.int64)
    dealt, bounds = np.empty(rows, dtype=np.int64), np.empty(most + 1, dtype=np.int64)
    tally = np.zeros(longest_list(limits), dtype=np.int64)
    seen = np.full(len(axes.place) + 1, -1, dtype=np.int64)
    clock = np.zeros(1, dtype=np.int64)
    stack[0, 0], stack[0, 1] = 0, rows
    stack[0, 2] = 1 if _admissible(axes, limits, order, ranks, sizes, mondrian, tally, seen, clock) else 0
    height, blocks, groups_made = 1, 0, 0
    while height > 0:
        height -= 1
        start, stop, good = stack[height, 0], stack[height, 1], stack[height, 2] == 1
        cut, left, right = -1, True, True
        if stop - start >= 2 * k:
            along, places = propose_cuts(axes, order[start:stop], k, mondrian, seen, clock)
            first = -1
            for c in range(min(TRIES, len(along))):
                middle = cut_in_place(axes, order, start, stop, along[c], places[c], spare)
                if middle - start < k or stop - middle < k:
                    continue
                first = c if first < 0 else first
                if _admissible(axes, limits, order[start:middle], ranks, sizes, mondrian, tally, seen, clock) and _admissible(
                    axes, limits, order[middle:stop], ranks, sizes, mondrian, tally, seen, clock
                ):
                    cut = middle
                    break
            if cut < 0 and first >= 0 and not good and stop - start > LARGEST_BLOCK:
                # so large a block cannot be grouped: its parts may fare better, and those that do not are left for the repair
                cut = cut_in_place(axes, order, start, stop, along[first], places[first], spare)
                left = _admissible(axes, limits, order[start:cut], ranks, sizes, mondrian, tally, seen, clock)
                right = _admissible(axes, limits, order[cut:stop], ranks, sizes, mondrian, tally, seen, clock)
        if cut >= 0:
            stack[height, 0], stack[height, 1], stack[height, 2] = cut, stop, 1 if right else 0
            stack[height + 1, 0], stack[height + 1, 1], stack[height + 1, 2] = start, cut, 1 if left else 0
            height += 2
            continue
        made = settle(axes, limits, order[start:stop].copy(), ranks, k, mondrian, tally, seen, clock, dealt, bounds)
        starts[blocks], stops[blocks], counts[blocks] = start, stop, made
        if made > 0:
            order[start:stop] = dealt[: stop - start]
        for g in range(made):
            ends[groups_made] = start + bounds[g + 1]
            groups_made += 1
        blocks += 1
    return starts[:blocks], stops[:blocks], counts[:blocks], ends[:groups_made]


@numba.njit(cache=True, nogil=True, inline="never")
def longest_list(limits: Limits) -> int:
    """Distinct values of the limit that has most: the length of a tally."""
    longest = 1
    for l in range(len(limits.facts)):  # noqa: E741
        longest = max(longest, limits.facts[l, SIZE])
    return longest


@numba.njit(cache=True, nogil=True)
def settle_rows(
    axes: Axes, limits: Limits, rows: NDArray[np.int64], ranks: NDArray[np.int64], k: int, alone: bool
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """`settle` for a block on its own: its rows group by group, and where the groups end (none: no way was found)."""
    tally = np.zeros(longest_list(limits), dtype=np.int64)
    seen = np.full(len(axes.place) + 1, -1, dtype=np.int64)
    clock = np.zeros(1, dtype=np.int64)
    dealt, bounds = np.empty(len(rows), dtype=np.int64), np.empty(len(rows) // k + 2, dtype=np.int64)
    made = settle(axes, limits, rows, ranks, k, alone, tally, seen, clock, dealt, bounds)
    return (dealt if made > 0 else rows), bounds[1 : made + 1].copy()


@numba.njit(cache=True, nogil=True)
def passes(limits: Limits, rows: NDArray[np.int64], tally: NDArray[np.int64]) -> bool:
    """`group_passes`, to be called from Python."""
    return bool(group_passes(limits, rows, tally))


@numba.njit(cache=True, nogil=True)
def loss_of_rows(axes: Axes, rows: NDArray[np.int64]) -> float:
    """loss(G) of one group."""
    seen = np.full(len(axes.place) + 1, -1, dtype=np.int64)
    return float(group_loss(axes, rows, seen, np.zeros(1, dtype=np.int64)))
