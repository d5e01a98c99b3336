"""Groups that are there already as a draft of `blocks`, with a tree in which the groups near a row are found."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from headgate.core.columns import Codes
from headgate.core.compiling import empty_records, unset_records
from headgate.core.distinct import firsts_and_sizes, places
from headgate.grouping.items import Itemized
from headgate.methods.blocks.draft import LEFT, VISIT, Aside, Draft, empty_groups
from headgate.methods.blocks.first_draft import FirstGroups, fill_groups
from headgate.methods.blocks.search_tree import tree_of


def draft_of(itemized: Itemized, group: Codes, k: int, state: NDArray[np.int64]) -> Draft:
    """A draft of these groups, which are numbered without gaps; rows below 0 are in none of them. At least one row is in a group. There is
    room for as many more."""
    items, inside = itemized.items, np.flatnonzero(group >= 0)
    part = places([group[inside], itemized.item[inside]])
    first, rows = firsts_and_sizes(part)
    of, number = group[inside][first], itemized.item[inside][first].astype(np.int64)
    begins = np.searchsorted(of, np.arange(int(of[-1]) + 2)).astype(np.int64)
    many = len(begins) - 1
    groups = empty_groups(items, many + min(many, len(group) // k) + 1, 2 * len(group) + 2)
    fill_groups(groups, FirstGroups(begins, number, rows))
    tree = tree_of(groups)
    nobody = Aside(unset_records(len(items.item), LEFT), np.full(len(items.item), -1, dtype=np.int64), np.zeros(1, dtype=np.int64))
    return Draft(groups, tree, nobody, empty_records(len(tree.box) + 2, VISIT), k, state)
