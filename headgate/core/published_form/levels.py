"""The levels at which a quasi-identifier can be published as a whole: a node for every value at every level.

Level 0 is exact, the last is `*`. With a hierarchy its columns are the levels; a date has day, month, quarter, year, bands of years and
`*`; anything else is exact or `*`. Missing is a leaf of its own under the root.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from headgate.core.cells import EVERYTHING
from headgate.core.columns import Column, check_quasi


@dataclass(frozen=True, eq=False)
class Levels:
    """`nodes[level, code]`: the number of the node within its level, the last place for missing. For each level and node: its published
    text, its share of the domain (loss), and the part of the hierarchy's rows that bear its label, as ARX counts loss."""

    name: str
    nodes: NDArray[np.int32]
    texts: tuple[NDArray[Any], ...]
    loss: tuple[NDArray[np.float64], ...]
    arx: tuple[NDArray[np.float64], ...]
    leaves: int  # |D|: values, and missing where it occurs

    def __len__(self) -> int:
        return len(self.nodes)


def levels_of(column: Column) -> Levels:
    check_quasi(column)
    rules = column.kind.rules
    missing = bool((column.codes < 0).any())
    leaves = len(column.values) + missing
    labels = rules.levels(column)
    nodes = np.zeros((len(labels) + 1, len(column.values) + 1), dtype=np.int32)
    texts: list[NDArray[Any]] = []
    loss: list[NDArray[np.float64]] = []
    arx: list[NDArray[np.float64]] = []
    for level, at_level in enumerate(labels):
        place: dict[str, int] = {}
        nodes[level, :-1] = [place.setdefault(label, len(place)) for label in at_level]
        nodes[level, -1] = len(place)
        under = np.bincount(nodes[level], minlength=len(place) + 1)
        texts.append(np.array([*(rules.node_text(label, level) for label in place), ""], dtype=object))
        losses = [rules.node_loss(column, label, int(leaves), level) for label, leaves in zip(place, under[:-1], strict=True)]
        loss.append(np.array([*losses, 0.0]))
        arx.append(under / max(1, leaves))
    texts.append(np.array([EVERYTHING], dtype=object))
    loss.append(np.ones(1))
    arx.append(np.ones(1))
    return Levels(column.name, nodes, tuple(texts), tuple(loss), tuple(arx), leaves)


def published_levels(columns: Sequence[Column], texts: Mapping[str, Iterable[str]]) -> dict[str, int] | None:
    """The level at which each quasi-identifier is published, recognized by its texts: the lowest level that has them all. None if one has
    texts that belong to no level."""
    levels: dict[str, int] = {}
    for column in columns:
        occurring = set(texts[column.name])
        at = [level for level, own in enumerate(levels_of(column).texts) if occurring <= set(own)]
        if not at:
            return None
        levels[column.name] = at[0]
    return levels
