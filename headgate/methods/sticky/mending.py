"""Groups that broke, because people left, came or changed, are mended: they borrow a few rows of groups near them, are united with one, or
give up the rows that they hold too many of."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from headgate.core.columns import Codes
from headgate.core.compiling import loop
from headgate.core.distinct import places
from headgate.grouping.items import Itemized
from headgate.grouping.watch import STOP
from headgate.methods.blocks.branching import sizes_of_new_groups
from headgate.methods.blocks.draft import Draft
from headgate.methods.blocks.groups import keeps_all
from headgate.methods.blocks.setting_aside import keep_aside, set_aside, still_aside
from headgate.methods.blocks.stages import place_rows
from headgate.methods.sticky.core_draft import draft_of
from headgate.methods.sticky.following import LOOKING, OUT, follow
from headgate.methods.sticky.lending import lend
from headgate.methods.sticky.uniting import unite

ROUNDS = 8  # of uniting groups, and placing what they then hold too many of
BRANCHING = 5  # rounds in which new groups may branch off: those may come out alike again
LARGE = 4  # times k: a group of fewer rows lends no company to a new one, for those who go would have little in common with the old one


@dataclass(frozen=True, eq=False)
class Keeping:
    """What groups must keep. `promise`: the largest share that one value may have in what two groups of somebody who is lent have in
    common; `value`: the values of each item, all sensitive attributes together and each alone."""

    k: int
    promise: float
    value: NDArray[np.int64]


def mend(
    itemized: Itemized, keeping: Keeping, groups: Codes, turns: NDArray[np.int64], state: NDArray[np.int64], must: NDArray[np.bool_]
) -> Codes:
    """The same groups, but some have borrowed rows, were united or gave up rows, until each has at least k rows and keeps every limit, and
    no two are published alike. Rows that are LOOKING find a place, if there is one; rows that are OUT stay so. `turns`: the rows in the
    order in which groups give up those that are equal. `must`: rows whose groups have to be united with others, whatever they keep."""
    groups = _numbered(groups)
    if groups.max(initial=-1) < 0:
        return np.full(len(groups), OUT, dtype=np.int32)
    draft = draft_of(itemized, groups, keeping.k, state)
    size = sizes_of_new_groups(itemized.items.limits.allowed, keeping.k)[0] if len(itemized.items.limits.of) else 0
    flagged = np.zeros(len(draft.groups.of), dtype=np.bool_)
    flagged[groups[must & (groups >= 0)]] = True
    lend(draft, keeping.value, keeping.promise)
    groups = follow(draft, groups, itemized.item, turns)
    _look(draft, itemized.item[turns[groups[turns] == LOOKING]].astype(np.int64))
    for turn in range(ROUNDS):
        into = unite(draft, flagged)
        groups = np.where(groups >= 0, into[np.maximum(groups, 0)], groups).astype(np.int32)
        relieve(draft)
        looking = still_aside(draft.aside)
        if looking > 0 and turn < ROUNDS - 1:
            draft.groups.of.stiff = draft.groups.of.rows < LARGE * keeping.k
            place_rows(draft, np.arange(draft.aside.many[0]), size if turn < BRANCHING else 0)
        groups = follow(draft, groups, itemized.item, turns)
        if looking == still_aside(draft.aside):
            break
        flagged[:] = False
    return _numbered(np.where(groups == LOOKING, OUT, groups))


def _numbered(groups: Codes) -> Codes:
    """The same groups, numbered 0, 1, 2 …"""
    out, inside = groups.astype(np.int32), groups >= 0
    if inside.any():
        out[inside] = places([groups[inside]])
    return out


@loop
def _look(draft: Draft, items: NDArray[np.int64]) -> None:
    """A row of each of these items is looking for a place."""
    for item in items:
        keep_aside(draft.aside, item, 1)


@loop
def relieve(draft: Draft) -> None:
    """Takes rows out of every group that breaks a limit until it keeps all, and all rows out of those below k."""
    for group in range(draft.groups.now[0].groups):
        own = draft.groups.of[group]
        if own.rows > 0 and draft.state[STOP] == 0 and (own.rows < draft.k or not keeps_all(draft.groups, group)):
            set_aside(draft, group)
