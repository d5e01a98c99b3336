"""Every node of the lattice is classified, but few are counted: the search of Flash (Kohlmayer et al. 2012) on the prunable part.

From each node that is not known yet, in the order of its height, a path of unknown nodes leads upwards; a binary search on it finds where
the prunable conditions begin to hold. A node that keeps them tags every coarser one, a node that fails them every finer one.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from headgate.grouping.watch import TOTAL, Watch
from headgate.methods.full_domain.node_counts import Counting, Node

UNKNOWN, FAILS, KEEPS = 0, 1, 2


class Tags:
    """What is known about each node. A node is a mixed-radix number of its levels."""

    def __init__(self, heights: Node) -> None:
        self.heights = heights
        self.flat = bytearray(int(np.prod(heights)))
        self.grid = np.frombuffer(self.flat, dtype=np.uint8).reshape(heights)
        self.step = [int(np.prod(heights[i + 1 :])) for i in range(len(heights))]

    def keeps(self, node: Node) -> None:
        self.grid[tuple(slice(level, None) for level in node)] = KEEPS

    def fails(self, node: Node) -> None:
        self.grid[tuple(slice(None, level + 1) for level in node)] = FAILS

    def path(self, node: Node, number: int) -> list[Node]:
        """Unknown nodes, each the first unknown one directly above the last."""
        nodes, level = [node], list(node)
        while True:
            for a, step in enumerate(self.step):
                if level[a] + 1 < self.heights[a] and self.flat[number + step] == UNKNOWN:
                    level[a] += 1
                    number += step
                    nodes.append(tuple(level))
                    break
            else:
                return nodes


def classify(counting: Counting, watch: Watch) -> NDArray[np.bool_]:
    """Which nodes are valid, with one axis per quasi-identifier."""
    tags = Tags(counting.heights)
    watch.state[TOTAL] = len(tags.flat)
    every = np.indices(counting.heights).reshape(len(counting.heights), -1)
    for number in np.argsort(every.sum(axis=0), kind="stable").tolist():
        while tags.flat[number] == UNKNOWN:
            path = tags.path(tuple(every[:, number].tolist()), number)
            low, high = 0, len(path)
            while low < high:
                middle = (low + high) // 2
                if counting.count(path[middle]).prunable:
                    tags.keeps(path[middle])
                    high = middle
                else:
                    tags.fails(path[middle])
                    low = middle + 1
    kept = tags.grid == KEEPS
    if counting.all_prunes:
        return np.asarray(kept)
    valid: NDArray[np.bool_] = np.zeros(kept.shape, dtype=np.bool_)
    for node in map(tuple, np.argwhere(kept).tolist()):
        valid[node] = counting.count(node).valid
    return valid
