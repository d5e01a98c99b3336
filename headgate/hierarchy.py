"""Generalization hierarchies as level tables, the way ARX writes them: leaf;…;root, one row a leaf."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from headgate.errors import InputRejected

ROOT = "*"


@dataclass(frozen=True, eq=False)
class Hierarchy:
    """`labels[leaf, level]`: level 0 is the leaf itself, the last level the root. Height = number of levels − 1."""

    labels: NDArray[np.object_]
    nodes: NDArray[np.int32]  # same shape: the number of the node within its level

    @property
    def height(self) -> int:
        return int(self.labels.shape[1]) - 1

    @property
    def leaves(self) -> NDArray[np.object_]:
        return self.labels[:, 0]

    @classmethod
    def from_rows(cls, rows: Sequence[Sequence[str]], name: str) -> Hierarchy:
        """Checks that the table is a tree: even, leaves unique, one root, and every node has one parent."""
        if not rows:
            raise InputRejected(f"The hierarchy of '{name}' is empty.", "Write one line a value: leaf;…;root.")
        width = len(rows[0])
        if width < 2:
            raise InputRejected(f"The hierarchy of '{name}' has one column.", "Write leaf;…;root with at least a leaf and a root.")
        for number, row in enumerate(rows, 1):
            if len(row) != width:
                raise InputRejected(
                    f"The hierarchy of '{name}' is uneven: line {number} has {len(row)} levels, line 1 has {width}.",
                    "Repeat a node's name so that every line has as many levels.",
                )
        labels = np.array([[str(cell).strip() for cell in row] for row in rows], dtype=object)
        if (labels == "").any():
            raise InputRejected(f"The hierarchy of '{name}' has an empty cell.", "Name every node; a missing value needs no line.")
        if len(set(labels[:, 0])) != len(labels):
            raise InputRejected(f"The hierarchy of '{name}' lists a leaf twice.", "Keep one line a leaf.")
        if len(set(labels[:, -1])) != 1:
            raise InputRejected(f"The hierarchy of '{name}' has more than one root.", f"End every line with the same root, such as {ROOT}.")
        nodes = np.empty(labels.shape, dtype=np.int32)
        for level in range(width):
            nodes[:, level] = np.unique(labels[:, level].astype(str), return_inverse=True)[1]
        for level in range(width - 1):
            pairs = np.unique(nodes[:, level : level + 2], axis=0)
            if len(pairs) != len(np.unique(nodes[:, level])):
                raise InputRejected(f"In the hierarchy of '{name}' a node of level {level} has two parents.", "Give every node one parent.")
        _check_labels(labels, nodes, name)
        return cls(labels, nodes)

    def reordered(self, leaves: Sequence[str], name: str) -> Hierarchy:
        """The same tree with one row for each of `leaves`, in that order."""
        place = {leaf: row for row, leaf in enumerate(self.leaves)}
        absent = [leaf for leaf in leaves if leaf not in place]
        if absent:
            raise InputRejected(
                f"The hierarchy of '{name}' misses {len(absent)} of {len(leaves)} values in the data.",
                "`headgate check` on your own terminal shows the values; add a line for each.",
                absent,
            )
        rows = np.array([place[leaf] for leaf in leaves], dtype=np.intp)
        return Hierarchy(self.labels[rows], self.nodes[rows])

    def distances(self) -> NDArray[np.float64]:
        """(height of the lowest common ancestor)/(height of the tree) for every pair of leaves."""
        size = len(self.labels)
        level = np.full((size, size), self.height, dtype=np.int64)
        for height in range(self.height - 1, -1, -1):
            column = self.nodes[:, height]
            level[column[:, None] == column[None, :]] = height
        return level / self.height


def _check_labels(labels: NDArray[np.object_], nodes: NDArray[np.int32], name: str) -> None:
    """A published label must mean one set of leaves, whichever level it was taken from. Nodes on one path are nested, so they are
    the same set if they are as large."""
    seen: dict[str, tuple[int, int]] = {}  # label → a leaf under it, and how many there are
    for level in range(labels.shape[1]):
        sizes = np.bincount(nodes[:, level])
        for node, row in enumerate(np.unique(nodes[:, level], return_index=True)[1]):
            label, size = labels[row, level], int(sizes[node])
            leaf, before = seen.setdefault(label, (int(row), size))
            if before != size or labels[leaf, level] != label:
                raise InputRejected(
                    f"In the hierarchy of '{name}' a name stands for different values on different levels.", "Give every node its own name."
                )
