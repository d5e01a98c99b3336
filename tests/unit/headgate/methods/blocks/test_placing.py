"""Rows that are aside, or move, go where they cost least."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from headgate.core.compiling import loop
from headgate.methods.blocks.placing import Wanted, cheapest_place, gap_to
from tests.unit.headgate.methods.blocks.drafts import K, assert_sound, come, rows_aside, rows_by_item, started_draft


@loop
def _place(draft, item, rows, home, worth):
    place = cheapest_place(draft, Wanted(item, rows, home, worth, np.int64(0)))
    return place.group, place.rows, place.cost


@loop
def _gap(items, tree, box, cell):
    return gap_to(items, tree, box, cell)


def _fitting(case, held, item, rows):
    return max((count for count in range(1, rows + 1) if case.keeps({**held, item: held.get(item, 0) + count})), default=0)


def _cheapest(case, groups, item, rows, home):
    """The least additional loss a row, over all groups."""
    best = np.inf
    for group, held in enumerate(rows_by_item(groups)):
        size = sum(held.values())
        if group == home or size < K:
            continue
        fitting = _fitting(case, held, item, rows)
        if fitting == rows or (fitting > 0 and home < 0):
            best = min(best, ((size + fitting) * case.loss([*held, item]) - size * case.loss(held)) / fitting)
    return best


def test_rows_go_where_they_cost_least_of_all_groups(told):
    """Each that is set aside, one after the other, so that boxes of the tree have been widened by those before."""
    placed = left = 0
    for seed in range(12):
        case = told(seed, 70)
        draft = started_draft(case)
        groups = draft.groups
        for waiting in rows_aside(draft.aside):
            item, rows = int(waiting.number), int(waiting.rows)
            best = _cheapest(case, groups, item, rows, -1)
            group, fitting, cost = _place(draft, item, rows, -1, np.inf)
            assert (group < 0) == (best == np.inf), seed
            if group < 0:
                left += 1
                continue
            assert fitting == _fitting(case, rows_by_item(groups)[group], item, rows), seed
            assert cost / fitting == pytest.approx(best, abs=1e-9), seed
            come(draft, group, item, fitting)
            waiting.rows -= fitting
            placed += 1
        assert_sound(case, draft)
    assert placed > 30
    assert left > 0


def test_a_box_is_never_farther_from_a_cell_than_any_of_its_groups(told):
    """By how much their loss grows with the cell; so what is pruned could not have been better."""
    near = far = 0
    for seed in range(24):
        case = told(seed, 40, quasi=("age", "colour", "school", "town") if seed % 2 else ("colour",))
        draft = started_draft(case)
        groups, tree = draft.groups, draft.tree
        held = rows_by_item(groups)
        for item, cell in enumerate(case.items.item.cell.tolist()):
            for group in np.flatnonzero(groups.of.parts > 0).tolist():
                grows = case.loss([*held[group], item]) - case.loss(held[group])
                box = int(groups.of[group].leaf)
                while box >= 0:
                    gap = _gap(case.items, tree, box, cell)
                    assert gap <= grows + 1e-12, seed
                    near, far, box = near + (gap == 0), far + (gap > 0), int(tree.box[box].parent)
    assert min(near, far) > 1_000


@pytest.mark.slow
def test_rows_with_a_home_go_elsewhere_all_together_and_only_if_it_is_worth_it(told):
    """In every other table people differ by colour only: many rows of an item, of which some groups could take a part."""
    found, parted = Counter(), 0
    for seed in range(8):
        case = told(seed, 150 if seed % 2 else 60, quasi=("colour",) if seed % 2 else ())
        draft = started_draft(case)
        groups = draft.groups
        worth, before = (20.0 if seed % 2 else 1.5), rows_by_item(groups)
        for home, held in enumerate(before):
            for item, rows in held.items():
                best = _cheapest(case, groups, item, rows, home)
                group, fitting, cost = _place(draft, item, rows, home, worth)
                found[group >= 0] += 1
                parted += any(0 < _fitting(case, other, item, rows) < rows for other in before if other and other is not held)
                assert (group >= 0) == (best < worth - 1e-9) or abs(best - worth) < 1e-9, seed
                if group >= 0:
                    assert group != home
                    assert fitting == rows
                    assert cost / rows == pytest.approx(best, abs=1e-9), seed
    assert min(found.values()) > 20
    assert parted > 10
