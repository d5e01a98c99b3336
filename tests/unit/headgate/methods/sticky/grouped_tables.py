"""Tables that are told twice (told_twice.py), in groups that keep their limits or break them."""

from __future__ import annotations

from collections import Counter

import numpy as np

K = 4


def drawn_groups(case, seed, many=6):
    """Any groups, and who is in none."""
    return without_gaps(np.random.default_rng(seed).integers(-1, many, case.rows))


def without_gaps(groups):
    """Numbered 0, 1, 2 …"""
    known = {group: number for number, group in enumerate(sorted(set(groups.tolist()) - {-1}))}
    return np.array([known.get(group, -1) for group in groups.tolist()], dtype=np.int32)


def rows_by_item(case, groups):
    """Each group as a dictionary: rows by item."""
    return [Counter(case.itemized.item[groups == group].tolist()) for group in range(int(groups.max(initial=-1)) + 1)]


def sets_of(groups):
    return {frozenset(np.flatnonzero(groups == group).tolist()) for group in set(groups.tolist()) - {-1}}


def kept_groups(case, seed):
    """Groups of some rows that keep their limits; the others are new."""
    draw, groups = np.random.default_rng(seed), np.full(case.rows, -1, dtype=np.int32)
    many = 0
    for _ in range(40):
        chosen = draw.choice(case.rows, int(draw.integers(2, 9)), replace=False)
        chosen = chosen[groups[chosen] < 0]
        groups[chosen] = many
        held = rows_by_item(case, groups)
        if len(chosen) == 0 or not case.keeps(held[many]):
            groups[chosen] = -1
            continue
        many += 1
    return groups, many
