"""A table in groups, as `divide` makes them."""

from __future__ import annotations

import pickle
from collections import Counter

import numpy as np

from headgate.grouping.workers import Threads
from headgate.methods.blocks import local_groups as blocks
from headgate.methods.blocks import regions
from tests.unit.headgate.methods.blocks.drafts import K


class Elsewhere:
    """Workers that are sent everything, and send everything back: `many` of them take turns, the last one first."""

    def __init__(self, many):
        self.many, self.pieces = many, 0

    def each(self, work, pieces, state):
        self.pieces += len(pieces)
        made = {}
        for own in reversed(range(self.many)):
            for number in range(own, len(pieces), self.many):
                sent = pickle.dumps((work, pieces[number]), protocol=5)
                elsewhere, piece = pickle.loads(sent)
                made[number] = pickle.loads(pickle.dumps(elsewhere(piece, state.copy()), protocol=5))
        return [made[number] for number in range(len(pieces))]


def in_regions_of(monkeypatch, items):
    """Small tables are divided too."""
    monkeypatch.setattr(regions, "TWO", items)
    monkeypatch.setattr(regions, "LARGEST", items)


def divided(case, seed=0, workers=None):
    groups = blocks.divide(case.items, case.itemized.item, K, [seed, 0], np.zeros(3, dtype=np.int64), workers or Threads())
    return [np.flatnonzero(groups == group).tolist() for group in range(int(groups.max()) + 1)]


def by_item(case, rows):
    return dict(Counter(case.itemized.item[rows].tolist()))
