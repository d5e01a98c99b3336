"""The last resort for a handful of groups that hold a few similar rows too many: single rows move to groups nearby that can take them.

Groups are numbered in the order of the cuts, so near numbers are near groups.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from headgate.columns import Codes
from headgate.xcolor.axes import Axes, published_keys
from headgate.xcolor.blocks import loss_of_rows, passes
from headgate.xcolor.compiled import SIZE, START, Limits
from headgate.xcolor.counting import neighbourhoods, rows_similar
from headgate.xcolor.recount import grouped

MOST_OVER = 2_000  # rows with too many similar ones; more than that is no handful
REACH = 40  # groups on either side that are asked
OFFERS = 3  # groups that could take a row, of which the cheapest does
CANDIDATES = 200  # rows of one crowd that are offered


def move_rows(axes: Axes, limits: Limits, groups: Codes, k: int) -> Codes:
    """Moves rows out of crowded groups, and of crowded classes of groups that are published alike, while their groups keep k rows."""
    order, bounds = grouped(groups)
    members = [order[bounds[g] : bounds[g + 1]] for g in range(len(bounds) - 1)]
    keys, _ = published_keys(axes, order, bounds)
    place = np.unique(keys, return_inverse=True)[1]
    alike: list[list[int]] = [[] for _ in range(int(place.max()) + 1)]
    for group, number in enumerate(place.tolist()):
        alike[number].append(group)
    tally = np.zeros(int(limits.facts[:, SIZE].max(initial=1)), dtype=np.int64)
    for together in alike:
        for crowd in dict.fromkeys([*((group,) for group in together), tuple(together)]):
            _thin_out(axes, limits, members, crowd, k, tally)
    moved = np.empty(len(groups), dtype=np.int32)
    for group, rows in enumerate(members):
        moved[rows] = group
    return moved


def _thin_out(
    axes: Axes, limits: Limits, members: list[NDArray[np.int64]], crowd: tuple[int, ...], k: int, tally: NDArray[np.int64]
) -> None:
    """Takes similar rows away from a group, or a class of groups, until it passes or none of them can go. Neighbours are counted once and
    then kept up to date."""
    rows = np.concatenate([members[group] for group in crowd])
    homes = np.repeat(crowd, [len(members[group]) for group in crowd])
    kinds = len(limits.facts)
    if passes(limits, rows, tally):
        return
    counts = np.empty((kinds, len(rows)), dtype=np.int64)
    for limit in range(kinds):
        neighbourhoods(limits, limit, rows, counts[limit])
    starts = limits.facts[:, START]
    centre = np.stack([limits.centre[starts[limit] + limits.value[rows, limit]] for limit in range(kinds)])
    while len(rows):
        over = np.where(centre, counts - limits.allowed[:, len(rows)][:, None], 0)
        limit, worst = divmod(int(over.argmax()), len(rows))
        if over[limit, worst] <= 0:
            return
        near = np.flatnonzero(rows_similar(limits, limit, rows[worst], rows))
        near = near[np.argsort(-over[:, near].clip(min=0).sum(axis=0), kind="stable")][:CANDIDATES]
        moved = next((i for i in near.tolist() if _move(axes, limits, members, rows[i], int(homes[i]), crowd, k, tally)), None)
        if moved is None:
            return
        for other in range(kinds):
            counts[other] -= rows_similar(limits, other, rows[moved], rows)
        kept = np.arange(len(rows)) != moved
        rows, homes, counts, centre = rows[kept], homes[kept], counts[:, kept], centre[:, kept]


def _move(
    axes: Axes,
    limits: Limits,
    members: list[NDArray[np.int64]],
    row: np.int64,
    group: int,
    crowd: tuple[int, ...],
    k: int,
    tally: NDArray[np.int64],
) -> bool:
    if len(members[group]) <= k:
        return False
    offers: list[tuple[float, int]] = []
    for distance in range(1, REACH + 1):
        for other in (group - distance, group + distance):
            if not 0 <= other < len(members) or other in crowd:
                continue
            joined = np.append(members[other], row)
            if passes(limits, joined, tally):
                price = len(joined) * loss_of_rows(axes, joined) - len(members[other]) * loss_of_rows(axes, members[other])
                offers.append((price, other))
        if len(offers) >= OFFERS:
            break
    if not offers:
        return False
    _, other = min(offers)
    members[other] = np.append(members[other], row)
    members[group] = members[group][members[group] != row]
    return True
