"""What a box holds too many of: set aside, placed where it costs least, and moved where that loses less."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from headgate.grouping.compiling import loop
from headgate.methods.blocks.branching import shed
from headgate.methods.blocks.groups import empty, fill, part_of, put, take
from headgate.methods.blocks.moves import move_rows
from headgate.methods.blocks.placing import Aside, Search, cheapest_place, gap_to, set_aside, widen
from headgate.methods.blocks.stages import place_rows, start_groups, unite_twins
from headgate.methods.blocks.store import empty_groups
from headgate.methods.blocks.tree import grow_tree

K = 4


@loop
def _place(items, tree, groups, search, item, rows, home, k, worth):
    found = cheapest_place(items, tree, groups, search, item, rows, home, k, worth, 0)
    return found.group, found.rows, found.cost


@loop
def _come(items, tree, groups, search, group, item, rows):
    put(items, groups, group, item, rows)
    widen(items, tree, search, group, items.cell[item])


@loop
def _go(items, groups, group, item, rows):
    take(items, groups, group, part_of(items, groups, group, item), rows)


@loop
def _gap(items, tree, box, cell):
    return gap_to(items, tree, box, cell)


@loop
def _all_in_one(items, groups, aside, cells, k, state):
    fill(items, groups, 0, cells)
    set_aside(items, groups, aside, 0, k, state)


@loop
def _shed_after_another(items, groups, search, aside, before, cells, k):
    """From group 0, which is not the first in the store: that was another, and is empty now."""
    fill(items, groups, 1, before)
    fill(items, groups, 0, cells)
    empty(items, groups, 1)
    return shed(items, groups, search, aside, 0, k)


def _state():
    return np.zeros(3, dtype=np.int64)


def _started(case):
    cells = np.arange(len(case.items.weight))
    tree = grow_tree(case.items, cells, K, np.ones(len(case.names)), 10_000, _state())
    return tree, *start_groups(case.items, tree, K, _state())


def _held(groups):
    """Each group as a dictionary: rows by item."""
    found = []
    for begin, parts in zip(groups.begin.tolist(), groups.parts.tolist(), strict=True):
        found.append(dict(zip(groups.item[begin : begin + parts].tolist(), groups.rows[begin : begin + parts].tolist(), strict=True)))
    return found


def _assert_sound(case, groups, aside):
    """Groups keep their limits and K rows, what is kept up to date is what counting gives, and no row is lost or doubled."""
    total = Counter()
    for group, held in enumerate(_held(groups)):
        total.update(held)
        assert case.keeps(held)
        assert sum(held.values()) == groups.size[group]
        assert not held or groups.size[group] >= K
        assert groups.loss[group] == pytest.approx(case.loss(held), abs=1e-12)
        for i, item in enumerate(held):
            near = groups.near[groups.begin[group] + i].tolist()
            assert near == [case.near(name, held, item) for name in case.names]
    for item, rows in zip(aside.item[: aside.many[0]].tolist(), aside.rows[: aside.many[0]].tolist(), strict=True):
        total[item] += rows
    assert [total[item] for item in range(len(case.items.rows))] == case.items.rows.tolist()


def _assert_boxes_cover_their_groups(groups, tree, search):
    for group, held in enumerate(_held(groups)):
        box = int(search.leaf[group])
        while held and box >= 0:
            assert (tree.low[box] <= groups.low[group]).all()
            assert (tree.high[box] >= groups.high[group]).all()
            box = int(tree.parent[box])


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
        groups = empty_groups(case.items, 1, 2 * len(case.items.rows))
        aside = Aside(np.zeros(200, np.int64), np.zeros(200, np.int64), np.full(len(case.items.rows), -1, np.int64), np.zeros(1, np.int64))
        _all_in_one(case.items, groups, aside, np.arange(len(case.items.weight)), 9, _state())
        assert groups.size[0] == 0 or groups.size[0] >= 9, seed
        assert case.keeps(_held(groups)[0]), seed
        gone = aside.rows[: aside.many[0]].sum()
        assert groups.size[0] + gone == 16, seed
        left["none" if groups.size[0] == 0 else "some" if gone else "all"] += 1
    assert min(left[word] for word in ("none", "some", "all")) > 0


def test_groups_of_leaves_keep_their_limits_and_k_rows(told):
    waiting = 0
    for seed in range(12):
        case = told(seed, 60)
        _, groups, _, aside = _started(case)
        _assert_sound(case, groups, aside)
        waiting += int(aside.many[0])
    assert waiting > 50


def test_rows_go_where_they_cost_least_of_all_groups(told):
    """Each that is set aside, one after the other, so that boxes of the tree have been widened by those before."""
    placed = left = 0
    for seed in range(12):
        case = told(seed, 70)
        tree, groups, search, aside = _started(case)
        for i in range(int(aside.many[0])):
            item, rows = int(aside.item[i]), int(aside.rows[i])
            best = _cheapest(case, groups, item, rows, -1)
            group, fitting, cost = _place(case.items, tree, groups, search, item, rows, -1, K, np.inf)
            assert (group < 0) == (best == np.inf), seed
            if group < 0:
                left += 1
                continue
            assert fitting == _fitting(case, _held(groups)[group], item, rows), seed
            assert cost / fitting == pytest.approx(best, abs=1e-9), seed
            _come(case.items, tree, groups, search, group, item, fitting)
            aside.rows[i] -= fitting
            placed += 1
        _assert_sound(case, groups, aside)
    assert placed > 30
    assert left > 0


def test_a_box_is_never_farther_from_a_cell_than_any_of_its_groups(told):
    """By how much their loss grows with the cell; so what is pruned could not have been better."""
    near = far = 0
    for seed in range(8):
        case = told(seed, 40, quasi=("age", "colour", "school", "town") if seed % 2 else ("colour",))
        tree, groups, search, _ = _started(case)
        held = _held(groups)
        for item, cell in enumerate(case.items.cell.tolist()):
            for group in np.flatnonzero(groups.parts > 0).tolist():
                grows = case.loss([*held[group], item]) - case.loss(held[group])
                box = int(search.leaf[group])
                while box >= 0:
                    gap = _gap(case.items, tree, box, cell)
                    assert gap <= grows + 1e-12, seed
                    near, far, box = near + (gap == 0), far + (gap > 0), int(tree.parent[box])
    assert min(near, far) > 1_000


def test_rows_with_a_home_go_elsewhere_all_together_and_only_if_it_is_worth_it(told):
    """In every other table people differ by colour only: many rows of an item, of which some groups could take a part."""
    found, parted = Counter(), 0
    for seed in range(6):
        case = told(seed, 150 if seed % 2 else 60, quasi=("colour",) if seed % 2 else ())
        tree, groups, search, _ = _started(case)
        worth, before = (20.0 if seed % 2 else 1.5), _held(groups)
        for home, held in enumerate(before):
            for item, rows in held.items():
                best = _cheapest(case, groups, item, rows, home)
                group, fitting, cost = _place(case.items, tree, groups, search, item, rows, home, K, worth)
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
        tree, groups, search, aside = _started(case)
        many = int(search.many[0])
        place_rows(case.items, tree, groups, search, aside, np.arange(aside.many[0]), K, size, _state())
        _assert_sound(case, groups, aside)
        _assert_boxes_cover_their_groups(groups, tree, search)
        more += int(search.many[0]) - many
        before = sum(sum(held.values()) * case.loss(held) for held in _held(groups))
        moved = move_rows(case.items, tree, groups, search, aside, K, 3, _state())
        after = sum(sum(held.values()) * case.loss(held) for held in _held(groups))
        _assert_sound(case, groups, aside)
        _assert_boxes_cover_their_groups(groups, tree, search)
        assert (after < before) if moved else (after == before)
        moves += moved
    assert (more > 0) == (size > 0)
    assert moves > 10


def _packed(groups, room):
    """The same groups, with no place between them, and so many behind."""
    parts = np.concatenate([np.arange(begin, begin + many) for begin, many in zip(groups.begin, groups.parts, strict=True)])
    own = np.concatenate([parts, np.zeros(room, np.int64)])
    begin = np.cumsum(groups.parts) - groups.parts
    packed = {"item": groups.item[own], "rows": groups.rows[own], "value": groups.value[own], "near": groups.near[own]}
    return groups._replace(**packed, begin=begin, places=groups.parts.copy(), top=np.full(1, len(parts)))


@pytest.mark.parametrize("room", [0, 9])
def test_in_a_store_that_is_full_no_row_is_lost(told, room):
    """What finds no place in the store stays aside. `room`: places that are left."""
    full = 0
    for seed in range(12):
        left = {}
        for places in (room, 1_000):
            case = told(seed, 60)
            tree, groups, search, aside = _started(case)
            groups = _packed(groups, places)
            place_rows(case.items, tree, groups, search, aside, np.arange(aside.many[0]), K, K, _state())
            _assert_sound(case, groups, aside)
            left[places] = int(aside.rows[: aside.many[0]].sum())
            move_rows(case.items, tree, groups, search, aside, K, 3, _state())
            unite_twins(case.items, tree, groups, search, aside, K, _state())
            _assert_sound(case, groups, aside)
        full += left[room] > left[1_000]
    assert full > 0


def test_rows_branch_off_whole_while_the_store_closes_up(told):
    """The group they come from moves in the store then, so its rows are elsewhere from one moment to the next."""
    branched = 0
    for seed in range(20):
        case = told(seed, 80, quasi=("age",))
        cells = np.arange(len(case.items.weight))
        held = case.rows_of(cells)
        for room in range(6, 30, 4):
            groups = empty_groups(case.items, 8, 2 * len(held) + len(held) + 2 * 4 + room)
            none, nowhere = np.full(8, -1, np.int64), np.full(len(case.items.rows), -1, np.int64)
            aside = Aside(np.zeros(200, np.int64), np.zeros(200, np.int64), nowhere, np.zeros(1, np.int64))
            search = Search(none.copy(), none.copy(), none.copy(), np.full(1, 2, np.int64), np.zeros(8, np.bool_), none.copy(), np.zeros(8))
            branched += _shed_after_another(case.items, groups, search, aside, cells, cells, K)
            total = Counter(dict(zip(aside.item[: aside.many[0]].tolist(), aside.rows[: aside.many[0]].tolist(), strict=True)))
            for group, rows in enumerate(_held(groups)):
                total.update(rows)
                assert groups.size[group] == sum(rows.values())
            assert total == held, seed
    assert branched > 20


@pytest.mark.parametrize("limited", [False, True])
def test_groups_that_are_published_alike_become_one_that_keeps_its_limits(told, limited):
    """Leaves by colour; then each gets a row of the other's, so that both span the same colours."""
    united = crowded = 0
    for seed in range(12):
        case = told(seed, 40, limited=limited, quasi=("colour",))
        tree, groups, search, aside = _started(case)
        held = _held(groups)
        first, second = ([group for group in range(len(held)) if held[group]] + [-1, -1])[:2]
        if second < 0:
            continue
        one, other = min(held[first]), min(held[second])
        for source, target, item in ((first, second, one), (second, first, other)):
            _come(case.items, tree, groups, search, target, item, 1)
            _go(case.items, groups, source, item, 1)
        held = _held(groups)
        if case.form(held[first]) != case.form(held[second]):
            continue
        whole = Counter(held[first]) + Counter(held[second])
        before = int(aside.many[0])
        assert unite_twins(case.items, tree, groups, search, aside, K, _state())
        after = _held(groups)
        assert not after[second]
        if case.keeps(whole):
            assert after[first] == whole
            assert aside.many[0] == before
        else:
            crowded += 1
        _assert_sound(case, groups, aside)
        united += 1
    assert united > 3
    assert (crowded > 0) == limited


def test_where_nothing_is_published_alike_nothing_is_united(told):
    case = told(3, 60, limited=False)
    tree, groups, search, aside = _started(case)
    forms = [case.form(held) for held in _held(groups) if held]
    assert len(set(forms)) == len(forms) > 3
    assert not unite_twins(case.items, tree, groups, search, aside, K, _state())
    assert aside.many[0] == 0
