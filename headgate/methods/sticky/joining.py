"""New people join the cores near them, where that loses least and no limit is broken."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from headgate.core.compiling import inner, loop
from headgate.grouping.watch import STOP
from headgate.methods.blocks.draft import Draft
from headgate.methods.blocks.groups import put, room_for
from headgate.methods.blocks.losses import loss_with
from headgate.methods.blocks.placing import gap_to, visit_halves, widen

FILLING = 0.5  # of what one row loses at most on one axis: what it is worth that a core below k becomes larger


@loop
def join(draft: Draft, newcomers: NDArray[np.int64], near: float) -> NDArray[np.int64]:
    """The group that each newcomer, a row of this item, joins: one after the other. −1 where none has room for it, or all would lose more
    than `near` in all."""
    joined = np.full(len(newcomers), -1, dtype=np.int64)
    for i in range(len(newcomers)):
        if draft.state[STOP] != 0:
            break
        group = _nearest_core(draft, newcomers[i], near)
        if group >= 0:
            put(draft.groups, group, newcomers[i], 1)
            widen(draft, group, draft.groups.items.item[newcomers[i]].cell)
            joined[i] = group
    return joined


@inner
def _nearest_core(draft: Draft, item: int, near: float) -> int:
    """The group for which one row more costs least, −1 if all cost more."""
    groups, tree, visits, items = draft.groups, draft.tree, draft.visits, draft.groups.items
    cell, best, least = items.item[item].cell, np.int64(-1), near
    visits[0].box, visits[0].gap = 0, 0.0
    height = 1
    while height > 0:
        height -= 1
        box, gap = tree.box[visits[height].box], visits[height].gap
        if 2.0 * gap - FILLING > least:
            continue
        if box.left >= 0:
            visit_halves(visits, height, box.left, box.right, gap_to(items, tree, box.left, cell), gap_to(items, tree, box.right, cell))
            height += 2
            continue
        group = np.int64(box.group)
        while group >= 0:
            own = groups.of[group]
            bonus = FILLING if own.rows < draft.k else 0.0
            if own.rows > 0 and own.loss - bonus <= least:
                wider = loss_with(groups, group, cell)
                cost = (own.rows + 1) * wider - own.rows * own.loss - bonus
                if (cost < least or (best < 0 and cost == least)) and room_for(groups, group, np.int64(item), np.int64(1), np.int64(0)) > 0:
                    best, least = group, cost
            group = np.int64(own.beside)
    return best  # type: ignore[return-value]
