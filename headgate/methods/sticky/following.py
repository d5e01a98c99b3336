"""From a draft, which counts rows that nothing tells apart, back to people: whoever can stays in their group."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from headgate.core.columns import Codes
from headgate.core.compiling import loop
from headgate.core.distinct import places
from headgate.methods.blocks.draft import Draft

OUT, LOOKING = -1, -2  # in no group for good; in none yet


def follow(draft: Draft, groups: Codes, item: Codes, turns: NDArray[np.int64]) -> Codes:
    """The groups of the draft by row. Where a group has fewer rows of an item than before, those leave whose turn comes first. Whoever
    finds no place is LOOKING; rows that are OUT stay so."""
    of, number, count = _parts(draft)
    rows = turns[groups[turns] != OUT]
    part = places([np.concatenate([groups[rows], of]), np.concatenate([item[rows], number])])
    mine, theirs = part[: len(rows)], part[len(rows) :]
    before = np.bincount(mine, minlength=int(part.max(initial=0)) + 1)
    after = np.zeros(len(before), dtype=np.int64)
    after[theirs] = count
    order = np.argsort(mine, kind="stable")
    rank = np.arange(len(order)) - np.searchsorted(mine[order], mine[order])
    leaving = rows[np.sort(order[rank < (before - after)[mine[order]]])]
    leaving = leaving[np.argsort(item[leaving], kind="stable")]
    more = np.maximum(count - before[theirs], 0)
    by_item = np.argsort(number, kind="stable")
    wanted, target = np.repeat(number[by_item], more[by_item]), np.repeat(of[by_item], more[by_item])
    nth = np.arange(len(leaving)) - np.searchsorted(item[leaving], item[leaving])
    place = np.searchsorted(wanted, item[leaving]) + nth
    found = place < np.searchsorted(wanted, item[leaving], side="right")
    out = groups.copy()
    out[leaving] = LOOKING
    out[leaving[found]] = target[place[found]]
    return out


@loop
def _parts(draft: Draft) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int64]]:
    """The group, the item and the rows of every part."""
    groups, many = draft.groups, 0
    for group in range(groups.now[0].groups):
        many += groups.of[group].parts
    of, number, rows, at = np.empty(many, np.int32), np.empty(many, np.int32), np.empty(many, np.int64), 0
    for group in range(groups.now[0].groups):
        own = groups.of[group]
        for i in range(own.begin, own.begin + own.parts):
            of[at], number[at], rows[at] = group, groups.part[i].number, groups.part[i].rows
            at += 1
    return of, number, rows
