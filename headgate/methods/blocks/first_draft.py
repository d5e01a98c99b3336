"""The groups that a draft begins with."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from headgate.core.compiling import empty_records, loop
from headgate.grouping.items import Items
from headgate.methods.blocks.draft import VISIT, Draft, Groups, room_for_groups
from headgate.methods.blocks.groups import fill_with
from headgate.methods.blocks.search_tree import tree_of


class FirstGroups(NamedTuple):
    """Group g has rows[i] rows of item number[i], for i from begins[g] to begins[g + 1]."""

    begins: NDArray[np.int64]
    number: NDArray[np.int64]
    rows: NDArray[np.int64]


def draft_of(items: Items, first: FirstGroups, k: int, state: NDArray[np.int64]) -> Draft:
    groups, aside = room_for_groups(items, len(first.begins) - 1, k)
    fill_groups(groups, first)
    tree = tree_of(groups)
    return Draft(groups, tree, aside, empty_records(len(tree.box) + 2, VISIT), k, state)


@loop
def fill_groups(groups: Groups, first: FirstGroups) -> None:
    begins, number, rows = first
    for group in range(len(begins) - 1):
        fill_with(groups, group, number[begins[group] : begins[group + 1]], rows[begins[group] : begins[group + 1]])
    groups.now[0].groups = len(begins) - 1
