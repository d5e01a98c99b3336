"""Two halves of a table, grouped by themselves, become one again."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from headgate.core.compiling import Records, empty_records, unset_records
from headgate.methods.blocks.draft import LEFT, VISIT, Aside, Draft, Groups, empty_groups
from headgate.methods.blocks.tree import BOX, STRETCH, Tree


def together(one: Draft, two: Draft, most: int) -> Draft:
    """Both, under a common root. `most`: groups that there can be at all."""
    tree = _under_a_root(one, two)
    return one._replace(
        groups=_all_groups(one.groups, two.groups, len(one.tree.box), most),
        tree=tree,
        aside=_all_aside(one.aside, two.aside),
        visits=empty_records(len(tree.box) + 2, VISIT),
    )


def _under_a_root(one: Draft, two: Draft) -> Tree:
    first, second = one.tree.box.copy(), two.tree.box.copy()
    root = empty_records(1, BOX)
    root.stop, root.left, root.right, root.parent, root.group = len(one.tree.order) + len(two.tree.order), 1, 1 + len(first), -1, -1
    second.start += len(one.tree.order)
    second.stop += len(one.tree.order)
    _renumber(second.group, int(one.groups.now[0].groups))
    for half, by in ((first, 1), (second, 1 + len(first))):
        for numbers in (half.left, half.right, half.parent):
            _renumber(numbers, by)
        half.parent[0] = 0
    span = empty_records((1, one.tree.span.shape[1]), STRETCH)
    spans = one.tree.span[0], two.tree.span[0]
    span.low, span.high = np.minimum(*(own.low for own in spans)), np.maximum(*(own.high for own in spans))
    return Tree(np.concatenate([one.tree.order, two.tree.order]), _all(root, first, second), _all(span, one.tree.span, two.tree.span))


def _all_groups(one: Groups, two: Groups, boxes: int, most: int) -> Groups:
    """The groups in use of both and room for as many more; all places for parts that both had, for all may be in use."""
    first, second, left, right = int(one.now[0].groups), int(two.now[0].groups), int(one.now[0].top), int(two.now[0].top)
    whole = empty_groups(one.items, max(first + second, min(most, 2 * (first + second))), len(one.part) + len(two.part))
    whole.of[:first], whole.span[:first] = one.of[:first], one.span[:first]
    whole.of[first : first + second], whole.span[first : first + second] = two.of[:second], two.span[:second]
    whole.part[:left], whole.crowd[:left] = one.part[:left], one.crowd[:left]
    whole.part[left : left + right], whole.crowd[left : left + right] = two.part[:right], two.crowd[:right]
    moved = whole.of[first : first + second]
    moved.begin += left
    _renumber(moved.beside, first)
    _renumber(whole.of.leaf[:first], 1)
    _renumber(moved.leaf, 1 + boxes)
    whole.now[0].groups, whole.now[0].top = first + second, left + right
    return whole


def _all_aside(one: Aside, two: Aside) -> Aside:
    """The parts of both halves that are in use, and all places that they had."""
    first, second = int(one.many[0]), int(two.many[0])
    left = unset_records(len(one.left) + len(two.left), LEFT)
    left[:first], left[first : first + second] = one.left[:first], two.left[:second]
    return Aside(left, np.where(two.place >= 0, two.place + first, one.place), one.many + two.many)


def _renumber(numbers: NDArray[np.int64], by: int) -> None:
    """Numbers of boxes or groups in the whole; −1 stays none."""
    numbers[numbers >= 0] += by


def _all(*pieces: Records) -> Records:
    return np.concatenate(pieces).view(np.recarray)
