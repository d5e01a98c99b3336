"""Two halves of a table, grouped by themselves, become one again."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from headgate.methods.blocks.placing import Aside, Search
from headgate.methods.blocks.store import NOWHERE, SLACK, Groups
from headgate.methods.blocks.tree import Tree


class Region(NamedTuple):
    tree: Tree
    groups: Groups
    search: Search
    aside: Aside


def together(one: Region, two: Region, most: int) -> Region:
    """Both, under a common root. `most`: groups that there can be at all."""
    boxes, first, second = len(one.tree.left), int(one.search.many[0]), int(two.search.many[0])
    spare = max(0, min(most, 2 * (first + second)) - first - second)
    height = boxes + len(two.tree.left) + 3
    return Region(
        _under_a_root(one.tree, two.tree),
        _all_groups(one.groups, two.groups, first, second, spare),
        Search(
            _joined(one.search.leaf[:first] + 1, two.search.leaf[:second] + 1 + boxes, -1, spare),
            np.concatenate([[-1], one.search.group, _moved(two.search.group, first)]),
            _joined(one.search.beside[:first], _moved(two.search.beside[:second], first), -1, spare),
            one.search.many + two.search.many,
            _joined(one.search.stiff[:first], two.search.stiff[:second], 0, spare),
            np.empty(height, np.int64),
            np.empty(height),
        ),
        Aside(
            _side_by_side(one.aside.item, two.aside.item, int(one.aside.many[0]), int(two.aside.many[0])),
            _side_by_side(one.aside.rows, two.aside.rows, int(one.aside.many[0]), int(two.aside.many[0])),
            np.where(two.aside.place >= 0, two.aside.place + one.aside.many[0], one.aside.place),
            one.aside.many + two.aside.many,
        ),
    )


def _under_a_root(one: Tree, two: Tree) -> Tree:
    boxes, cells = len(one.left), len(one.order)
    return Tree(
        np.concatenate([one.order, two.order]),
        np.concatenate([[0], one.start, two.start + cells]),
        np.concatenate([[cells + len(two.order)], one.stop, two.stop + cells]),
        np.concatenate([[1], _moved(one.left, 1), _moved(two.left, 1 + boxes)]),
        np.concatenate([[1 + boxes], _moved(one.right, 1), _moved(two.right, 1 + boxes)]),
        np.concatenate([[-1], one.parent + 1, np.where(two.parent >= 0, two.parent + 1 + boxes, 0)]),
        np.concatenate([np.minimum(one.low[:1], two.low[:1]), one.low, two.low]),
        np.concatenate([np.maximum(one.high[:1], two.high[:1]), one.high, two.high]),
    )


def _all_groups(one: Groups, two: Groups, first: int, second: int, spare: int) -> Groups:
    """The groups in use of both and room for more; the parts in use, and half as many places again."""
    left, right = int(one.top[0]), int(two.top[0])
    places = (left + right) // 2 + SLACK * spare

    def groups(a: NDArray[Any], b: NDArray[Any], fill: int) -> NDArray[Any]:
        return _joined(a[:first], b[:second], fill, spare)

    def parts(a: NDArray[Any], b: NDArray[Any]) -> NDArray[Any]:
        return _joined(a[:left], b[:right], 0, places)

    return Groups(
        parts(one.item, two.item),
        parts(one.rows, two.rows),
        parts(one.value, two.value),
        parts(one.near, two.near),
        groups(one.begin, two.begin + left, 0),
        groups(one.parts, two.parts, 0),
        groups(one.places, two.places, 0),
        groups(one.size, two.size, 0),
        groups(one.low, two.low, NOWHERE),
        groups(one.high, two.high, -1),
        groups(one.different, two.different, 0),
        groups(one.loss, two.loss, 0),
        one.top + two.top,
        one.seen,
        one.clock,
    )


def _moved(numbers: NDArray[Any], by: int) -> NDArray[Any]:
    """Numbers of boxes or groups in the whole; −1 stays none."""
    return np.where(numbers >= 0, numbers + by, numbers)


def _joined(one: NDArray[Any], two: NDArray[Any], fill: int, spare: int) -> NDArray[Any]:
    return np.concatenate([one, two, np.full((spare, *one.shape[1:]), fill, dtype=one.dtype)])


def _side_by_side(one: NDArray[Any], two: NDArray[Any], first: int, second: int) -> NDArray[Any]:
    """What is in use of both, and all the places that they had."""
    found = np.zeros(len(one) + len(two), dtype=np.int64)
    found[:first], found[first : first + second] = one[:first], two[:second]
    return found
