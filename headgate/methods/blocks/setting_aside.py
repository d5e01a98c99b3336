"""Rows that are too many where they are: taken out of their group, until a place is found for them.

A leaf of the tree may hold more similar rows than a limit allows. Those too many are set aside.
"""

from __future__ import annotations

import numpy as np

from headgate.core.compiling import inner, loop
from headgate.grouping.nearness import similar
from headgate.grouping.watch import STOP
from headgate.methods.blocks.draft import Aside, Draft, Groups
from headgate.methods.blocks.groups import empty, keeps_all, take


@inner
def set_aside(draft: Draft, group: int) -> None:
    """Takes rows out of a group until it keeps every limit: those first around which most are similar. All of them if fewer than k stay."""
    groups, own = draft.groups, draft.groups.of[group]
    while own.rows >= draft.k and draft.state[STOP] == 0 and not keeps_all(groups, group):
        for l in range(groups.crowd.shape[1]):  # noqa: E741
            while own.rows >= draft.k and draft.state[STOP] == 0:
                centre = _fullest_centre(groups, group, l)
                if centre < 0:
                    break
                leaving = _most_crowded(groups, group, l, centre)
                few = _rows_too_many(groups, group, l, centre, leaving)
                keep_aside(draft.aside, groups.part[leaving].number, few)
                take(groups, group, leaving, few)
    if own.rows < draft.k:
        dissolve(draft, group)


@inner
def _fullest_centre(groups: Groups, group: int, l: int) -> int:  # noqa: E741
    """The part around which most rows are similar, if they are too many; −1 without one."""
    limits, own = groups.items.limits, groups.of[group]
    fullest, centre, start = limits.allowed[l, own.rows], np.int64(-1), limits.of[l].start
    for part in range(own.begin, own.begin + own.parts):
        crowd = groups.crowd[part, l]
        if crowd.near > fullest and limits.own[start + crowd.value].centre:
            fullest, centre = np.int64(crowd.near), np.int64(part)
    return centre  # type: ignore[return-value]


@inner
def _most_crowded(groups: Groups, group: int, l: int, centre: int) -> int:  # noqa: E741
    """Of the parts similar to a centre, the one with the most similar rows around it."""
    own, leaving, most = groups.of[group], np.int64(centre), np.int64(-1)
    for part in range(own.begin, own.begin + own.parts):
        crowd = groups.crowd[part, l]
        if crowd.near > most and similar(groups.items.limits, l, groups.crowd[centre, l].value, crowd.value):
            leaving, most = np.int64(part), np.int64(crowd.near)
    return leaving  # type: ignore[return-value]


@inner
def _rows_too_many(groups: Groups, group: int, l: int, centre: int, leaving: int) -> int:  # noqa: E741
    """How many rows of a part must leave, so that the others are not too many around a centre; all of them if that is not enough."""
    allowed, size, fullest = groups.items.limits.allowed, groups.of[group].rows, groups.crowd[centre, l].near
    few, many = np.int64(1), groups.part[leaving].rows
    while few < many:
        middle = (few + many) // 2
        if fullest - middle <= allowed[l, size - middle]:
            many = middle
        else:
            few = middle + 1
    return few  # type: ignore[return-value]


@inner
def dissolve(draft: Draft, group: int) -> None:
    """Sets all rows of a group aside; the group is empty then."""
    groups, own = draft.groups, draft.groups.of[group]
    for part in range(own.begin, own.begin + own.parts):
        keep_aside(draft.aside, groups.part[part].number, groups.part[part].rows)
    empty(groups, group)


@inner
def keep_aside(aside: Aside, item: int, rows: int) -> None:
    if aside.place[item] < 0:
        aside.place[item] = aside.many[0]
        aside.left[aside.many[0]].number, aside.left[aside.many[0]].rows = item, 0
        aside.many[0] += 1
    aside.left[aside.place[item]].rows += rows


@loop
def still_aside(aside: Aside) -> int:
    """Forgets what has found a place; gives how many rows have not."""
    many, rows = 0, np.int64(0)
    for i in range(aside.many[0]):
        left = aside.left[i]
        aside.place[left.number] = -1
        if left.rows > 0:
            aside.place[left.number] = many
            aside.left[many].number, aside.left[many].rows = left.number, left.rows
            rows += left.rows
            many += 1
    aside.many[0] = many
    return int(rows)
