"""Generalization hierarchies as level tables, the way ARX writes them: leaf;…;root, one row per leaf."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from headgate.core.errors import InputRejected

ROOT = "*"


@dataclass(frozen=True, eq=False)
class Hierarchy:
    """`labels[leaf, level]`: level 0 is the leaf itself, the last level the root. Height = number of levels − 1."""

    labels: NDArray[np.object_]
    nodes: NDArray[np.int32]  # same shape: the number of the node within its level
    file: str = ""  # where lines can be added to it, if that is known
    described: Mapping[str, Any] | None = None  # {widths: […]} or {mask: …}, where the table was made from that

    @property
    def height(self) -> int:
        return int(self.labels.shape[1]) - 1

    @property
    def leaves(self) -> NDArray[np.object_]:
        return self.labels[:, 0]

    @classmethod
    def from_rows(
        cls,
        rows: Sequence[Sequence[str]],
        name: str,
        lines: Sequence[int] | None = None,
        file: str = "",
        described: Mapping[str, Any] | None = None,
    ) -> Hierarchy:
        """Checks that the table is a tree: even, leaves unique, one root, and every node has one parent. `lines` are the numbers that the
        rows have in the file they were read from; without them they are counted from 1."""
        if not rows:
            raise InputRejected(f"The hierarchy of '{name}' is empty.", "Write one line per value: leaf;…;root.")
        line = range(1, len(rows) + 1) if lines is None else lines
        width = len(rows[0])
        if width < 2:
            raise InputRejected(
                f"The hierarchy of '{name}' has one column in line {line[0]}.", "Write leaf;…;root with at least a leaf and a root."
            )
        for number, row in zip(line, rows, strict=True):
            if len(row) != width:
                raise InputRejected(
                    f"The hierarchy of '{name}' is uneven: line {number} has {len(row)} levels, line {line[0]} has {width}.",
                    "Repeat a node's name so that every line has as many levels.",
                )
        labels = np.array([[str(cell).strip() for cell in row] for row in rows], dtype=object)
        empty = np.flatnonzero((labels == "").any(axis=1))
        if len(empty):
            raise InputRejected(
                f"The hierarchy of '{name}' has an empty cell in line {line[empty[0]]}.", "Name every node; a missing value needs no line."
            )
        nodes, first = np.empty(labels.shape, dtype=np.int32), np.empty(labels.shape, dtype=np.intp)
        for level in range(width):
            _, met, nodes[:, level] = np.unique(labels[:, level].astype(str), return_index=True, return_inverse=True)
            first[:, level] = met[nodes[:, level]]
        again = np.flatnonzero(first[:, 0] != np.arange(len(rows)))
        if len(again):
            both = f"lines {line[first[again[0], 0]]} and {line[again[0]]}"
            raise InputRejected(f"The hierarchy of '{name}' lists a leaf twice, in {both}.", "Keep one line per leaf.")
        other = np.flatnonzero(nodes[:, -1] != nodes[0, -1])
        if len(other):
            both = f"lines {line[0]} and {line[other[0]]}"
            cure = f"End every line with the same root, such as {ROOT}."
            raise InputRejected(f"The hierarchy of '{name}' has more than one root, in {both}.", cure)
        for level in range(width - 1):
            apart = np.flatnonzero(nodes[:, level + 1] != nodes[first[:, level], level + 1])
            if len(apart):
                both = f"lines {line[first[apart[0], level]]} and {line[apart[0]]}"
                message = f"In the hierarchy of '{name}' a node of level {level} has two parents, in {both}."
                raise InputRejected(message, "Give every node one parent.")
        _check_labels(labels, nodes, name, line)
        return cls(labels, nodes, file, described)

    @property
    def cure(self) -> str:
        """The cure for values that are not leaves, for use inside a sentence."""
        return f"add a line for each to {self.file}" if self.file else "add a line for each"

    def reordered(self, leaves: Sequence[str], name: str) -> Hierarchy:
        """The same tree with one row for each of `leaves`, in that order."""
        place = {leaf: row for row, leaf in enumerate(self.leaves)}
        absent = [leaf for leaf in leaves if leaf not in place]
        if absent:
            raise InputRejected(
                f"The hierarchy of '{name}' lacks {len(absent):,} of {len(leaves):,} values in the data.",
                f"`headgate check` on your own terminal shows the values; {self.cure}.",
                absent,
            )
        rows = np.array([place[leaf] for leaf in leaves], dtype=np.intp)
        return replace(self, labels=self.labels[rows], nodes=self.nodes[rows])

    def distances(self) -> NDArray[np.float64]:
        """(height of the lowest common ancestor)/(height of the tree) for every pair of leaves."""
        size = len(self.labels)
        level = np.full((size, size), self.height, dtype=np.int64)
        for height in range(self.height - 1, -1, -1):
            column = self.nodes[:, height]
            level[column[:, None] == column[None, :]] = height
        return level / self.height


def _check_labels(labels: NDArray[np.object_], nodes: NDArray[np.int32], name: str, line: Sequence[int]) -> None:
    """A published label must mean one set of leaves, whichever level it comes from. Nodes on one path are nested, so they are
    the same set if they are equally large."""
    seen: dict[str, tuple[int, int]] = {}  # label → a leaf under it, and how many there are
    for level in range(labels.shape[1]):
        sizes = np.bincount(nodes[:, level])
        for node, row in enumerate(np.unique(nodes[:, level], return_index=True)[1]):
            label, size = labels[row, level], int(sizes[node])
            leaf, before = seen.setdefault(label, (int(row), size))
            if before != size or labels[leaf, level] != label:
                both = f"lines {line[leaf]} and {line[row]}"
                message = f"In the hierarchy of '{name}' a name stands for different values on different levels, in {both}."
                raise InputRejected(message, "Give every node its own name.")
