"""`blocks`, the default: local groups that keep every limit, at little loss.

The paper's coloring looks at the whole table and ignores quasi-identifiers until it exchanges rows. (ε, δ)^k is a property of each group,
so it may as well be reached where people are near each other (DEFINITIONS §4, Utility). The table is cut into small boxes; what a box holds
too many of is set aside and placed near by, if need be in a new group with a few rows of a large one; then rows move where that loses
less. Groups that come out alike are one group, for nobody could tell them apart.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from headgate.core.columns import Codes
from headgate.grouping.items import Items, groups_of_rows
from headgate.grouping.watch import STOP, TOTAL, Stopped
from headgate.grouping.workers import State, Threads, Workers
from headgate.methods.blocks.branching import sizes_of_new_groups
from headgate.methods.blocks.draft import Draft
from headgate.methods.blocks.first_draft import draft_of
from headgate.methods.blocks.joined_regions import together
from headgate.methods.blocks.moves import move_rows
from headgate.methods.blocks.region import Grouped, Region, grouped
from headgate.methods.blocks.regions import AT_EASE, regions_of
from headgate.methods.blocks.setting_aside import still_aside
from headgate.methods.blocks.stages import crowding, parts_by_item, place_rows, relieve, unite_twins
from headgate.methods.blocks.tree import grow_tree
from headgate.methods.blocks.ways import first_groups

ROUNDS = 8  # of uniting groups that are published alike, and placing what they then hold too many of
BRANCHING = 5  # rounds in which new groups may branch off: those may come out alike again
PRICE = 2.0  # of a row that is too many where it is, in rows that must go with it; 1 in a crowded table
MOVES = 3  # rounds of moves


def divide(items: Items, item: Codes, k: int, seed: list[int], state: NDArray[np.int64], workers: Workers | None = None) -> Codes:
    """A group for each row. Whether they keep the limits is for others to count. They do not depend on how many workers there are."""
    allowed = items.limits.allowed
    favoured, even = sizes_of_new_groups(allowed, k)
    state[TOTAL] += int(items.cell.rows.sum())
    at_ease = crowding(items, np.arange(items.cells)) <= AT_EASE
    price = (PRICE if at_ease else 1.0) * favoured / np.maximum(1, allowed[:, min(favoured, allowed.shape[1] - 1)])
    regions = regions_of(items, k, price, state)
    _require_going(state)
    pieces = [Region(items, cells, k, price, favoured, (*seed, number)) for number, cells in enumerate(regions)]
    if len(pieces) == 1:
        draft = group_region(pieces[0], state)
    else:
        draft = together(items, regions, (workers or Threads()).each(work_on, pieces, state), k, state)
    _unite_and_place(draft, seed, even)
    return np.asarray(groups_of_rows(item, *parts_by_item(draft)))


def work_on(region: Region, state: State) -> Grouped:
    return grouped(group_region(region, state))


def group_region(region: Region, state: State) -> Draft:
    """Groups of the rows of a region alone; what found no place among them is aside."""
    items = region.alone()
    tree = grow_tree(items, np.arange(items.cells), region.k, region.price, 2 * items.cells + 1, state)
    first = first_groups(items, tree, region.k, region.price, state)
    _require_going(state)
    draft = draft_of(items, first, region.k, state)
    relieve(draft)
    _require_going(state)
    place_rows(draft, _turns(draft, list(region.seed)), region.size)
    move_rows(draft, MOVES)
    _require_going(state)
    return draft


def _unite_and_place(draft: Draft, seed: list[int], even: int) -> None:
    """Groups that are published alike become one, and what they then hold too many of is placed, in turns until nothing changes."""
    left = still_aside(draft.aside)
    for turn in range(1, ROUNDS):
        twins = unite_twins(draft)
        _require_going(draft.state)
        if not (left or twins):
            break
        before = still_aside(draft.aside)
        place_rows(draft, _turns(draft, [*seed, turn]), even if turn < BRANCHING else 0)
        left = still_aside(draft.aside)
        if left == before and not twins:
            break
    still_aside(draft.aside)
    _require_going(draft.state)


def _turns(draft: Draft, seed: list[int]) -> NDArray[np.int64]:
    """The order in which what is set aside is placed."""
    return np.random.default_rng(seed).permutation(draft.aside.many[0])


def _require_going(state: NDArray[np.int64]) -> None:
    """A loop that was stopped leaves rows in no group, and the loops after it take for granted that each row is in one."""
    if state[STOP]:
        raise Stopped
