"""Groups that broke, because people left, came or changed, are mended: they borrow a few rows of groups near them, are united with one, or
give up the rows that they hold too many of."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from headgate.core.columns import Codes
from headgate.core.compiling import Records, loop
from headgate.core.distinct import firsts_and_sizes, places
from headgate.grouping.items import Itemized
from headgate.grouping.watch import STOP
from headgate.methods.blocks.draft import Draft
from headgate.methods.blocks.groups import keeps_all
from headgate.methods.blocks.setting_aside import set_aside
from headgate.methods.sticky.core_draft import draft_of
from headgate.methods.sticky.joining import join
from headgate.methods.sticky.lending import lend
from headgate.methods.sticky.uniting import unite

ROUNDS = 8  # of uniting groups, and placing what they then hold too many of


@dataclass(frozen=True)
class Keeping:
    """What groups must keep. `promise`: the largest share that one value may have in what two groups of somebody who is lent have in
    common."""

    k: int
    promise: float


def mend(
    itemized: Itemized, keeping: Keeping, groups: Codes, turns: NDArray[np.int64], state: NDArray[np.int64], must: NDArray[np.bool_]
) -> Codes:
    """The same groups, but some have borrowed rows, were united or gave up rows, until each has at least k rows and keeps every limit, and
    no two are published alike. Rows of −1 stay in no group; rows for which there is no place are in none either. `turns`: the rows in the
    order in which groups give up those that are equal. `must`: rows whose groups have to be united with others, whatever they keep."""
    groups = without_gaps(groups)
    if groups.max(initial=-1) < 0:
        return groups
    draft = draft_of(itemized, groups, keeping.k, state)
    flagged = np.zeros(int(groups.max()) + 1, dtype=np.bool_)
    flagged[groups[must & (groups >= 0)]] = True
    groups = _lent(groups, itemized.item, turns, lend(draft, keeping.promise))
    for _ in range(ROUNDS):
        groups = np.where(groups >= 0, unite(draft, flagged)[groups], -1).astype(np.int32)
        given_up = _rows_of(groups, itemized.item, turns, *_shed(draft))
        if len(given_up) == 0:
            break
        groups[given_up] = join(draft, itemized.item[given_up].astype(np.int64), np.inf)
        flagged[:] = False
    return without_gaps(groups)


def without_gaps(groups: Codes) -> Codes:
    """The same groups, numbered 0, 1, 2 …"""
    out, inside = np.full(len(groups), -1, dtype=np.int32), groups >= 0
    if inside.any():
        out[inside] = places([groups[inside]])
    return out


def _lent(groups: Codes, item: Codes, turns: NDArray[np.int64], loans: Records) -> Codes:
    """The groups, with everybody who is lent in the group that borrows: of equal rows those first whose turn it is."""
    if len(loans) == 0:
        return groups
    pair = places([loans.giver.astype(np.int32), loans.number.astype(np.int32)])
    order = np.argsort(pair, kind="stable")
    first, rows = firsts_and_sizes(pair)
    lent = _rows_of(groups, item, turns, loans.giver[first], loans.number[first], rows)
    of = places([groups[lent], item[lent]])  # the same pairs, in the same order
    out = groups.copy()
    out[lent[np.argsort(of, kind="stable")]] = loans.taker[order]
    return out


@loop
def _shed(draft: Draft) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Takes rows out of every group that breaks a limit until it keeps all, and all rows out of those below k: the group, the item and the
    number of rows of each part that is taken."""
    groups, many, room = draft.groups, 0, 0
    broken = np.zeros(groups.now[0].groups, dtype=np.bool_)
    for group in range(len(broken)):
        own = groups.of[group]
        broken[group] = own.rows > 0 and (own.rows < draft.k or not keeps_all(groups, group))
        room += own.parts if broken[group] else 0
    of, number, rows = np.empty(room, np.int64), np.empty(room, np.int64), np.empty(room, np.int64)
    for group in range(len(broken)):
        if broken[group] and draft.state[STOP] == 0:
            set_aside(draft, group)
            for i in range(draft.aside.many[0]):
                left = draft.aside.left[i]
                of[many], number[many], rows[many] = group, left.number, left.rows
                draft.aside.place[left.number] = -1
                many += 1
            draft.aside.many[0] = 0
    return of[:many], number[:many], rows[:many]


def _rows_of(
    groups: Codes, item: Codes, turns: NDArray[np.int64], of: NDArray[np.int64], number: NDArray[np.int64], rows: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Which rows are given up: of each of these groups and items so many, in their turn."""
    inside = turns[np.isin(groups[turns], of) & (groups[turns] >= 0)]
    part = places([np.concatenate([groups[inside], of.astype(np.int32)]), np.concatenate([item[inside], number.astype(np.int32)])])
    most = np.zeros(int(part.max(initial=-1)) + 1, dtype=np.int64)
    most[part[len(inside) :]] = rows
    part = part[: len(inside)]
    order = np.argsort(part, kind="stable")
    rank = np.arange(len(order)) - np.searchsorted(part[order], part[order])
    return np.asarray(inside[np.sort(order[rank < most[part[order]]])])
