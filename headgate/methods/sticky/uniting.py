"""Groups that cannot be published by themselves are united with others near them: those below k, those that break a limit, and those that
are published alike."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from headgate.core.compiling import inner, loop, making
from headgate.grouping.axes import FLAT, SPAN, stretch_loss
from headgate.grouping.sorting import sorted_order
from headgate.grouping.watch import STOP
from headgate.methods.blocks.branching import records_of
from headgate.methods.blocks.draft import Draft, Groups
from headgate.methods.blocks.groups import empty, keeps_all, put, rows_near
from headgate.methods.blocks.losses import keys_of_groups
from headgate.methods.blocks.placing import visit_halves, widen

TRIED = 512  # groups that are compared in vain before the best so far is taken
FEW = 2  # times k: a group of no more rows that holds too many alike would lose all by giving them up


@loop
def unite(draft: Draft, must: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Unites every group of `must`, those below k and those that break a limit with the group for which that loses least, as long as there
    is one with which the limits are kept; and groups that are published alike. Gives the group in which each is in the end."""
    groups = draft.groups
    many = groups.now[0].groups
    into, rows = np.arange(many), np.empty(many, dtype=np.int64)
    changed = True
    while changed and draft.state[STOP] == 0:
        changed = False
        for group in range(many):
            rows[group] = groups.of[group].rows
        for group in sorted_order(rows):
            own = groups.of[group]
            if own.rows > 0 and (must[group] or own.rows < draft.k or (own.rows < FEW * draft.k and not keeps_all(groups, group))):
                other, _ = nearest_group(draft, group)
                if other >= 0:
                    _pour(draft, group, other)
                    must[group] = must[other] = False
                    into[group], changed = other, True
        changed = _unite_twins(draft, into) or changed
    for group in range(many):
        last = group
        while into[last] != last:
            last = into[last]
        into[group] = last
    return into


@making
def _unite_twins(draft: Draft, into: NDArray[np.int64]) -> bool:
    """Makes one group of those that are published alike: nobody could tell them apart. Were there any?"""
    keys, united = keys_of_groups(draft.groups), False
    order = sorted_order(keys)
    for i in range(1, len(order)):
        if keys[order[i]] == keys[order[i - 1]] and keys[order[i]] != 0:
            _pour(draft, order[i - 1], order[i])
            into[order[i - 1]], united = order[i], True
    return united


@making
def _pour(draft: Draft, group: int, other: int) -> None:
    """All rows of a group go to another one; the group is empty then."""
    groups = draft.groups
    was = records_of(groups, group)
    empty(groups, group)
    for part in was:
        put(groups, other, part.number, part.rows)
        widen(draft, other, part.cell)


@inner
def nearest_group(draft: Draft, group: int) -> tuple[int, float]:
    """The group for which uniting costs least, of those with which the limits are kept, and what it costs; −1 without one. Near boxes of
    the tree come first, and after so many groups in vain the best so far is taken."""
    groups, tree, visits, own = draft.groups, draft.tree, draft.visits, draft.groups.of[group]
    best, least, tried = np.int64(-1), np.inf, 0
    visits[0].box, visits[0].gap = 0, 0.0
    height = 1
    while height > 0 and (best < 0 or tried < TRIED):
        height -= 1
        box, gap = tree.box[visits[height].box], visits[height].gap
        if (own.rows + 1) * gap >= least:
            continue
        if box.left >= 0:
            visit_halves(visits, height, box.left, box.right, gap_between(draft, box.left, group), gap_between(draft, box.right, group))
            height += 2
            continue
        other = np.int64(box.group)
        while other >= 0:
            beside = groups.of[other]
            if other != group and beside.rows > 0:
                tried += 1
                if own.rows * (beside.loss - own.loss) < least:
                    both = _loss_together(groups, group, other)
                    cost = (own.rows + beside.rows) * both - own.rows * own.loss - beside.rows * beside.loss
                    if cost < least and _keep_together(groups, group, other):
                        best, least, tried = other, cost, 0
            other = np.int64(beside.beside)
    return best, least  # type: ignore[return-value]


@inner
def gap_between(draft: Draft, box: int, group: int) -> float:
    """How much the loss of a group grows at the least when it is united with one within a box of the tree."""
    axes, total = draft.groups.items.axes, 0.0
    for a in range(len(axes.of)):
        axis, span, own = axes.of[a], draft.tree.span[box, a], draft.groups.span[group, a]
        if span.low <= own.high and own.low <= span.high:
            continue
        if axis.form == FLAT:
            total += 1.0 / (axis.count + 1.0)
        elif axis.form == SPAN and max(span.high, own.high) < axis.count:
            left, right = (own.high, span.low) if own.high < span.low else (span.high, own.low)
            total += axes.at[axis.first + right].place - axes.at[axis.first + left].place
    return total


@inner
def _loss_together(groups: Groups, group: int, other: int) -> float:
    """loss(G) of two groups as one."""
    axes, total = groups.items.axes, 0.0
    for axis in range(len(axes.of)):
        one, two = groups.span[group, axis], groups.span[other, axis]
        low, high, different = min(one.low, two.low), max(one.high, two.high), np.int64(0)
        if axes.of[axis].form == FLAT and low < high:
            different = _values_together(groups, group, other, axis)
        total += stretch_loss(axes, axis, low, high, different)
    return total


@inner
def _values_together(groups: Groups, group: int, other: int, axis: int) -> int:
    """How many values two groups have on a FLAT axis."""
    axes, now, different = groups.items.axes, groups.now[0], np.int64(0)
    first = axes.of[axis].first
    now.clock += 1
    for one in (group, other):
        own = groups.of[one]
        for part in range(own.begin, own.begin + own.parts):
            p = first + axes.position[groups.part[part].cell, axis]
            if groups.seen[p] != now.clock:
                groups.seen[p] = now.clock
                different += 1
    return different  # type: ignore[return-value]


@inner
def _keep_together(groups: Groups, group: int, other: int) -> bool:
    """Would two groups as one keep every limit?"""
    limits, rows = groups.items.limits, groups.of[group].rows + groups.of[other].rows
    for l in range(groups.crowd.shape[1]):  # noqa: E741
        cap, start = limits.allowed[l, rows], limits.of[l].start
        for one, two in ((group, other), (other, group)):
            own = groups.of[one]
            for part in range(own.begin, own.begin + own.parts):
                crowd = groups.crowd[part, l]
                if limits.own[start + crowd.value].centre and crowd.near + rows_near(groups, two, l, crowd.value) > cap:
                    return False
    return True
