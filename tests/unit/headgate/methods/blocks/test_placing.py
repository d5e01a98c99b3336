"""What a box holds too many of: set aside, placed where it costs least, and moved where that loses less."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from headgate.grouping.compiling import loop
from headgate.methods.blocks.branching import shed
from headgate.methods.blocks.draft import empty_draft
from headgate.methods.blocks.groups import empty, fill, part_of, put, take
from headgate.methods.blocks.moves import move_rows
from headgate.methods.blocks.placing import Wanted, cheapest_place, gap_to, widen
from headgate.methods.blocks.setting_aside import set_aside
from headgate.methods.blocks.stages import place_rows, start_groups, unite_twins
from headgate.methods.blocks.tree import grow_tree

K = 4


@loop
def _place(draft, item, rows, home, worth):
    place = cheapest_place(draft, Wanted(item, rows, home, worth, np.int64(0)))
    return place.group, place.rows, place.cost


@loop
def _come(draft, group, item, rows):
    put(draft.groups, group, item, rows)
    widen(draft, group, draft.groups.items.item[item].cell)


@loop
def _go(groups, group, item, rows):
    take(groups, group, part_of(groups, group, item), rows)


@loop
def _gap(items, tree, box, cell):
    return gap_to(items, tree, box, cell)


@loop
def _all_in_one(draft, cells):
    fill(draft.groups, 0, cells)
    set_aside(draft, 0)


@loop
def _shed_after_another(draft, before, cells):
    """From group 0, which is not the first in the store: that was another, and is empty now."""
    fill(draft.groups, 1, before)
    fill(draft.groups, 0, cells)
    empty(draft.groups, 1)
    return shed(draft, 0)


def _state():
    return np.zeros(3, dtype=np.int64)


def _whole_draft(case, k):
    """No group yet; the tree is one box."""
    cells = np.arange(case.items.cells)
    return empty_draft(case.items, grow_tree(case.items, cells, k, np.ones(len(case.names)), 1, _state()), k, _state())


def _started(case):
    cells = np.arange(case.items.cells)
    draft = empty_draft(case.items, grow_tree(case.items, cells, K, np.ones(len(case.names)), 10_000, _state()), K, _state())
    start_groups(draft)
    return draft


def _held(groups):
    """Each group as a dictionary: rows by item."""
    parts = [groups.part[own.begin : own.begin + own.parts] for own in groups.of[: groups.now[0].groups]]
    return [dict(zip(own.number.tolist(), own.rows.tolist(), strict=True)) for own in parts]


def _left(aside):
    """Rows that are aside, by item."""
    return aside.left[: aside.many[0]]


def _assert_sound(case, draft):
    """Groups keep their limits and K rows, what is kept up to date is what counting gives, and no row is lost or doubled."""
    total, groups = Counter(), draft.groups
    for group, held in enumerate(_held(groups)):
        total.update(held)
        assert case.keeps(held)
        assert sum(held.values()) == groups.of[group].rows
        assert not held or groups.of[group].rows >= K
        assert groups.of[group].loss == pytest.approx(case.loss(held), abs=1e-12)
        for i, item in enumerate(held):
            near = groups.crowd.near[groups.of[group].begin + i].tolist()
            assert near == [case.near(name, held, item) for name in case.names]
    for left in _left(draft.aside):
        total[int(left.number)] += int(left.rows)
    assert [total[item] for item in range(len(case.items.rows))] == case.items.rows.tolist()


def _assert_boxes_cover_their_groups(draft):
    groups, tree = draft.groups, draft.tree
    for group, held in enumerate(_held(groups)):
        box = int(groups.of[group].leaf)
        while held and box >= 0:
            assert (tree.span.low[box] <= groups.span.low[group]).all()
            assert (tree.span.high[box] >= groups.span.high[group]).all()
            box = int(tree.box[box].parent)


def _fitting(case, held, item, rows):
    return max((count for count in range(1, rows + 1) if case.keeps({**held, item: held.get(item, 0) + count})), default=0)


def _cheapest(case, groups, item, rows, home):
    """The least additional loss a row, over all groups."""
    best = np.inf
    for group, held in enumerate(_held(groups)):
        size = sum(held.values())
        if group == home or size < K:
            continue
        fitting = _fitting(case, held, item, rows)
        if fitting == rows or (fitting > 0 and home < 0):
            best = min(best, ((size + fitting) * case.loss([*held, item]) - size * case.loss(held)) / fitting)
    return best


def test_rows_are_set_aside_until_a_group_keeps_its_limits_or_all_if_fewer_than_k_would_stay(told):
    left = Counter()
    for seed in range(30):
        case = told(seed, 16)
        draft = _whole_draft(case, 9)
        own = draft.groups.of[0]
        draft.groups.now.groups = 1
        _all_in_one(draft, np.arange(case.items.cells))
        assert own.rows == 0 or own.rows >= 9, seed
        assert case.keeps(_held(draft.groups)[0]), seed
        gone = _left(draft.aside).rows.sum()
        assert own.rows + gone == 16, seed
        left["none" if own.rows == 0 else "some" if gone else "all"] += 1
    assert min(left[word] for word in ("none", "some", "all")) > 0


def test_groups_of_leaves_keep_their_limits_and_k_rows(told):
    waiting = 0
    for seed in range(12):
        case = told(seed, 60)
        draft = _started(case)
        _assert_sound(case, draft)
        waiting += int(draft.aside.many[0])
    assert waiting > 50


def test_rows_go_where_they_cost_least_of_all_groups(told):
    """Each that is set aside, one after the other, so that boxes of the tree have been widened by those before."""
    placed = left = 0
    for seed in range(12):
        case = told(seed, 70)
        draft = _started(case)
        groups = draft.groups
        for waiting in _left(draft.aside):
            item, rows = int(waiting.number), int(waiting.rows)
            best = _cheapest(case, groups, item, rows, -1)
            group, fitting, cost = _place(draft, item, rows, -1, np.inf)
            assert (group < 0) == (best == np.inf), seed
            if group < 0:
                left += 1
                continue
            assert fitting == _fitting(case, _held(groups)[group], item, rows), seed
            assert cost / fitting == pytest.approx(best, abs=1e-9), seed
            _come(draft, group, item, fitting)
            waiting.rows -= fitting
            placed += 1
        _assert_sound(case, draft)
    assert placed > 30
    assert left > 0


def test_a_box_is_never_farther_from_a_cell_than_any_of_its_groups(told):
    """By how much their loss grows with the cell; so what is pruned could not have been better."""
    near = far = 0
    for seed in range(8):
        case = told(seed, 40, quasi=("age", "colour", "school", "town") if seed % 2 else ("colour",))
        draft = _started(case)
        groups, tree = draft.groups, draft.tree
        held = _held(groups)
        for item, cell in enumerate(case.items.item.cell.tolist()):
            for group in np.flatnonzero(groups.of.parts > 0).tolist():
                grows = case.loss([*held[group], item]) - case.loss(held[group])
                box = int(groups.of[group].leaf)
                while box >= 0:
                    gap = _gap(case.items, tree, box, cell)
                    assert gap <= grows + 1e-12, seed
                    near, far, box = near + (gap == 0), far + (gap > 0), int(tree.box[box].parent)
    assert min(near, far) > 1_000


def test_rows_with_a_home_go_elsewhere_all_together_and_only_if_it_is_worth_it(told):
    """In every other table people differ by colour only: many rows of an item, of which some groups could take a part."""
    found, parted = Counter(), 0
    for seed in range(6):
        case = told(seed, 150 if seed % 2 else 60, quasi=("colour",) if seed % 2 else ())
        draft = _started(case)
        groups = draft.groups
        worth, before = (20.0 if seed % 2 else 1.5), _held(groups)
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


@pytest.mark.parametrize("size", [0, K, K + 1])
def test_placing_and_moving_break_no_limit_lose_no_row_and_moving_lowers_the_loss(told, size):
    """With new groups that branch off, of `size` rows, and without."""
    more = moves = 0
    for seed in range(8):
        case = told(seed, 60)
        draft = _started(case)
        groups = draft.groups
        many = int(groups.now[0].groups)
        place_rows(draft, np.arange(draft.aside.many[0]), size)
        _assert_sound(case, draft)
        _assert_boxes_cover_their_groups(draft)
        more += int(groups.now[0].groups) - many
        before = sum(sum(held.values()) * case.loss(held) for held in _held(groups))
        moved = move_rows(draft, 3)
        after = sum(sum(held.values()) * case.loss(held) for held in _held(groups))
        _assert_sound(case, draft)
        _assert_boxes_cover_their_groups(draft)
        assert (after < before) if moved else (after == before)
        moves += moved
    assert (more > 0) == (size > 0)
    assert moves > 10


def test_rows_branch_off_whole_while_the_groups_close_up(told):
    """The group they come from moves then, so its rows are elsewhere from one moment to the next."""
    branched = 0
    for seed in range(20):
        case = told(seed, 80, quasi=("age",))
        cells = np.arange(case.items.cells)
        held = case.rows_of(cells)
        for room in range(6, 30, 4):
            draft = _with_places(_whole_draft(case, K), 3 * len(held) + 8 + room)
            branched += _shed_after_another(draft, cells, cells)
            total = Counter(dict(zip(_left(draft.aside).number.tolist(), _left(draft.aside).rows.tolist(), strict=True)))
            for group, rows in enumerate(_held(draft.groups)):
                total.update(rows)
                assert draft.groups.of[group].rows == sum(rows.values())
            assert total == held, seed
    assert branched > 20


def _with_places(draft, places):
    """Eight groups, two of which are in use, and so many places for parts."""
    groups = draft.groups
    short = groups._replace(
        of=np.zeros(8, groups.of.dtype).view(np.recarray),
        span=np.zeros((8, groups.span.shape[1]), groups.span.dtype).view(np.recarray),
        part=groups.part[:places].copy(),
        crowd=groups.crowd[:places].copy(),
    )
    short.now.groups = 2
    return draft._replace(groups=short)


@pytest.mark.parametrize("limited", [False, True])
def test_groups_that_are_published_alike_become_one_that_keeps_its_limits(told, limited):
    """Leaves by colour; then each gets a row of the other's, so that both span the same colours."""
    united = crowded = 0
    for seed in range(12):
        case = told(seed, 40, limited=limited, quasi=("colour",))
        draft = _started(case)
        groups = draft.groups
        held = _held(groups)
        first, second = ([group for group in range(len(held)) if held[group]] + [-1, -1])[:2]
        if second < 0:
            continue
        one, other = min(held[first]), min(held[second])
        for source, target, item in ((first, second, one), (second, first, other)):
            _come(draft, target, item, 1)
            _go(groups, source, item, 1)
        held = _held(groups)
        if case.form(held[first]) != case.form(held[second]):
            continue
        whole = Counter(held[first]) + Counter(held[second])
        before = int(draft.aside.many[0])
        assert unite_twins(draft)
        after = _held(groups)
        assert not after[second]
        if case.keeps(whole):
            assert after[first] == whole
            assert draft.aside.many[0] == before
        else:
            crowded += 1
        _assert_sound(case, draft)
        united += 1
    assert united > 3
    assert (crowded > 0) == limited


def test_where_nothing_is_published_alike_nothing_is_united(told):
    case = told(3, 60, limited=False)
    draft = _started(case)
    forms = [case.form(held) for held in _held(draft.groups) if held]
    assert len(set(forms)) == len(forms) > 3
    assert not unite_twins(draft)
    assert draft.aside.many[0] == 0
